//! The report in a real browser and the figures in a real TeX; skipped, loudly, where these are missing.

use crate::support::{Scratch, expect, program};
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
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/harness/browser.py");
    let output =
        Command::new("python3").arg(script).arg(report).arg(path_of(browser)).output().unwrap();
    expect(&output, 0);
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(seen["console"], serde_json::json!([]), "{seen}");
    assert_eq!(seen["requests"], serde_json::json!([]), "{seen}");
    let figures = seen["figures"].as_object().unwrap();
    assert_eq!(figures.len(), 7, "{seen}");
    for (figure, shown) in figures {
        assert!(shown.as_str().is_some_and(|text| !text.is_empty()), "{figure}: {seen}");
    }
    // which mark lies below the pointer depends on the times: a measurement or a curve
    let shown = |figure: &str| seen["figures"][figure].as_str().unwrap();
    let row_or_curve = |text: &str| text.contains("row ") || text.contains("O(p");
    assert!(row_or_curve(shown("density")) && row_or_curve(shown("components")), "{seen}");
    let texts = |number: usize| -> Vec<&str> {
        let list = seen["claims"][number].as_array().unwrap();
        list.iter().map(|text| text.as_str().unwrap()).collect()
    };
    let mut sorted = texts(0);
    sorted.sort_unstable();
    assert_eq!(texts(1), sorted);
    sorted.reverse();
    assert_eq!(texts(2), sorted);
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
