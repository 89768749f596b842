//! The first hour of the README: exactly its commands, in an empty home and an empty folder, with nothing of the repository
//! at hand but the program.
//!
//! `PIDLAB_INSTALL=1` also runs the installation, which takes as long as it says; otherwise the program that was
//! built for the tests is the one on the path.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A command of the page and the exit code it states.
struct Step {
    line: String,
    code: i32,
}

/// The commands between a heading and the next.
fn steps(heading: &str) -> Vec<Step> {
    let page = std::fs::read_to_string("README.md").unwrap();
    let (_, rest) = page.split_once(&format!("\n## {heading}\n")).expect("the heading is gone");
    let section = rest.split("\n## ").next().unwrap();
    let lines = section.lines().filter_map(|line| line.strip_prefix("$ "));
    let step = |line: &str| Step {
        code: line.rsplit_once("# exit ").map_or(0, |(_, code)| code.trim().parse().unwrap()),
        line: line.to_string(),
    };
    lines.map(step).collect()
}

struct Home(PathBuf);

impl Home {
    fn new() -> Home {
        let path = std::env::temp_dir().join(format!("pidlab-hour-{}", std::process::id()));
        for folder in ["home/.cargo/bin", "work"] {
            std::fs::create_dir_all(path.join(folder)).unwrap();
        }
        Home(path)
    }

    /// Puts the program where `cargo install` puts it.
    fn install(&self) {
        let root = self.0.join("home/.cargo");
        if std::env::var_os("PIDLAB_INSTALL").is_none() {
            let program = env!("CARGO_BIN_EXE_pidlab");
            return std::os::unix::fs::symlink(program, root.join("bin/pidlab")).unwrap();
        }
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["install", "--path", ".", "--locked", "--root"]).arg(&root);
        assert!(cargo.status().unwrap().success(), "cargo install --path .");
    }

    fn run(&self, step: &Step) -> String {
        let home = self.0.join("home");
        let path =
            format!("{}:{}", home.join(".cargo/bin").display(), std::env::var("PATH").unwrap());
        let output = Command::new("bash")
            .args(["-c", &step.line])
            .current_dir(self.0.join("work"))
            .env_clear()
            .env("HOME", &home)
            .env("PATH", path)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(step.code), "{}\n{said}{told}", step.line);
        assert!(!told.contains("FAILED"), "{}\n{told}", step.line);
        said
    }

    fn has(&self, file: &str) -> bool {
        self.0.join("work").join(file).exists()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success())
}

#[test]
fn the_first_hour_of_the_readme() {
    if !has_python() {
        return eprintln!(
            "SKIPPED: python3 is not installed; the first hour needs it for its own backend"
        );
    }
    let home = Home::new();
    home.install();
    let steps = steps("The first hour");
    assert!(steps.len() >= 12, "{} commands", steps.len());
    let mut printed = String::new();
    for step in &steps {
        printed.push_str(&home.run(step));
    }
    for file in [
        "papers/sacs10-smoke/report.html",
        "own/report.html",
        "own/figures/cactus-84mm.pdf",
        "gate/base/manifest.json",
        "gate/new/manifest.json",
    ] {
        assert!(home.has(file), "{file} is not there");
    }
    assert!(printed.contains("claims: ") && printed.contains("verdict:"), "{printed}");
    let rows = std::fs::read_to_string(home.0.join("work/own/rows.csv")).unwrap();
    assert!(rows.contains(",my-backend,"), "the own backend has no rows under its name");
    // nothing was left where it was not asked for
    let left: Vec<_> = std::fs::read_dir(home.0.join("home")).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| entry.file_name() == ".cargo"), "{left:?}");
}
