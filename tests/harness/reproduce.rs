//! From run to report: one JSON document, figures in every form, a page without outside references.

use crate::support::{BUDGET, Scratch, expect, program, run, text};

#[test]
fn analyse_plot_and_report_a_run() {
    let scratch = Scratch::new();
    let sizes = "{ from = 10, to = 80, count = 15 }";
    let experiment = scratch.experiment(r#"["canon", "vf2"]"#, sizes, BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    for command in ["analyse", "plot", "report"] {
        let output = program().arg(command).arg(&out).arg("--json").output().unwrap();
        expect(&output, 0);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(document["format"].as_str().unwrap().starts_with("pidlab-"), "{command}");
    }
    for figure in ["density", "exponents", "versus", "cactus", "orders", "residuals"] {
        for ending in [".svg", "-84mm.pdf", "-174mm.pdf", ".tex", ".csv", ".txt"] {
            let path = out.join("figures").join(format!("{figure}{ending}"));
            assert!(std::fs::metadata(&path).unwrap().len() > 0, "{}", path.display());
        }
    }
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    let again =
        "pidlab run experiment.toml --scale small --seed 2010 --backend canon --backend vf2";
    assert!(page.contains(again), "{page}");
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http://") && !outside.contains("https://"));
    assert!(page.contains("row ") && page.contains("<svg"));
}

#[test]
fn an_unfinished_run_says_how_to_go_on() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["canon"]"#, "[10]", BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    std::fs::remove_file(out.join("rows.parquet")).unwrap();
    expect(&program().arg("analyse").arg(&out).output().unwrap(), 0);
    std::fs::remove_file(out.join("rows.csv")).unwrap();
    let refused = program().arg("analyse").arg(&out).output().unwrap();
    expect(&refused, 2);
    assert!(text(&refused.stderr).contains("pidlab run"), "{}", text(&refused.stderr));
}

/// Charts and drawn state graphs lie under names with an ending, each with its caption.
#[test]
fn every_figure_has_its_files() {
    let scratch = Scratch::new();
    let out = scratch.path("run");
    let run = program()
        .args(["run", "ictac08", "--scale", "smoke", "--backend", "canon", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    expect(&run, 0);
    let plotted = program().args(["plot", "--json"]).arg(&out).output().unwrap();
    expect(&plotted, 0);
    let document: serde_json::Value = serde_json::from_slice(&plotted.stdout).unwrap();
    let figures = document["figures"].as_array().unwrap();
    assert!(figures.iter().any(|f| f["name"].as_str().unwrap().starts_with("state-graph")));
    for figure in figures {
        let path = std::path::Path::new(figure["path"].as_str().unwrap());
        assert_eq!(path.extension().unwrap(), "svg");
        assert!(path.is_file() && path.with_extension("txt").is_file(), "{figure}");
    }
}

#[test]
fn reproduce_prints_claims_beside_the_papers() {
    let scratch = Scratch::new();
    let output = program()
        .args(["reproduce", "hard-families", "--scale", "smoke", "--json", "--out"])
        .arg(&scratch.0)
        .output()
        .unwrap();
    expect(&output, 0);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let page = std::fs::read_to_string(scratch.path("hard-families-smoke/report.html")).unwrap();
    let again = "<code>pidlab reproduce hard-families --scale smoke --seed 2010</code>";
    assert!(page.contains(again), "{page}");
    let claims = document["claims"].as_array().unwrap();
    assert!(!claims.is_empty());
    for claim in claims {
        for field in ["id", "paper", "ours", "verdict"] {
            assert!(claim[field].is_string(), "{field} in {claim}");
        }
    }
}

/// After an update of the program, or with another seed, the folder of the experiment holds a run of other settings.
#[test]
fn a_run_of_other_settings_is_kept_beside_the_new_one() {
    let scratch = Scratch::new();
    let reproduce = |seed: &str, out: &str| {
        let mut command = program();
        command.args(["reproduce", "relations", "--scale", "smoke", "--seed", seed, "--out"]);
        let output = command.arg(scratch.path(out)).output().unwrap();
        expect(&output, 0);
        text(&output.stderr).to_string()
    };
    let runs = |out: &str| std::fs::read_dir(scratch.path(out)).unwrap().count();
    assert!(!reproduce("1", "one").contains("another run") && runs("one") == 1);
    let said = reproduce("2", "one");
    assert!(said.contains("seed 1, now 2") && said.contains("it is kept"), "{said}");
    reproduce("2", "one");
    assert_eq!(runs("one"), 2, "the same command continues the run beside");
    reproduce("2", "two");
    let folders = ["one", "two"].map(|out| scratch.path(out));
    let compared = program().arg("report").args(folders).args(["--claims", "--json"]).output();
    let compared = compared.unwrap();
    let document: serde_json::Value = serde_json::from_slice(&compared.stdout).unwrap();
    assert_eq!(document["claims"][0]["id"], "relations-cost");
    assert_eq!(document["claims"][0]["verdicts"].as_array().unwrap().len(), 2);
    let several = program().arg("report").args([".", "."]).output().unwrap();
    expect(&several, 2);
    assert!(text(&several.stderr).contains("--claims"));
}
