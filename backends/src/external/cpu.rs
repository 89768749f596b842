//! CPU time of a program: its own, that of its running children, and that of the children it waited for.
//!
//! The kernel counts the time of a process with all its threads in nanoseconds (`clock_getcpuclockid`), and
//! so it does for running children. Children that ended count in ticks of 10 ms. Known weakness: a child
//! that nobody waited for is lost, and outside Linux nothing is known. Cost: some tens of microseconds.

use std::time::Duration;

/// What a program and its children have used so far; `None` if that cannot be known.
#[cfg(target_os = "linux")]
pub fn used_by(program: u32) -> Option<Duration> {
    // a program that starts processes faster than they can be listed is not followed for ever
    const MOST: usize = 1000;
    let mut waiting = vec![program];
    let mut total = Duration::ZERO;
    let mut seen = 0;
    while let Some(pid) = waiting.pop() {
        match linux::process(pid) {
            Some(time) => total += time + linux::ended_children(pid),
            // a child may end while it is looked at
            None if pid != program => continue,
            None => return None,
        }
        seen += 1;
        if seen < MOST {
            linux::children(pid, &mut waiting);
        }
    }
    Some(total)
}

#[cfg(not(target_os = "linux"))]
pub fn used_by(_program: u32) -> Option<Duration> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::read_to_string;
    use std::time::Duration;

    /// Times in /proc are given in hundredths of a second on every Linux.
    const TICK: Duration = Duration::from_millis(10);

    /// The time of a process with all its threads.
    pub fn process(pid: u32) -> Option<Duration> {
        let pid = libc::pid_t::try_from(pid).ok()?;
        let mut clock: libc::clockid_t = 0;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: both calls write to the one variable they are given, which lives here
        let failed = unsafe {
            libc::clock_getcpuclockid(pid, &mut clock) != 0
                || libc::clock_gettime(clock, &mut time) != 0
        };
        let seconds = u64::try_from(time.tv_sec).ok().filter(|_| !failed)?;
        Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
    }

    /// The time of children that have ended and were waited for.
    pub fn ended_children(pid: u32) -> Duration {
        let text = read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // the name of the program, in brackets, may hold anything; fields 16 and 17 are wanted
        let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
        let ticks: u32 =
            fields.skip(13).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
        ticks * TICK
    }

    /// Adds the running children of a process; nothing where the kernel does not list them.
    pub fn children(pid: u32, list: &mut Vec<u32>) {
        let threads =
            std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let text = read_to_string(thread.path().join("children")).unwrap_or_default();
            list.extend(text.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    /// A shell that works itself, has a child that works, and then waits to be asked again.
    #[test]
    fn work_of_a_program_and_of_its_children_is_counted() {
        let count = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let script = format!("read x; {count}; sh -c '{count}; exit 0'; echo done; read x");
        let mut child = Command::new("sh")
            .args(["-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let before = used_by(child.id()).unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"go\n").unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let own = linux::process(child.id()).unwrap();
        let all = used_by(child.id()).unwrap();
        assert!(own > before + Duration::from_millis(5), "{own:?}");
        assert!(all >= own + Duration::from_millis(10), "{own:?} {all:?}");
        drop(stdin);
        child.wait().unwrap();
        assert_eq!(used_by(child.id()), None, "it is gone");
    }
}
