//! A program that ends when we do, whatever ends us, with all that it has started.
//!
//! The program leads a process group. Dropping a [`Tied`] kills the group. Where nothing is dropped
//! (`exit`, a crash, `kill -9`) two things see to it: on Linux the kernel kills the program itself when
//! the thread that started it ends (so one thread starts all programs and never ends before we do),
//! and on every Unix a shell waits beside it on a pipe that only we hold, and kills the group when the
//! pipe closes. Known weakness: what leaves the group (`setsid`) lives on, and on Windows a program that reads on after
//! its input has ended outlives a crash of ours.

use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};

/// A running program; it and its group are killed when this is dropped.
pub struct Tied {
    /// The process itself.
    pub child: Child,
    guard: Option<Child>,
}

impl Tied {
    /// Starts a program.
    pub fn start(mut command: Command) -> io::Result<Tied> {
        lead_a_group(&mut command);
        end_with_parent(&mut command);
        let child = spawn_in_lasting_thread(command)?;
        let guard = guard(&child);
        Ok(Tied { child, guard })
    }
}

impl Drop for Tied {
    fn drop(&mut self) {
        // the guard first: once the program is waited for its number may be another's
        if let Some(guard) = &mut self.guard {
            end(guard);
        }
        kill_group(&self.child);
        end(&mut self.child);
    }
}

/// Kills a process and waits for it; both fail only if that has happened already.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// A shell that kills the group of the program when we are gone; none where there is no shell.
fn guard(program: &Child) -> Option<Child> {
    const SCRIPT: &str = r#"trap '' HUP INT TERM; read -r line; kill -s KILL -- "-$1""#;
    if !cfg!(unix) {
        return None;
    }
    let mut command = Command::new("sh");
    command.args(["-c", SCRIPT, "pidlab-guard", &program.id().to_string()]);
    // standard input is the pipe it waits on; it ends when the last of us has closed it
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    lead_a_group(&mut command);
    command.spawn().ok()
}

/// The kernel takes the end of the starting thread for the end of the parent.
fn spawn_in_lasting_thread(command: Command) -> io::Result<Child> {
    type Order = (Command, SyncSender<io::Result<Child>>);
    static STARTER: OnceLock<Sender<Order>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (orders, received) = channel::<Order>();
        // if there is no thread the channel is closed, and that is the error below
        let _ = std::thread::Builder::new().name("starter".into()).spawn(move || {
            for (mut command, reply) in received {
                let _ = reply.send(command.spawn());
            }
        });
        orders
    });
    let gone = || io::Error::other("the thread that starts programs is gone");
    let (reply, started) = sync_channel(1);
    starter.send((command, reply)).map_err(|_| gone())?;
    started.recv().map_err(|_| gone())?
}

#[cfg(unix)]
fn lead_a_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // a group that is gone already is fine
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Has the kernel kill the program when its parent ends.
#[cfg(target_os = "linux")]
pub fn end_with_parent(command: &mut Command) {
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
    use std::os::unix::process::CommandExt;
    let parent = getpid();
    let tie = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        match getppid() == Some(parent) {
            true => Ok(()),
            // the parent ended before it could be watched
            false => Err(rustix::io::Errno::SRCH.into()),
        }
    };
    // SAFETY: between fork and exec this makes two system calls and neither allocates nor locks
    unsafe { command.pre_exec(tie) };
}

/// The kernel has no such means here.
#[cfg(not(target_os = "linux"))]
pub fn end_with_parent(_command: &mut Command) {}

#[cfg(not(unix))]
fn lead_a_group(_command: &mut Command) {}

#[cfg(not(unix))]
fn kill_group(_child: &Child) {}
