//! A folder for targets that read files by name: one a process, emptied for every input.

use std::path::PathBuf;

/// An empty folder; `name` says which target it belongs to.
pub fn emptied(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pidlab-fuzz-{name}-{}", std::process::id()));
    // what is not there need not be removed, and what cannot be made is seen when it is written to
    let _ = std::fs::remove_dir_all(&path);
    let _ = std::fs::create_dir_all(&path);
    path
}
