//! Files that are whole or not there, with checksums.

use super::manifest::{Manifest, NAME};
use super::refuse;
use pidlab_explore::search::Failure;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileInfo {
    pub name: String,
    pub bytes: u64,
    pub crc32: u32,
}

/// How long a process that was killed a moment ago may keep a folder from others.
const STRAGGLING: Duration = Duration::from_secs(5);

/// Keeps other searches from writing to a folder.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "held, never read")] File);

impl Lock {
    pub fn take(folder: &Path) -> Result<Lock, Failure> {
        let path = folder.join("lock");
        let start = Instant::now();
        loop {
            match open_alone(&path) {
                Ok(Some(file)) => return Ok(Lock(file)),
                Ok(None) if start.elapsed() > STRAGGLING => {
                    let text = format!("{} is in use by another search", folder.display());
                    return Err(Failure::Setup(text));
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                Err(error) => return Err(refuse(&path, "be created", &error)),
            }
        }
    }
}

/// A file that nobody else has open this way; nothing if somebody has.
#[cfg(unix)]
fn open_alone(path: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{FlockOperation, flock};
    let file = File::create(path)?;
    let locked = flock(&file, FlockOperation::NonBlockingLockExclusive);
    Ok(locked.is_ok().then_some(file))
}

#[cfg(windows)]
fn open_alone(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;
    /// ERROR_SHARING_VIOLATION
    const TAKEN: i32 = 32;
    match File::options().write(true).create(true).truncate(true).share_mode(0).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.raw_os_error() == Some(TAKEN) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The name of a new file is on the disk when its folder is; Windows opens no folders.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// A file under way that knows what was written to it.
struct Checked<W> {
    to: W,
    bytes: u64,
    hasher: crc32fast::Hasher,
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.to.write(buffer)?;
        self.hasher.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Writes a file that is whole or not there.
pub fn write_file(
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<FileInfo, Failure> {
    let (temporary, path) = (folder.join(format!("{name}.part")), folder.join(name));
    let written = (|| {
        let to = Checked { to: File::create(&temporary)?, bytes: 0, hasher: Default::default() };
        let mut writer = BufWriter::with_capacity(1 << 18, to);
        fill(&mut writer)?;
        let checked = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        checked.to.sync_all()?;
        fs::rename(&temporary, &path)?;
        sync_folder(folder)?;
        Ok((checked.bytes, checked.hasher.finalize()))
    })();
    match written {
        Ok((bytes, crc32)) => Ok(FileInfo { name: name.to_string(), bytes, crc32 }),
        Err(error) => {
            // what is left of it is swept away later
            let _ = fs::remove_file(&temporary);
            Err(refuse(&path, "be written", &error))
        }
    }
}

/// Reads a file that was written by [`write_file`].
pub struct Source {
    from: BufReader<File>,
    info: FileInfo,
    read: u64,
    hasher: crc32fast::Hasher,
}

impl Source {
    pub fn open(folder: &Path, info: &FileInfo) -> Result<Source, Failure> {
        let path = folder.join(&info.name);
        let file = File::open(&path).map_err(|error| refuse(&path, "be read", &error))?;
        let from = BufReader::with_capacity(1 << 18, file);
        Ok(Source { from, info: info.clone(), read: 0, hasher: Default::default() })
    }

    pub fn is_at_end(&self) -> bool {
        self.read == self.info.bytes
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Failure> {
        self.from.read_exact(buffer).map_err(|_| self.damaged())?;
        self.hasher.update(buffer);
        self.read += buffer.len() as u64;
        Ok(())
    }

    pub fn number(&mut self) -> Result<u64, Failure> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let mut byte = [0];
            self.fill(&mut byte)?;
            number |= u64::from(byte[0] & 0x7F) << shift;
            if byte[0] < 0x80 {
                return Ok(number);
            }
        }
        Err(self.damaged())
    }

    pub fn small(&mut self) -> Result<u32, Failure> {
        u32::try_from(self.number()?).map_err(|_| self.damaged())
    }

    pub fn bytes(&mut self, into: &mut Vec<u8>) -> Result<(), Failure> {
        let length = self.number()?;
        if length > self.info.bytes {
            return Err(self.damaged());
        }
        into.resize(length as usize, 0);
        self.fill(into)
    }

    /// Whether the whole file was read and is what was written.
    pub fn finish(mut self) -> Result<(), Failure> {
        let hasher = std::mem::take(&mut self.hasher);
        match self.is_at_end() && hasher.finalize() == self.info.crc32 {
            true => Ok(()),
            false => Err(self.damaged()),
        }
    }

    pub fn damaged(&self) -> Failure {
        Failure::Setup(format!(
            "checkpoint: {} is damaged: it is not what was written",
            self.info.name
        ))
    }
}

/// Removes files that a search which was killed has left and that the list does not name.
pub fn sweep(folder: &Path, manifest: &Manifest) -> Result<(), Failure> {
    let files = manifest.generations.iter().flat_map(|generation| &generation.files);
    let listed: HashSet<&str> =
        files.chain(&manifest.frontier).map(|file| file.name.as_str()).chain([NAME]).collect();
    let entries = fs::read_dir(folder).map_err(|error| refuse(folder, "be read", &error))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| {
            name.starts_with("level-") && !listed.contains(name) || name.ends_with(".part")
        });
        if ours {
            // whatever cannot be removed does no harm
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}
