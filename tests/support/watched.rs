//! The program as a process that is watched: how it ended, how long it took, and the most memory it held.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const MB: u64 = 1_000_000;

/// What a run of the program came to.
pub struct Ran {
    pub code: Option<i32>,
    pub seconds: f64,
    /// Largest resident memory, in bytes.
    pub peak: u64,
    pub output: String,
    pub errors: String,
}

pub fn pidlab(args: &[&str]) -> Ran {
    ran(Command::new(env!("CARGO_BIN_EXE_pidlab")).args(args))
}

pub fn ran(command: &mut Command) -> Ran {
    let started = Instant::now();
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("pidlab runs");
    let status = format!("/proc/{}/status", child.id());
    let watcher = std::thread::spawn(move || {
        let mut peak = 0;
        while let Some(now) = peak_of(&status) {
            peak = now;
            std::thread::sleep(Duration::from_millis(2));
        }
        peak
    });
    let read = |from: &mut dyn std::io::Read| {
        let mut text = String::new();
        from.read_to_string(&mut text).expect("the output is text");
        text
    };
    let mut errors = child.stderr.take().expect("a pipe");
    let errors = std::thread::spawn(move || read(&mut errors));
    let output = read(&mut child.stdout.take().expect("a pipe"));
    let peak = watcher.join().expect("the watcher ends");
    let code = child.wait().expect("pidlab ends").code();
    let errors = errors.join().expect("the reader ends");
    Ran { code, seconds: started.elapsed().as_secs_f64(), peak, output, errors }
}

/// `VmHWM` of a process; nothing once it has ended.
fn peak_of(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

impl Ran {
    /// The question stays open, within so many megabytes and a tolerance of a fifth and 50 MB.
    #[track_caller]
    pub fn keeps_to(&self, megabytes: u64, seconds: f64) {
        assert_eq!(self.code, Some(3), "{}{}", self.output, self.errors);
        self.fits_into(megabytes, seconds);
    }

    #[track_caller]
    pub fn fits_into(&self, megabytes: u64, seconds: f64) {
        let Ran { peak, output, errors, .. } = self;
        let most = megabytes * MB + megabytes * MB / 5 + 50 * MB;
        assert!(*peak <= most, "{} MB instead of {megabytes}: {output}{errors}", peak / MB);
        self.takes_at_most(seconds);
    }

    #[track_caller]
    pub fn takes_at_most(&self, seconds: f64) {
        assert!(
            self.seconds <= seconds,
            "{} s instead of {seconds}: {}",
            self.seconds,
            self.output
        );
    }
}

/// A file that is gone when the test ends.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str, text: &str) -> Scratch {
        // tests of one process may ask for the same name
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let name = format!("pidlab-{}-{number}-{name}", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, text).expect("a file is written");
        Scratch(file)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("a path of text")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
