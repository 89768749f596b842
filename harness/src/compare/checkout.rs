//! A commit made into a program: its own worktree, a target directory for all of them.
//!
//! The target directory is shared because cargo keeps packages of different worktrees apart in it by
//! their paths, while the dependencies, most of the work by far, are compiled once. The finished
//! program is copied out under its commit's name and used again next time.

use super::subject::Program;
use crate::remedy::Remedy;
use crate::store::folder::Folder;
use anyhow::{Context, bail};
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The full name of a commit, if there is a repository here that knows it.
pub fn commit(revision: &str) -> Option<String> {
    if revision.starts_with('-') {
        return None;
    }
    git(Path::new("."), &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])
}

/// First line of what git answers; nothing if it fails.
pub fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").current_dir(folder).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}

pub fn build(commit: &str, build_dir: Option<&Path>) -> anyhow::Result<Program> {
    let short = &commit[..commit.len().min(12)];
    let top = git(Path::new("."), &["rev-parse", "--show-toplevel"])
        .context("not in a git repository: commits can only be compared inside one")?;
    let cache = match build_dir {
        Some(folder) => std::path::absolute(folder)?,
        None => Path::new(&top).join("target/compare"),
    };
    let files = Folder::open(&cache).map_err(|error| {
        Remedy::BuildFolder.refuse(format!("cannot build in {}: {error}", cache.display()))
    })?;
    let (name, tree) = (format!("pidlab-{short}"), format!("tree-{short}"));
    let program = cache.join(&name);
    if !program.is_file() {
        note!("building {short} in {}", cache.display());
        files.claim(&[&name])?;
        files.claim_folder(&tree)?;
        let tree = cache.join(tree);
        check_out(Path::new(&top), &tree, commit)?;
        let built = compile(&tree, &cache.join("target"))?;
        keep(&files, &name, &built)?;
        discard(Path::new(&top), &tree);
    }
    Program::open(&program, Some(short.to_string()))
}

/// Keeps a program under its own name.
fn keep(files: &Folder, name: &str, built: &Path) -> anyhow::Result<()> {
    let mut program =
        File::open(built).with_context(|| format!("cannot read {}", built.display()))?;
    files.write_with(name, |file| {
        std::io::copy(&mut program, file)?;
        Ok(file.set_permissions(Permissions::from_mode(0o755))?)
    })?;
    Ok(())
}

fn check_out(top: &Path, tree: &Path, commit: &str) -> anyhow::Result<()> {
    // an interrupted build may have left one behind
    discard(top, tree);
    let status = Command::new("git")
        .current_dir(top)
        .args(["worktree", "add", "--quiet", "--force", "--detach"])
        .arg(tree)
        .arg(commit)
        .stdout(Stdio::null())
        .status()
        .context("cannot start git")?;
    match status.success() {
        true => Ok(()),
        false => bail!("git cannot check out {commit} in {}", tree.display()),
    }
}

fn discard(top: &Path, tree: &Path) {
    if tree.exists() {
        git(top, &["worktree", "remove", "--force", &tree.to_string_lossy()]);
        std::fs::remove_dir_all(tree).ok();
    }
    git(top, &["worktree", "prune"]);
}

fn compile(tree: &Path, target: &Path) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(tree)
        .args(["build", "--release", "--bin", "pidlab", "--target-dir"])
        .arg(target)
        .stdout(Stdio::from(std::io::stderr()))
        .status()
        .context("cannot start cargo; commits need a Rust toolchain")?;
    if !status.success() {
        bail!("{} does not build; cargo's messages are above", tree.display());
    }
    Ok(target.join("release/pidlab"))
}
