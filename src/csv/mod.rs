//! `--csv`, the same for every command: its JSON document as a table.
//!
//! The command runs as a child with `--json` in place of `--csv`; what it prints is turned into CSV by
//! one rule ([`table`]), and its exit code is ours. Signals are passed on, so that Ctrl-C means what it
//! means without `--csv`.

mod table;

use crate::outcome::BAD_INPUT;
use crate::output;
use anyhow::Context;
use pidlab_backends::external::lifeline::end_with_parent;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};

/// Runs this program again for its JSON and prints that as CSV.
pub fn run() -> anyhow::Result<ExitCode> {
    let program = std::env::current_exe().context("cannot find the program's own path")?;
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|word| if word == "--csv" { "--json".into() } else { word });
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::piped());
    command.process_group(0); // a signal of the terminal reaches us alone and is passed on once
    end_with_parent(&mut command);
    let mut child = command.spawn().context("cannot start the program for its JSON")?;
    pass_signals_on(&child)?;
    let mut text = String::new();
    if let Some(mut output) = child.stdout.take() {
        output.read_to_string(&mut text).context("cannot read the program's JSON")?;
    }
    let code = wait(&mut child)?;
    if !text.trim().is_empty() {
        let csv = table::of(&text).context("what the command printed is not JSON")?;
        output::verbatim(&csv)?;
    }
    Ok(ExitCode::from(code))
}

fn pass_signals_on(child: &Child) -> anyhow::Result<()> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])
        .context("cannot listen for signals")?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let signal = if signal == SIGINT { Signal::INT } else { Signal::TERM };
            if let Some(pid) = pid {
                kill_process(pid, signal).ok();
            }
        }
    });
    Ok(())
}

/// The child's exit code; one that a signal ended counts as shells count it.
fn wait(child: &mut Child) -> anyhow::Result<u8> {
    use std::os::unix::process::ExitStatusExt;
    let status = child.wait().context("lost the program that was asked for JSON")?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(BAD_INPUT))
}
