//! `pidlab`: state equivalence up to pid renaming, measured, explored and verified.

mod built_in;
mod commands;
mod csv;
mod format;
mod heartbeat;
mod input;
mod interrupt;
mod limits;
mod outcome;
mod output;
mod pairs;
mod verdict;

use clap::Parser;
use std::process::ExitCode;

#[derive(Parser)]
#[command(version, about, propagate_version = true)]
struct Cli {
    /// Print CSV: the entries of what --json prints, one a line
    #[arg(long, global = true)]
    csv: bool,
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    pidlab_harness::built_in::provide(built_in::FILES);
    let cli = Cli::parse();
    let done = match cli.csv {
        true => csv::run(),
        false => cli.command.run().map(ExitCode::from),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(outcome::BAD_INPUT)
        }
    }
}
