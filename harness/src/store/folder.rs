//! A folder of ours: only files that we wrote are ever replaced or removed.
//!
//! The folder has a list, `pidlab-files.jsonl`: a header, then the name of every file that we write
//! there, a JSON string a line. A folder is used only if it is new, empty, or has such a list. A name
//! is listed before its file is made, so a crash leaves at most a listed file that does not exist;
//! the rest of a line that was cut off is not a JSON string and does not count. A file is replaced or
//! removed only if it is listed and an ordinary file; what is not listed, and any symbolic link, is
//! refused and left as it is. Names are resolved one folder at a time below the folder's own handle,
//! so no link inside leads out of it. A name that ends in `/` stands for another folder of ours.
//!
//! Whoever writes holds a lock on the list for as long as it takes, because all contents go through
//! one file beside the list before they are moved into place. Cost: one reading of the list and one
//! flush to the disk for every file.

use crate::names;
use crate::remedy::Remedy;
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The list itself.
pub const LIST: &str = "pidlab-files.jsonl";
const HEADER: &str = "{\"format\":\"pidlab-files/1\"}\n";
/// New contents, before they are moved into place.
const BESIDE: &str = "pidlab-files.tmp";

/// Why a folder or a name in it cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// What is there is not ours, or not what we left there.
    #[error("{} {problem}", path.display())]
    Foreign {
        /// The folder, or what lies in it.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
        /// What would help.
        #[source]
        remedy: Remedy,
    },
    /// The list of files cannot be read.
    #[error("{}: line {line} is not a list of files of this version: {problem}", .path.display())]
    List {
        /// The list.
        path: PathBuf,
        /// The line of the list.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A name that leads elsewhere.
    #[error("`{name}` cannot name a file: {problem}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The system refuses to write.
    #[error("cannot write {}: {cause}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
        /// What would help.
        #[source]
        remedy: Remedy,
    },
}

impl FolderError {
    fn foreign(path: PathBuf, problem: impl Into<String>) -> FolderError {
        FolderError::Foreign { path, problem: problem.into(), remedy: Remedy::OtherFolder }
    }

    fn unlisted(path: PathBuf) -> FolderError {
        FolderError::foreign(path, "was not written by pidlab and is left as it is; move it")
    }

    fn irregular(path: PathBuf, what: &str) -> FolderError {
        let problem =
            format!("is {what}, not a file that pidlab wrote; it is left as it is; move it");
        FolderError::foreign(path, problem)
    }

    fn io(path: PathBuf, cause: io::Error) -> FolderError {
        FolderError::Io { path, cause, remedy: Remedy::OtherFolder }
    }
}

type Result<T> = std::result::Result<T, FolderError>;

/// A folder with a list of the files that we wrote; nothing else in it is touched.
pub struct Folder {
    path: PathBuf,
    handle: OwnedFd,
}

/// What stands under a name, links not followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Nothing,
    File,
    Folder,
    Other(&'static str),
}

impl Folder {
    /// Opens a folder of ours; one that is new or empty becomes ours.
    pub fn open(path: &Path) -> Result<Folder> {
        let folder = Folder::make(path)?;
        if !folder.has_list()? && !folder.holds_only(&[])? && !folder.has_list()? {
            let problem = format!(
                "is not empty and was not made by pidlab (it has no {LIST}); nothing in it was changed"
            );
            return Err(FolderError::foreign(path.to_path_buf(), problem));
        }
        folder.list()?;
        Ok(folder)
    }

    /// Whether a folder is there and has a list.
    pub fn is_ours(path: &Path) -> bool {
        path.join(LIST).symlink_metadata().is_ok_and(|found| found.is_file())
    }

    fn make(path: &Path) -> Result<Folder> {
        let wrap = |cause| FolderError::io(path.to_path_buf(), cause);
        std::fs::create_dir_all(path).map_err(wrap)?;
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| wrap(e.into()))?;
        Ok(Folder { path: path.to_path_buf(), handle })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a file of the folder is.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The names of all files that we wrote or were about to write, sorted.
    pub fn names(&self) -> Result<BTreeSet<String>> {
        self.list()?.names()
    }

    /// Lists names before their files are made by somebody else; refuses what is there and not ours.
    pub fn claim(&self, names: &[&str]) -> Result<()> {
        self.list()?.claim(names)
    }

    /// Replaces a file of ours, or makes it, in one step.
    pub fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
        self.write_with(name, |file| Ok(file.write_all(bytes)?))
    }

    /// The same with contents that `fill` writes; it must not use this folder otherwise.
    pub fn write_with(
        &self,
        name: &str,
        fill: impl FnOnce(&mut File) -> anyhow::Result<()>,
    ) -> anyhow::Result<PathBuf> {
        let list = self.list()?;
        list.claim(&[name])?;
        let (parent, last) = self.parent(name, true)?.unwrap_or((None, name));
        let mut beside = self.create_beside()?;
        let filled = fill(&mut beside).and_then(|()| Ok(beside.sync_data()?)).and_then(|()| {
            let target = parent.as_ref().unwrap_or(&self.handle);
            Ok(rustix::fs::renameat(&self.handle, BESIDE, target, last)?)
        });
        if let Err(error) = filled {
            rustix::fs::unlinkat(&self.handle, BESIDE, AtFlags::empty()).ok();
            return Err(error.context(format!("cannot write {}", self.path_of(name).display())));
        }
        Ok(self.path_of(name))
    }

    /// A new, empty file of ours in place of an old one.
    pub fn create(&self, name: &str) -> Result<File> {
        let list = self.list()?;
        list.claim(&[name])?;
        let (parent, last) = self.parent(name, true)?.unwrap_or((None, name));
        let parent = parent.as_ref().unwrap_or(&self.handle);
        match rustix::fs::unlinkat(parent, last, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(self.io(name, error)),
        }
        let made = rustix::fs::openat(parent, last, new_file(), Mode::from(0o666));
        made.map(File::from).map_err(|error| self.io(name, error))
    }

    /// An empty file that is only there to be locked; it is never replaced.
    pub fn create_lock(&self, name: &str) -> Result<File> {
        self.list()?.claim(&[name])?;
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = rustix::fs::openat(&self.handle, name, flags, Mode::from(0o666));
        made.map(File::from).map_err(|error| self.io(name, error))
    }

    /// Makes a folder below this one, for files that are claimed; it is gone when they are cleared.
    pub fn make_parent(&self, name: &str) -> Result<()> {
        self.parent(name, true).map(|_| ())
    }

    /// Lists a folder below this one that others fill; refuses one that is there and not listed.
    pub fn claim_folder(&self, name: &str) -> Result<()> {
        let entry = format!("{name}/");
        check(&entry).map_err(|problem| FolderError::Name { name: name.to_string(), problem })?;
        let list = self.list()?;
        match (self.look(name)?, list.names()?.contains(&entry)) {
            (Presence::Nothing, false) => list.append([entry.as_str()]),
            (Presence::Nothing | Presence::Folder, true) => Ok(()),
            (Presence::File | Presence::Folder, _) => {
                Err(FolderError::unlisted(self.path_of(name)))
            }
            (Presence::Other(what), _) => Err(FolderError::irregular(self.path_of(name), what)),
        }
    }

    /// A folder of ours below this one, with a list of its own.
    pub fn subfolder(&self, name: &str) -> Result<Folder> {
        self.claim_folder(name)?;
        self.parent(&format!("{name}/{LIST}"), true)?;
        Folder::open(&self.path.join(name))
    }

    /// Removes a file of ours; nothing happens if it is not there.
    pub fn remove(&self, name: &str) -> Result<()> {
        let list = self.list()?;
        if list.names()?.contains(name) {
            self.refuse_irregular(name)?;
            self.unlink(name)?;
        }
        Ok(())
    }

    /// Removes all files of ours but those to `keep`, and the folders that are empty then. Nothing is
    /// removed if one of the names stands for something else by now.
    pub fn clear(&self, keep: &[&str]) -> Result<()> {
        self.refuse_irregular_anywhere()?;
        let list = self.list()?;
        let names = list.names()?;
        let mut kept = keep.to_vec();
        for name in names.iter().filter(|name| !keep.contains(&name.as_str())) {
            match name.strip_suffix('/') {
                Some(inner) if self.clear_subfolder(inner)? => kept.push(name),
                Some(_) => {}
                None => self.unlink(name)?,
            }
        }
        names.iter().for_each(|name| self.remove_empty_parents(name));
        list.reset(&kept)
    }

    /// Whether the folder stays ours because files of others are in it; else its list goes, too.
    fn clear_subfolder(&self, name: &str) -> Result<bool> {
        let path = self.path.join(name);
        if !Folder::is_ours(&path) {
            return Ok(false);
        }
        let inner = Folder::make(&path)?;
        inner.clear(&[])?;
        if !inner.holds_only(&[BESIDE, LIST])? {
            return Ok(true);
        }
        for own in [BESIDE, LIST] {
            rustix::fs::unlinkat(&inner.handle, own, AtFlags::empty()).ok();
        }
        Ok(false)
    }

    /// Before anything is cleared: every listed name is a file, a folder of ours, or absent.
    fn refuse_irregular_anywhere(&self) -> Result<()> {
        for name in self.names()? {
            let Some(inner) = name.strip_suffix('/') else {
                self.refuse_irregular(&name)?;
                continue;
            };
            let path = self.path.join(inner);
            match self.look(inner)? {
                Presence::Folder if Folder::is_ours(&path) => {
                    Folder::make(&path)?.refuse_irregular_anywhere()?;
                }
                Presence::Nothing | Presence::Folder => {}
                _ => return Err(FolderError::irregular(path, "not a folder")),
            }
        }
        Ok(())
    }

    fn unlink(&self, name: &str) -> Result<()> {
        let Some((parent, last)) = self.parent(name, false)? else { return Ok(()) };
        let parent = parent.as_ref().unwrap_or(&self.handle);
        match rustix::fs::unlinkat(parent, last, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.io(name, error)),
        }
    }

    /// Folders on the way to a name, innermost first, as far as they are empty.
    fn remove_empty_parents(&self, name: &str) {
        let mut inner = name;
        while let Some((folder, _)) = inner.rsplit_once('/') {
            if let Ok(Some((parent, last))) = self.parent(folder, false) {
                let parent = parent.as_ref().unwrap_or(&self.handle);
                rustix::fs::unlinkat(parent, last, AtFlags::REMOVEDIR).ok();
            }
            inner = folder;
        }
    }

    /// The handle of the folder that a name lies in (none for the folder itself) and its last part;
    /// nothing if that folder is not there. Links on the way are refused.
    fn parent<'n>(&self, name: &'n str, make: bool) -> Result<Option<(Option<OwnedFd>, &'n str)>> {
        let mut at: Option<OwnedFd> = None;
        let mut rest = name;
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        while let Some((part, inner)) = rest.split_once('/') {
            let here = at.as_ref().unwrap_or(&self.handle);
            if make {
                rustix::fs::mkdirat(here, part, Mode::from(0o777)).ok();
            }
            at = match rustix::fs::openat(here, part, flags, Mode::empty()) {
                Ok(handle) => Some(handle),
                Err(Errno::NOENT) if !make => return Ok(None),
                Err(Errno::NOTDIR | Errno::LOOP) => {
                    let path = self.path.join(&name[..name.len() - inner.len() - 1]);
                    return Err(FolderError::irregular(path, "a link or a file"));
                }
                Err(error) => return Err(self.io(name, error)),
            };
            rest = inner;
        }
        Ok(Some((at, rest)))
    }

    fn look(&self, name: &str) -> Result<Presence> {
        let Some((parent, last)) = self.parent(name, false)? else { return Ok(Presence::Nothing) };
        let parent = parent.as_ref().unwrap_or(&self.handle);
        match rustix::fs::statat(parent, last, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Presence::File,
                FileType::Directory => Presence::Folder,
                FileType::Symlink => Presence::Other("a symbolic link"),
                _ => Presence::Other("a device, pipe or socket"),
            }),
            Err(Errno::NOENT) => Ok(Presence::Nothing),
            Err(error) => Err(self.io(name, error)),
        }
    }

    fn refuse_irregular(&self, name: &str) -> Result<()> {
        let what = match self.look(name)? {
            Presence::Nothing | Presence::File => return Ok(()),
            Presence::Folder => "a folder",
            Presence::Other(what) => what,
        };
        Err(FolderError::irregular(self.path_of(name), what))
    }

    fn has_list(&self) -> Result<bool> {
        match self.look(LIST)? {
            Presence::Nothing => Ok(false),
            _ => self.refuse_irregular(LIST).map(|()| true),
        }
    }

    fn holds_only(&self, names: &[&str]) -> Result<bool> {
        let wrap = |cause| FolderError::io(self.path.clone(), cause);
        for entry in std::fs::read_dir(&self.path).map_err(wrap)? {
            let name = entry.map_err(wrap)?.file_name();
            if !names.iter().any(|known| name == *known) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The list, made if there is none, locked until it is dropped.
    fn list(&self) -> Result<List<'_>> {
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&self.handle, LIST, flags, Mode::from(0o666));
        let file = File::from(opened.map_err(|error| self.io(LIST, error))?);
        rustix::fs::flock(&file, FlockOperation::LockExclusive)
            .map_err(|error| self.io(LIST, error))?;
        Ok(List { folder: self, file })
    }

    fn create_beside(&self) -> Result<File> {
        // what a killed process left here is ours by its name
        rustix::fs::unlinkat(&self.handle, BESIDE, AtFlags::empty()).ok();
        let made = rustix::fs::openat(&self.handle, BESIDE, new_file(), Mode::from(0o666));
        made.map(File::from).map_err(|error| self.io(BESIDE, error))
    }

    fn io(&self, name: &str, error: Errno) -> FolderError {
        FolderError::io(self.path_of(name), error.into())
    }
}

fn new_file() -> OFlags {
    OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// The open list of a folder; nobody else writes in the folder meanwhile.
struct List<'f> {
    folder: &'f Folder,
    file: File,
}

impl List<'_> {
    fn io(&self, cause: io::Error) -> FolderError {
        FolderError::io(self.folder.path_of(LIST), cause)
    }

    fn text(&self) -> Result<String> {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut bytes))
            .map_err(|cause| self.io(cause))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn names(&self) -> Result<BTreeSet<String>> {
        parse(&self.folder.path_of(LIST), &self.text()?)
    }

    fn claim(&self, names: &[&str]) -> Result<()> {
        let listed = self.names()?;
        let mut new = Vec::new();
        for &name in names {
            check(name).map_err(|problem| FolderError::Name { name: name.to_string(), problem })?;
            self.folder.refuse_irregular(name)?;
            if !listed.contains(name) {
                if self.folder.look(name)? != Presence::Nothing {
                    return Err(FolderError::unlisted(self.folder.path_of(name)));
                }
                new.push(name);
            }
        }
        self.append(new)
    }

    /// Adds names; they are on the disk when this returns.
    fn append<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<()> {
        let text = self.text()?;
        let mut new = String::new();
        if HEADER.starts_with(&text) {
            self.file.set_len(0).map_err(|cause| self.io(cause))?;
            new.push_str(HEADER);
        } else if !text.ends_with('\n') {
            new.push('\n');
        }
        new.push_str(&lines(names));
        let mut file = &self.file;
        file.seek(SeekFrom::End(0))
            .and_then(|_| file.write_all(new.as_bytes()))
            .and_then(|()| if new.is_empty() { Ok(()) } else { file.sync_data() })
            .map_err(|cause| self.io(cause))
    }

    /// Forgets all names but these.
    fn reset(&self, keep: &[&str]) -> Result<()> {
        let kept = self.names()?.into_iter().filter(|name| keep.contains(&name.as_str()));
        let kept: Vec<String> = kept.collect();
        self.file.set_len(0).map_err(|cause| self.io(cause))?;
        self.append(kept.iter().map(String::as_str))
    }
}

/// The names in the list of a folder that is only read; none if it has no list.
pub fn names_of(folder: &Path) -> Result<BTreeSet<String>> {
    let path = folder.join(LIST);
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&path, &text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(FolderError::io(path, error)),
    }
}

fn parse(path: &Path, text: &str) -> Result<BTreeSet<String>> {
    if HEADER.starts_with(text) {
        // killed while it was begun
        return Ok(BTreeSet::new());
    }
    let wrong = |line: usize, problem: &str| FolderError::List {
        path: path.to_path_buf(),
        line,
        problem: problem.into(),
    };
    let Some(body) = text.strip_prefix(HEADER) else {
        return Err(wrong(1, &format!("expected {}", HEADER.trim_end())));
    };
    let mut names = BTreeSet::new();
    for (number, line) in body.lines().enumerate() {
        // a line that was cut off lists nothing
        let Ok(name) = serde_json::from_str::<String>(line) else { continue };
        check(&name).map_err(|problem| wrong(number + 2, problem))?;
        names.insert(name);
    }
    Ok(names)
}

/// Names as the list has them.
fn lines<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names.into_iter().map(|name| format!("{}\n", serde_json::Value::from(name))).collect()
}

/// A name relative to the folder that leads nowhere else.
fn check(name: &str) -> std::result::Result<(), &'static str> {
    let inner = name.strip_suffix('/').unwrap_or(name);
    if [LIST, BESIDE].contains(&inner) {
        return Err("this name is kept for the list of files");
    }
    inner.split('/').try_for_each(names::check_part)
}
