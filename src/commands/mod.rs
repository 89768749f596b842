//! One file or folder per command. A command parses its own arguments, calls a library and returns a
//! [`Document`](crate::output::Document), which `main` prints; bad input is an `Err` and exits with code 2.
//!
//! To add a command: a file here with a clap `Args` struct, a `run` function and a document, and one line
//! in [`Command`] and [`Command::run`].

mod analyse;
mod backends;
mod bench;
mod bogor;
mod canon;
mod check;
mod cluster;
mod compare;
mod completions;
mod convert;
mod cover;
mod doctor;
mod experiments;
mod explain;
mod explore;
mod export;
mod fuzz;
mod generate;
mod graph;
mod init;
mod lint;
mod merge;
mod plot;
mod report;
mod reproduce;
mod run;
mod selftest;
mod setup;
mod tournament;
mod track;
mod verify;
mod worker;

use crate::output::{Done, Form};

#[derive(clap::Subcommand)]
pub enum Command {
    Check(check::Args),
    Backends(backends::Args),
    Bogor(bogor::Args),
    Canon(canon::Args),
    Compare(compare::Args),
    Completions(completions::Args),
    Convert(convert::Args),
    Explain(explain::Args),
    Export(export::Args),
    Explore(explore::Args),
    Fuzz(fuzz::Args),
    Bench(bench::Args),
    Generate(generate::Args),
    Graph(graph::Args),
    Init(init::Args),
    Lint(lint::Args),
    Merge(merge::Args),
    Verify(verify::Args),
    Cover(cover::Args),
    Doctor(doctor::Args),
    Experiments(experiments::Args),
    Run(run::Args),
    Analyse(analyse::Args),
    Plot(plot::Args),
    Report(report::Args),
    Reproduce(reproduce::Args),
    Selftest(selftest::Args),
    Setup(setup::Args),
    Tournament(tournament::Args),
    Track(track::Args),
    #[command(hide = true)]
    Worker(worker::Args),
}

impl Command {
    /// The form is for commands that print while they work.
    pub fn run(self, form: Form) -> anyhow::Result<Done> {
        if let Some(kept) = self.kept_at_interrupt() {
            crate::interrupt::end_with(kept);
            crate::heartbeat::start("working");
        }
        match self {
            Command::Check(args) => check::run(args, form),
            Command::Backends(args) => backends::run(args),
            Command::Bogor(args) => bogor::run(args),
            Command::Canon(args) => canon::run(args),
            Command::Compare(args) => compare::run(args),
            Command::Completions(args) => completions::run(args, form),
            Command::Convert(args) => convert::run(args),
            Command::Explain(args) => explain::run(args),
            Command::Export(args) => export::run(args),
            Command::Explore(args) => explore::run(args),
            Command::Fuzz(args) => fuzz::run(args),
            Command::Bench(args) => bench::run(args, form),
            Command::Generate(args) => generate::run(args),
            Command::Graph(args) => graph::run(args),
            Command::Init(args) => init::run(args),
            Command::Lint(args) => lint::run(args),
            Command::Merge(args) => merge::run(args),
            Command::Verify(args) => verify::run(args),
            Command::Cover(args) => cover::run(args),
            Command::Doctor(args) => doctor::run(args),
            Command::Experiments(args) => experiments::run(args),
            Command::Run(args) => run::run(args),
            Command::Analyse(args) => analyse::run(args),
            Command::Plot(args) => plot::run(args),
            Command::Report(args) => report::run(args),
            Command::Reproduce(args) => reproduce::run(args, form),
            Command::Selftest(args) => selftest::run(args, form),
            Command::Setup(args) => setup::run(args),
            Command::Tournament(args) => tournament::run(args),
            Command::Track(args) => track::run(args),
            Command::Worker(args) => worker::run(args),
        }
    }

    /// The form that a `--format` of the command itself asks for.
    pub fn format(&self) -> Option<Form> {
        match self {
            Command::Compare(args) => args.format.format,
            Command::Track(args) => args.format.format,
            Command::Graph(args) => args.form(),
            _ => None,
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
            Command::Setup(_) => {
                Some("nothing was changed; the next setup removes what is half made")
            }
            Command::Canon(_)
            | Command::Explain(_)
            | Command::Export(_)
            | Command::Generate(_)
            | Command::Graph(_)
            | Command::Lint(_)
            | Command::Verify(_) => Some("nothing was kept"),
            Command::Merge(_) => Some("the shards are untouched; the same command begins anew"),
            _ => None,
        }
    }
}
