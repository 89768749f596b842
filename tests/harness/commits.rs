//! `pidlab compare` of two commits: both are built in worktrees of their own.

use crate::support::{BUDGET, Scratch, expect, program, text};
use std::path::Path;
use std::process::Command;

fn sh(folder: &Path, script: &str) -> String {
    let output = Command::new("sh").current_dir(folder).args(["-ec", script]).output().unwrap();
    assert!(output.status.success(), "{script}: {}", text(&output.stderr));
    text(&output.stdout).trim().to_string()
}

/// A repository whose `pidlab` hands everything on to the program under test; its second commit makes
/// `canon` slower on the way.
fn repository(scratch: &Scratch) -> (String, String) {
    let folder = scratch.path("repo");
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let manifest =
        "[package]\nname = \"pidlab\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let main = |slowdown: &str| {
        format!(
            "use std::os::unix::process::CommandExt;\nfn main() {{\n    let mut c = std::process::Command::new({:?});\n    c.args(std::env::args_os().skip(1)).env_remove(\"PIDLAB_TEST_SLOWDOWN\"){slowdown};\n    panic!(\"{{}}\", c.exec());\n}}\n",
            env!("CARGO_BIN_EXE_pidlab")
        )
    };
    let identity = "-c user.name=test -c user.email=test@example.org";
    std::fs::write(folder.join("src/main.rs"), main("")).unwrap();
    sh(&folder, &format!("git init -q . && git add . && git {identity} commit -qm one"));
    let slower = main(".env(\"PIDLAB_TEST_SLOWDOWN\", \"canon=5\")");
    std::fs::write(folder.join("src/main.rs"), slower).unwrap();
    sh(&folder, &format!("git {identity} commit -qam two"));
    (sh(&folder, "git rev-parse HEAD~1"), sh(&folder, "git rev-parse HEAD"))
}

#[test]
fn two_commits_are_built_and_compared() {
    let tools = ["git", "cargo"];
    if tools.iter().any(|tool| Command::new(tool).arg("--version").output().is_err()) {
        eprintln!("SKIPPED: git or cargo is not here");
        return;
    }
    let scratch = Scratch::new();
    let experiment =
        scratch.experiment(r#"["canon"]"#, "{ from = 16, to = 60, count = 8 }", BUDGET);
    let (one, two) = repository(&scratch);
    let compare = |base: &str, new: &str| {
        program()
            .current_dir(scratch.path("repo"))
            .args(["compare", base, new, "--rounds", "5", "--instructions", "off"])
            .arg("--experiment")
            .arg(&experiment)
            .arg("--out")
            .arg(scratch.path("out"))
            .output()
            .unwrap()
    };
    let slower = compare(&one[..9], "HEAD");
    expect(&slower, 1);
    let said = text(&slower.stdout);
    assert!(said.contains(&one[..12]) && said.contains(&two[..12]), "{said}");
    // built once: the second comparison finds both programs
    let faster = compare("HEAD", "HEAD~1");
    expect(&faster, 0);
    assert!(!text(&faster.stderr).contains("building"), "{}", text(&faster.stderr));
    assert_eq!(sh(&scratch.path("repo"), "git worktree list | wc -l"), "1");
    let unknown = compare("HEAD", "no-such-commit");
    expect(&unknown, 2);
    assert!(text(&unknown.stderr).contains("not a run folder, a program or a commit"));
}
