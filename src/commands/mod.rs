//! One file per command. A command parses its own arguments, calls the library crates, prints, and
//! returns an [`Outcome`](crate::outcome::Outcome); bad input is an `Err` and exits with code 2.
//!
//! To add a command: a file here with a clap `Args` struct and a `run` function, and one line in
//! [`Command`] and [`Command::run`].

mod cover;

use crate::outcome::Outcome;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Parameterised coverability: is a bad state reachable with some number of threads?
    Cover(cover::CoverArgs),
}

impl Command {
    pub fn run(self) -> anyhow::Result<Outcome> {
        match self {
            Command::Cover(args) => cover::run(args),
        }
    }
}
