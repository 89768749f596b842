//! The report in a real browser and the figures in a real TeX; skipped, loudly, where these are missing.

use crate::support::{BUDGET, Scratch, expect, program, run, slowed};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A smoke run of SACS'10, which has every kind of figure but one.
fn reproduced(scratch: &Scratch) -> PathBuf {
    let output = program()
        .args(["reproduce", "sacs10", "--scale", "smoke", "--json", "--out"])
        .arg(&scratch.0)
        .output()
        .unwrap();
    expect(&output, 0);
    scratch.path("sacs10-smoke")
}

fn answers(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| answers(name, &["--version"]));
    found.filter(|_| answers("python3", &["-c", "import playwright"]))
}

fn path_of(program: &str) -> String {
    let output = Command::new("which").arg(program).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

#[test]
fn the_report_works_in_a_browser_without_a_network() {
    let Some(browser) = browser() else {
        eprintln!("SKIPPED: no Chromium, or no playwright for python3; the report is not tried");
        return;
    };
    let scratch = Scratch::new();
    let report = reproduced(&scratch).join("report.html");
    let seen = looked_at(browser, &[&report]);
    let seen = &seen[report.to_str().unwrap()];
    assert_accessible(seen);
    let used = &seen["used"];
    assert!(
        used["contents"].as_u64().unwrap() >= 9 && used["sections"] == used["contents"],
        "{used}"
    );
    let figures = used["figures"].as_object().unwrap();
    assert_eq!(figures.len(), 7, "{used}");
    for (figure, shown) in figures {
        assert!(shown.as_str().is_some_and(|text| !text.is_empty()), "{figure}: {used}");
    }
    // which mark lies below the pointer depends on the times: a measurement or a curve
    let shown = |figure: &str| used["figures"][figure].as_str().unwrap();
    let row_or_curve = |text: &str| text.contains("row ") || text.contains("O(p");
    assert!(row_or_curve(shown("density")) && row_or_curve(shown("components")), "{used}");
    for name in used["names"].as_array().unwrap() {
        assert!(name.as_str().is_some_and(|name| name.len() > 30), "{used}");
    }
    assert_claims_sort(&used["claims"]);
    assert_rows_follow(&used["rows"]);
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn assert_claims_sort(claims: &Value) {
    let mut sorted = texts(&claims[0]);
    sorted.sort_unstable();
    assert_eq!(texts(&claims[1]["cells"]), sorted);
    sorted.reverse();
    assert_eq!(texts(&claims[2]["cells"]), sorted);
    assert_eq!([&claims[1]["aria"], &claims[2]["aria"]], ["ascending", "descending"]);
}

/// The table of rows shows what is filtered and what a zoomed figure shows.
fn assert_rows_follow(rows: &Value) {
    let count = |what: &str| -> u64 {
        rows[what].as_str().unwrap().split(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(count("all"), 1080, "{rows}");
    assert_eq!((count("one backend"), count("row 17")), (540, 1), "{rows}");
    assert_eq!(texts(&rows["backends"]).len(), 1, "{rows}");
    // all rows are sorted, not those in sight, and rows without a time come last either way
    let first = |end: &str| texts(&rows[end])[0].parse::<f64>().unwrap();
    assert!(first("fastest") < first("slowest"), "{rows}");
    assert!((1..1080).contains(&count("zoomed")) && rows["zooms"] == true, "{rows}");
    assert_eq!(count("whole again"), 1080, "{rows}");
    // a panel is shown with its axes; within it rulers take their place
    assert_eq!((&rows["rulers of a panel"], &rows["rulers of the whole"]), (&0.into(), &0.into()));
    let rulers = texts(&rows["rulers"]);
    let axes = rulers.iter().filter(|text| text.contains("p (") || text.contains("t ("));
    assert!(axes.count() == 2 && rulers.len() > 4, "{rows}");
}

/// Pages in three widths, light and dark. `PIDLAB_AXE` names the axe.min.js of the npm package axe-core.
fn looked_at(browser: &str, pages: &[&Path]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/harness/browser.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(path_of(browser)).args(pages);
    match std::env::var_os("PIDLAB_AXE") {
        Some(axe) => _ = command.arg("--axe").arg(axe),
        None => eprintln!("SKIPPED: PIDLAB_AXE does not name axe.min.js; axe-core is not run"),
    }
    let output = command.output().unwrap();
    expect(&output, 0);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn assert_accessible(seen: &Value) {
    for (what, nothing) in [
        ("console", serde_json::json!([])),
        ("requests", serde_json::json!([])),
        ("violations", serde_json::json!({})),
        ("wider", serde_json::json!({})),
    ] {
        assert_eq!(seen[what], nothing, "{what}: {seen}");
    }
    assert!(
        seen["verdicts_visible"].as_object().unwrap().values().all(|all| all == true),
        "{seen}"
    );
}

/// A history of eight commits, of which the last four are slower.
fn history(scratch: &Scratch) -> PathBuf {
    let sizes = "{ from = 16, to = 60, count = 8 }";
    let experiment = scratch.experiment(r#"["canon", "refine"]"#, sizes, BUDGET);
    let (fast, slow) = (scratch.path("fast"), scratch.path("slow"));
    expect(&run(&experiment, &fast, &[]), 0);
    let slowed = slowed(scratch, "canon=10");
    let measured =
        Command::new(slowed).arg("run").arg(&experiment).arg("--out").arg(&slow).output();
    expect(&measured.unwrap(), 0);
    let page = scratch.path("history.html");
    for commit in 1..=8 {
        let name = format!("abcdef{commit}");
        let mut track = program();
        track.args(["track", "--commit-url", "https://example.org/commit/", "--commit", &name]);
        track.arg("--history").arg(scratch.path("history")).arg("--page").arg(&page);
        expect(&track.arg(if commit < 5 { &fast } else { &slow }).output().unwrap(), 0);
    }
    page
}

fn tournament(scratch: &Scratch) -> PathBuf {
    let cup = scratch.path("cup");
    let mut command = program();
    command.args([
        "tournament",
        "--scale",
        "smoke",
        "--timeout",
        "100ms",
        "--backend",
        "canon,refine,wl",
    ]);
    expect(&command.args(["--family", "random,cubic", "--out"]).arg(&cup).output().unwrap(), 0);
    cup.join("tournament.html")
}

#[test]
fn pages_of_tournaments_and_histories_work_in_a_browser() {
    let Some(browser) = browser() else {
        return eprintln!("SKIPPED: no Chromium, or no playwright for python3; no page is tried");
    };
    let scratch = Scratch::new();
    let (cup, history) = (tournament(&scratch), history(&scratch));
    let seen = looked_at(browser, &[&cup, &history]);
    for page in [&cup, &history] {
        assert_accessible(&seen[page.to_str().unwrap()]);
    }
    let used = &seen[history.to_str().unwrap()]["used"];
    assert!(used["sparkline"].as_str().unwrap().contains("abcdef"), "{used}");
    assert_eq!(used["commit"], "https://example.org/commit/abcdef4", "{used}");
}

#[test]
#[ignore = "a minute or two: every published experiment"]
fn the_index_works_in_a_browser() {
    let Some(browser) = browser() else {
        return eprintln!("SKIPPED: no Chromium, or no playwright for python3; no page is tried");
    };
    let scratch = Scratch::new();
    let mut all = program();
    all.args(["reproduce", "all", "--scale", "smoke", "--out"]).arg(&scratch.0);
    expect(&all.output().unwrap(), 0);
    let mut pages = vec![scratch.path("index.html")];
    for entry in std::fs::read_dir(&scratch.0).unwrap() {
        let report = entry.unwrap().path().join("report.html");
        pages.extend(report.is_file().then_some(report));
    }
    assert!(pages.len() > 10, "{pages:?}");
    let seen = looked_at(browser, &pages.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    for page in &pages {
        assert_accessible(&seen[page.to_str().unwrap()]);
    }
}

/// 100,000 points on a page: it loads from disk within a second, or ten on a busy machine.
#[test]
fn a_page_of_many_points_loads_at_once() {
    let Some(browser) = browser() else {
        return eprintln!("SKIPPED: no Chromium, or no playwright for python3; no page is loaded");
    };
    let scratch = Scratch::new();
    let file = scratch.path("many.toml");
    let text = "name = \"many\"\nbackends = [\"canon\", \"refine\"]\n\
        [[states]]\nlabel = \"random\"\nrandom = { locations = 2 }\n\
        [[transformations]]\nlabel = \"rename\"\nsteps = [{ kind = \"rename\" }]\n\
        [scale.small]\nsizes = { from = 4, to = 40, count = 37 }\nstates = 1351\n\
        [scale.smoke]\nsizes = [4]\n[scale.paper]\nsizes = [4]\n";
    std::fs::write(&file, text).unwrap();
    let run = scratch.path("run");
    for command in [&["run", file.to_str().unwrap(), "--out"][..], &["report"][..]] {
        expect(&program().args(command).arg(&run).output().unwrap(), 0);
    }
    let page = run.join("report.html");
    let seen = looked_at(browser, &[&page]);
    let seen = &seen[page.to_str().unwrap()];
    assert!(seen["used"]["rows"]["all"].as_str().unwrap().starts_with("99974 of 99974"), "{seen}");
    assert_accessible(seen);
    // shades stand for many rows each: zooming into them leaves those in sight
    let zoomed = seen["used"]["rows"]["density zoomed"].as_str().unwrap();
    let left: u64 = zoomed.split(' ').next().unwrap().parse().unwrap();
    assert!((1..99974).contains(&left), "{seen}");
    let seconds = seen["seconds"].as_f64().unwrap();
    eprintln!("a page of 99,974 points loads in {seconds:.2} s");
    assert!(seconds < 10.0, "{seen}");
}

#[test]
fn every_figure_compiles_with_latex() {
    let packages = answers("pdflatex", &["--version"]) && answers("kpsewhich", &["pgfplots.sty"]);
    if !packages {
        eprintln!("SKIPPED: no pdflatex with pgfplots; the .tex figures are not compiled");
        return;
    }
    let scratch = Scratch::new();
    let figures = reproduced(&scratch).join("figures");
    let mut compiled = 0;
    for entry in std::fs::read_dir(&figures).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "tex") {
            compile(&path, &scratch.0);
            compiled += 1;
        }
    }
    assert_eq!(compiled, 7);
}

fn compile(figure: &Path, folder: &Path) {
    let main = folder.join("main.tex");
    let text = format!(
        "\\documentclass{{article}}\\usepackage{{pgfplots}}\\pgfplotsset{{compat=1.16}}\n\\usepgfplotslibrary{{groupplots}}\\begin{{document}}\\noindent\\input{{{}}}\\end{{document}}\n",
        figure.display()
    );
    std::fs::write(&main, text).unwrap();
    let output = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "main.tex"])
        .current_dir(folder)
        .output()
        .unwrap();
    let last = &output.stdout[output.stdout.len().saturating_sub(2000)..];
    let tail = String::from_utf8_lossy(last);
    assert!(output.status.success(), "{}: {tail}", figure.display());
}
