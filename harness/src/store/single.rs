//! Single files in folders that are not ours: added, or replaced if they say that they are ours.

use anyhow::{Context, bail};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// A file that must not be there yet appears whole, or not at all.
pub fn add(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let beside = write_beside(path, bytes)?;
    let linked = std::fs::hard_link(&beside, path);
    std::fs::remove_file(&beside).ok();
    match linked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!(
                "{} is there already and is left as it is; move it, or name another file",
                path.display()
            )
        }
        other => other.with_context(|| format!("cannot add {}", path.display())),
    }
}

/// Writes a file, or replaces one that has `mark` near its beginning; anything else is left alone.
pub fn replace(path: &Path, bytes: &[u8], mark: &str) -> anyhow::Result<()> {
    if path.symlink_metadata().is_ok() && !is_marked(path, mark)? {
        bail!(
            "{} was not written by pidlab and is left as it is; move it, or name another file",
            path.display()
        );
    }
    let beside = write_beside(path, bytes)?;
    std::fs::rename(&beside, path).with_context(|| format!("cannot write {}", path.display()))
}

/// Puts new contents in the place of an ordinary file that a user has named.
pub fn exchange(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if !path.symlink_metadata().is_ok_and(|about| about.is_file()) {
        bail!("{} is not an ordinary file and is left as it is", path.display());
    }
    let beside = write_beside(path, bytes)?;
    std::fs::rename(&beside, path).with_context(|| format!("cannot write {}", path.display()))
}

/// Whether an ordinary file, no link, has the mark in its first kilobyte.
fn is_marked(path: &Path, mark: &str) -> anyhow::Result<bool> {
    if !path.symlink_metadata()?.is_file() {
        return Ok(false);
    }
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(1024).read_to_end(&mut start))
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(start.windows(mark.len()).any(|window| window == mark.as_bytes()))
}

/// A new file with a name that nobody uses, in the same folder.
fn write_beside(path: &Path, bytes: &[u8]) -> anyhow::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_data());
        if written.is_err() {
            std::fs::remove_file(&beside).ok();
        }
        written
    };
    write().with_context(|| format!("cannot write {}", path.display()))?;
    Ok(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_files_are_replaced_and_nothing_is_added_twice() {
        let folder = std::env::temp_dir().join(format!("pidlab-single-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (page, theirs, link) =
            (folder.join("page"), folder.join("theirs"), folder.join("link"));
        replace(&page, b"<mark> one", "<mark>").unwrap();
        replace(&page, b"<mark> two", "<mark>").unwrap();
        assert_eq!(std::fs::read(&page).unwrap(), b"<mark> two");
        std::fs::write(&theirs, "a thesis").unwrap();
        std::os::unix::fs::symlink(&page, &link).unwrap();
        for path in [&theirs, &link] {
            assert!(replace(path, b"<mark>", "<mark>").is_err());
            assert!(add(path, b"new").is_err());
        }
        assert_eq!(std::fs::read(&theirs).unwrap(), b"a thesis");
        assert_eq!(std::fs::read(&page).unwrap(), b"<mark> two");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3, "nothing is left beside them");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
