//! Runs the commands of a page as a reader would type them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A copy of what a reader has at hand; goes away with the test.
pub struct Folder(PathBuf);

const PATIENCE: Duration = Duration::from_secs(180);

impl Folder {
    pub fn new(page: &str) -> Folder {
        let name: String =
            page.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let path = std::env::temp_dir().join(format!("pidlab-guide-{}-{name}", std::process::id()));
        std::fs::create_dir_all(path.join("bin")).unwrap();
        for part in ["examples", "models", "experiments"] {
            copy(Path::new(part), &path.join(part));
        }
        let program = env!("CARGO_BIN_EXE_pidlab");
        std::os::unix::fs::symlink(program, path.join("bin/pidlab")).unwrap();
        Folder(path)
    }

    pub fn write(&self, file: &str, text: &str) {
        std::fs::write(self.0.join(file), text).unwrap();
    }

    /// Runs one line; `# exit N` states its exit code where that is not 0. Returns what it printed:
    /// standard output, or the message where there is none (progress comes and goes with the load).
    pub fn run(&self, line: &str, at: &str) -> String {
        if needs_python(line) && !has_python() {
            eprintln!("SKIPPED {at}: python3 is not installed: {line}");
            return String::new();
        }
        let expected = line.rsplit_once("# exit ").map_or(0, |(_, code)| {
            code.trim().parse().unwrap_or_else(|_| panic!("{at}: no exit code in `{line}`"))
        });
        let path = format!("{}:{}", self.0.join("bin").display(), std::env::var("PATH").unwrap());
        let (output, messages) = (self.0.join("output.txt"), self.0.join("messages.txt"));
        let mut child = Command::new("bash")
            .args(["-c", line])
            .current_dir(&self.0)
            .env("PATH", path)
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(&output).unwrap())
            .stderr(std::fs::File::create(&messages).unwrap())
            .spawn()
            .unwrap();
        let clock = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if clock.elapsed() > PATIENCE {
                child.kill().ok();
                panic!("{at}: `{line}` takes too long");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let [said, told] = [output, messages].map(|path| std::fs::read_to_string(path).unwrap());
        assert_eq!(status.code(), Some(expected), "{at}: `{line}`\n{said}{told}");
        if said.is_empty() { told } else { said }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn needs_python(line: &str) -> bool {
    line.contains("python3") || line.contains("rings.jsonl")
}

fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success())
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}
