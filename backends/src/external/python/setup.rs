//! Makes the Python environment of the adapters: a venv in the user's cache, with pinned versions.
//!
//! It is made in a folder beside its place and renamed when it is complete, so there is never half of one.
//! A record inside (`pidlab-python.json`) says what is installed; it is written first, as incomplete, and marks
//! the folder as ours: a folder without it is never changed or removed. One process at a time makes it.

use super::interpreter::Interpreter;
use super::packages::{self, Versions};
use pidlab_core::printable::printable;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use thiserror::Error;

/// The format of the record in an environment.
pub const FORMAT: &str = "pidlab-python/1";
const RECORD: &str = "pidlab-python.json";
/// How folders begin that are on their way in or out.
const PASSING: &str = "python-passing-";

/// Why there is no environment.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "each variant carries its message")]
pub enum SetupError {
    #[error("there is no home folder: set XDG_CACHE_HOME or HOME")]
    NoHome,
    #[error("there are no packages `{name}`; known are {known}")]
    Unknown { name: String, known: String },
    #[error("{0}; install Python 3.11 or later, or name one with PIDLAB_PYTHON")]
    NoPython(String),
    #[error("{} is not an environment that pidlab made; move it away or set XDG_CACHE_HOME to another folder", .0.display())]
    Foreign(PathBuf),
    #[error("another process is making {}; wait for it", .0.display())]
    Busy(PathBuf),
    #[error("{what} failed, and nothing was changed; its last lines:\n{words}")]
    Step { what: &'static str, words: String },
    #[error("{}: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
}

/// What is in an environment.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// [`FORMAT`].
    pub format: String,
    /// Whether it was made to its end.
    pub complete: bool,
    /// Its version.
    pub python: String,
    /// Sections of the list of packages.
    pub with: Vec<String>,
    /// Every package with its version.
    pub packages: Versions,
}

/// An environment, and whether it had to be made.
pub struct Environment {
    /// Where it is.
    pub folder: PathBuf,
    /// What is in it.
    pub record: Record,
    /// Whether it had to be made or added to.
    pub changed: bool,
}

/// Where the environment is: `pidlab/python` in the user's cache.
pub fn folder() -> Result<PathBuf, SetupError> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Ok(cache.ok_or(SetupError::NoHome)?.join("pidlab").join("python"))
}

/// The Python of an environment.
pub fn program_in(folder: &Path) -> PathBuf {
    match cfg!(windows) {
        true => folder.join("Scripts").join("python.exe"),
        false => folder.join("bin").join("python"),
    }
}

/// Whether a folder holds an environment that was made to its end.
pub fn is_complete(folder: &Path) -> bool {
    read(folder).is_some_and(|record| record.complete)
}

/// Sees to it that there is an environment with these sections, all if none is named, and with those it had.
pub fn make(folder: &Path, with: &[String], python: &OsStr) -> Result<Environment, SetupError> {
    let mut with = chosen(with)?;
    let parent = folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(at(parent))?;
    let _lock = lock(parent, folder)?;
    remove_passing(parent)?;
    let before = existing(folder)?;
    if let Some(record) = &before {
        with.extend(
            record.with.iter().filter(|had| packages::sections().contains(&had.as_str())).cloned(),
        );
        with.sort();
        with.dedup();
        if let Some(record) = up_to_date(folder, record, &with) {
            return Ok(Environment { folder: folder.to_path_buf(), record, changed: false });
        }
    }
    let base = Interpreter::ask(python).map_err(SetupError::NoPython)?;
    let new = passing(parent, "new");
    let made = build(&new, &base, with).and_then(|record| {
        replace(folder, &new, before.is_some())?;
        Ok(record)
    });
    match made {
        Ok(record) => Ok(Environment { folder: folder.to_path_buf(), record, changed: true }),
        Err(error) => {
            remove_ours(&new)?;
            Err(error)
        }
    }
}

fn chosen(with: &[String]) -> Result<Vec<String>, SetupError> {
    let known = packages::sections();
    if let Some(name) = with.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(SetupError::Unknown { name: name.clone(), known: known.join(", ") });
    }
    let mut with = match with.is_empty() {
        true => known.into_iter().map(str::to_string).collect(),
        false => with.to_vec(),
    };
    with.sort();
    with.dedup();
    Ok(with)
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> SetupError {
    let path = path.to_path_buf();
    move |source| SetupError::Folder { path, source }
}

/// Held until the file is closed.
fn lock(parent: &Path, folder: &Path) -> Result<File, SetupError> {
    let path = parent.join("python.lock");
    let file = File::options().create(true).append(true).open(&path).map_err(at(&path))?;
    match is_taken(&file) {
        false => Ok(file),
        true => Err(SetupError::Busy(folder.to_path_buf())),
    }
}

#[cfg(unix)]
fn is_taken(file: &File) -> bool {
    use rustix::fs::{FlockOperation, flock};
    flock(file, FlockOperation::NonBlockingLockExclusive).is_err()
}

#[cfg(not(unix))]
fn is_taken(_file: &File) -> bool {
    false
}

fn passing(parent: &Path, what: &str) -> PathBuf {
    parent.join(format!("{PASSING}{what}-{}", std::process::id()))
}

/// What a process that was killed has left; the lock says that none is at work.
fn remove_passing(parent: &Path) -> Result<(), SetupError> {
    for entry in fs::read_dir(parent).map_err(at(parent))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(PASSING) {
            remove_ours(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes a folder that has our record; leaves any other as it is.
fn remove_ours(folder: &Path) -> Result<(), SetupError> {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    match is_folder && read(folder).is_some() {
        true => fs::remove_dir_all(folder).map_err(at(folder)),
        false => Ok(()),
    }
}

fn read(folder: &Path) -> Option<Record> {
    let text = fs::read(folder.join(RECORD)).ok()?;
    serde_json::from_slice(&text).ok().filter(|record: &Record| record.format == FORMAT)
}

/// The record of what is in our place; an error if that is not ours.
fn existing(folder: &Path) -> Result<Option<Record>, SetupError> {
    let foreign = || SetupError::Foreign(folder.to_path_buf());
    match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(folder)(error)),
        Ok(found) if found.is_dir() => read(folder).map(Some).ok_or_else(foreign),
        Ok(_) => Err(foreign()),
    }
}

/// The record, if all that is wanted is there in the wanted versions and its Python runs.
fn up_to_date(folder: &Path, record: &Record, with: &[String]) -> Option<Record> {
    let python = Interpreter::ask(program_in(folder).as_os_str()).ok()?;
    let wanted = packages::of_sections(with);
    let there = wanted.iter().all(|(name, version)| python.packages.get(name) == Some(version));
    (record.complete && record.with == with && there).then(|| record.clone())
}

/// A whole environment in a folder of its own.
fn build(folder: &Path, base: &Interpreter, with: Vec<String>) -> Result<Record, SetupError> {
    fs::create_dir(folder).map_err(at(folder))?;
    let mut record = Record {
        format: FORMAT.into(),
        complete: false,
        python: base.python.clone(),
        with,
        packages: Versions::new(),
    };
    write(folder, &record)?;
    let mut venv = Command::new(&base.program);
    run("making the environment", venv.args(["-m", "venv"]).arg(folder))?;
    let python = program_in(folder);
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-input"]);
    let wanted = packages::of_sections(&record.with);
    install.args(wanted.iter().map(|(name, version)| format!("{name}=={version}")));
    run("installing the packages", &mut install)?;
    record.packages = installed(&python)?;
    record.complete = true;
    write(folder, &record)?;
    Ok(record)
}

/// Every package of an environment, those that came along too.
fn installed(python: &Path) -> Result<Versions, SetupError> {
    let mut list = Command::new(python);
    list.args(["-m", "pip", "list", "--disable-pip-version-check", "--format=freeze"]);
    let text = run("listing the packages", &mut list)?;
    let pairs = text.lines().filter_map(|line| line.trim().split_once("=="));
    Ok(pairs.map(|(name, version)| (name.to_string(), version.to_string())).collect())
}

fn write(folder: &Path, record: &Record) -> Result<(), SetupError> {
    let path = folder.join(RECORD);
    let text = serde_json::to_vec_pretty(record).map_err(|error| at(&path)(error.into()))?;
    fs::write(&path, text).map_err(at(&path))
}

/// What a command printed; its last lines are the error if it fails.
fn run(what: &'static str, command: &mut Command) -> Result<String, SetupError> {
    const KEPT: usize = 12;
    let failed = |words: String| SetupError::Step { what, words };
    let output = command.stdin(Stdio::null()).output().map_err(|e| failed(e.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let all = format!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = all.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(KEPT)..];
    Err(failed(last.iter().map(|line| format!("  {}\n", printable(line))).collect()))
}

/// Puts the new environment in its place; the old one, which has our record, goes away.
fn replace(folder: &Path, new: &Path, there_is_an_old_one: bool) -> Result<(), SetupError> {
    let old = passing(folder.parent().unwrap_or(Path::new(".")), "old");
    if there_is_an_old_one {
        fs::rename(folder, &old).map_err(at(folder))?;
    }
    if let Err(error) = fs::rename(new, folder) {
        if there_is_an_old_one {
            fs::rename(&old, folder).map_err(at(folder))?;
        }
        return Err(at(folder)(error));
    }
    remove_ours(&old)
}
