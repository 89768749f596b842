//! `pidlab`: state equivalence up to pid renaming, measured, explored and verified.

mod commands;
mod format;
mod harness;
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
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(outcome::BAD_INPUT)
        }
    }
}
