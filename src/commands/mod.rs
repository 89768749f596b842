//! One file per command. A command parses its own arguments, calls the library crates, prints, and
//! returns an [`Outcome`](crate::outcome::Outcome); bad input is an `Err` and exits with code 2.
//!
//! To add a command: a file here with a clap `Args` struct and a `run` function, and one line in
//! [`Command`] and [`Command::run`].

mod analyse;
pub mod backends;
mod bench;
pub mod bogor;
mod bogor_peers;
mod canon;
pub mod check;
mod cluster;
mod compare;
mod convert;
mod cover;
mod experiments;
mod explain;
mod explore;
mod explore_bir;
mod explore_check;
mod explore_net;
mod generate;
mod graph;
mod lint;
mod model_budget;
mod plot;
mod report;
mod reproduce;
mod run;
mod tournament;
mod track;
mod verify;
mod worker;

use crate::outcome::Outcome;

#[derive(clap::Subcommand)]
pub enum Command {
    Check(check::Args),
    /// List the backends: name, exact or heuristic, source, available or not and why
    Backends(backends::Args),
    Bogor(bogor::Args),
    Canon(canon::Args),
    Compare(compare::Args),
    Convert(convert::Args),
    Explain(explain::Args),
    Explore(explore::Args),
    Bench(bench::Args),
    Generate(generate::Args),
    Graph(graph::Args),
    Lint(lint::Args),
    Verify(verify::Args),
    /// Parameterised coverability: is a bad state reachable with some number of threads?
    Cover(cover::CoverArgs),
    Experiments(experiments::Args),
    Run(run::Args),
    Analyse(analyse::Args),
    Plot(plot::Args),
    Report(report::Args),
    Reproduce(reproduce::Args),
    Tournament(tournament::Args),
    Track(track::Args),
    #[command(hide = true)]
    Worker(worker::Args),
}

impl Command {
    pub fn run(self) -> anyhow::Result<Outcome> {
        if let Some(kept) = self.kept_at_interrupt() {
            crate::interrupt::end_with(kept);
            crate::heartbeat::start("working");
        }
        match self {
            Command::Check(args) => check::run(args),
            Command::Backends(args) => backends::run(args),
            Command::Bogor(args) => bogor::run(args),
            Command::Canon(args) => canon::run(args),
            Command::Compare(args) => compare::run(args),
            Command::Convert(args) => convert::run(args),
            Command::Explain(args) => explain::run(args),
            Command::Explore(args) => explore::run(args),
            Command::Bench(args) => bench::run(args),
            Command::Generate(args) => generate::run(args),
            Command::Graph(args) => graph::run(args),
            Command::Lint(args) => lint::run(args),
            Command::Verify(args) => verify::run(args),
            Command::Cover(args) => cover::run(args),
            Command::Experiments(args) => experiments::run(args),
            Command::Run(args) => run::run(args),
            Command::Analyse(args) => analyse::run(args),
            Command::Plot(args) => plot::run(args),
            Command::Report(args) => report::run(args),
            Command::Reproduce(args) => reproduce::run(args),
            Command::Tournament(args) => tournament::run(args),
            Command::Track(args) => track::run(args),
            Command::Worker(args) => worker::run(args),
        }
    }

    /// What is left when Ctrl-C ends a command that cannot stop in the middle; nothing for those that
    /// see to it themselves.
    fn kept_at_interrupt(&self) -> Option<&'static str> {
        match self {
            Command::Check(_) => Some("answers printed so far hold, there are no others"),
            Command::Bogor(_) => Some("nothing was written; a smaller --scale ends sooner"),
            Command::Cover(args) if args.is_comparison() => None,
            Command::Cover(_) => Some("no answer was found; --timeout ends a search in order"),
            Command::Analyse(_) | Command::Plot(_) | Command::Report(_) => {
                Some("the run is untouched; the same command makes its files anew")
            }
            Command::Canon(_)
            | Command::Explain(_)
            | Command::Generate(_)
            | Command::Graph(_)
            | Command::Lint(_)
            | Command::Verify(_) => Some("nothing was kept"),
            _ => None,
        }
    }
}
