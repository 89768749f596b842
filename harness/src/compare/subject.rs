//! What is compared: a run folder, a program, or a commit that is built first.

use super::checkout;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// One side of a comparison as the user named it.
pub enum Subject {
    /// A folder.
    Run(PathBuf),
    /// A program, perhaps one that was built for this.
    Program(Program),
}

/// A pidlab that can be asked for workers.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable file.
    pub path: PathBuf,
    /// The commit it was built from, if we built it or it is this program.
    pub built_from: Option<String>,
    /// Of the file's bytes: two programs with the same digest are the same program.
    pub digest: u32,
}

impl Program {
    /// Opens an executable file.
    pub fn open(path: &Path, built_from: Option<String>) -> anyhow::Result<Program> {
        let bytes = std::fs::read(path)
            .with_context(|| format!("cannot read the program {}", path.display()))?;
        let path = path.canonicalize().with_context(|| format!("{}", path.display()))?;
        if !is_executable(&path) {
            bail!("{} is not executable; build it, or chmod +x a script", path.display());
        }
        Ok(Program { path, built_from, digest: crc32fast::hash(&bytes) })
    }

    /// The program that runs now.
    pub fn own() -> anyhow::Result<Program> {
        Program::open(
            &crate::execute::pool::own_program()?,
            Some(crate::built_in::get().commit.into()),
        )
    }

    /// What manifests say in place of a commit.
    pub fn commit(&self) -> String {
        match &self.built_from {
            Some(commit) => commit.clone(),
            None => format!("program-{:08x}", self.digest),
        }
    }

    /// What documents call it.
    pub fn name(&self) -> String {
        match &self.built_from {
            Some(commit) => format!("{} ({commit})", self.path.display()),
            None => self.path.display().to_string(),
        }
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// A folder is a run, a file a program, anything else a commit of the repository we are in.
pub fn resolve(name: &str, build_dir: Option<&Path>) -> anyhow::Result<Subject> {
    let path = Path::new(name);
    if path.is_dir() {
        return Ok(Subject::Run(path.to_path_buf()));
    }
    if path.is_file() {
        return Ok(Subject::Program(Program::open(path, None)?));
    }
    let Some(commit) = checkout::commit(name) else {
        bail!(
            "`{name}` is not a run folder, a program or a commit of the repository here; name one of these"
        );
    };
    Ok(Subject::Program(checkout::build(&commit, build_dir)?))
}
