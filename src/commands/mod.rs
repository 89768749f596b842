//! One file or folder per command. A command parses its own arguments, calls a library and returns a
//! [`Document`](crate::output::Document), which `main` prints; bad input is an `Err` and exits with code 2.
//!
//! To add a command: a file here with a clap `Args` struct, a `run` function and a document, and one line
//! in [`Command`] and [`Command::run`]. Commands that need the harness are left out of a program that is built
//! with the feature `engine` alone.

#[cfg(feature = "experiments")]
mod analyse;
mod backends;
mod bench;
#[cfg(feature = "experiments")]
mod bogor;
mod canon;
mod check;
mod cluster;
#[cfg(feature = "experiments")]
mod compare;
mod completions;
mod convert;
mod cover;
#[cfg(feature = "experiments")]
mod doctor;
mod emission;
#[cfg(feature = "experiments")]
mod experiments;
mod explain;
mod explore;
#[cfg(feature = "experiments")]
mod export;
#[cfg(feature = "experiments")]
mod fuzz;
mod generate;
mod graph;
mod init;
mod lint;
mod man;
#[cfg(feature = "experiments")]
mod merge;
#[cfg(feature = "experiments")]
mod plot;
mod quotient;
mod refines;
#[cfg(feature = "experiments")]
mod report;
#[cfg(feature = "experiments")]
mod reproduce;
#[cfg(feature = "experiments")]
mod run;
#[cfg(feature = "experiments")]
mod selftest;
mod serve;
mod setup;
#[cfg(feature = "experiments")]
mod tournament;
#[cfg(feature = "experiments")]
mod track;
mod verify;
#[cfg(feature = "experiments")]
mod worker;

use crate::output::{Done, Form};

#[derive(clap::Subcommand)]
pub enum Command {
    Check(check::Args),
    Backends(backends::Args),
    #[cfg(feature = "experiments")]
    Bogor(bogor::Args),
    Canon(canon::Args),
    #[cfg(feature = "experiments")]
    Compare(compare::Args),
    Completions(completions::Args),
    Convert(convert::Args),
    Explain(explain::Args),
    #[cfg(feature = "experiments")]
    Export(export::Args),
    Explore(explore::Args),
    #[cfg(feature = "experiments")]
    Fuzz(fuzz::Args),
    Bench(bench::Args),
    Generate(generate::Args),
    Graph(graph::Args),
    Init(init::Args),
    Lint(lint::Args),
    Man(man::Args),
    #[cfg(feature = "experiments")]
    Merge(merge::Args),
    Verify(verify::Args),
    Cover(cover::Args),
    #[cfg(feature = "experiments")]
    Doctor(doctor::Args),
    #[cfg(feature = "experiments")]
    Experiments(experiments::Args),
    #[cfg(feature = "experiments")]
    Run(run::Args),
    #[cfg(feature = "experiments")]
    Analyse(analyse::Args),
    #[cfg(feature = "experiments")]
    Plot(plot::Args),
    Quotient(quotient::Args),
    Refines(refines::Args),
    #[cfg(feature = "experiments")]
    Report(report::Args),
    #[cfg(feature = "experiments")]
    Reproduce(reproduce::Args),
    #[cfg(feature = "experiments")]
    Selftest(selftest::Args),
    Serve(serve::Args),
    Setup(setup::Args),
    #[cfg(feature = "experiments")]
    Tournament(tournament::Args),
    #[cfg(feature = "experiments")]
    Track(track::Args),
    #[command(hide = true)]
    #[cfg(feature = "experiments")]
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
            #[cfg(feature = "experiments")]
            Command::Bogor(args) => bogor::run(args),
            Command::Canon(args) => canon::run(args),
            #[cfg(feature = "experiments")]
            Command::Compare(args) => compare::run(args),
            Command::Completions(args) => completions::run(args, form),
            Command::Convert(args) => convert::run(args),
            Command::Explain(args) => explain::run(args),
            #[cfg(feature = "experiments")]
            Command::Export(args) => export::run(args),
            Command::Explore(args) => explore::run(args),
            #[cfg(feature = "experiments")]
            Command::Fuzz(args) => fuzz::run(args),
            Command::Bench(args) => bench::run(args, form),
            Command::Generate(args) => generate::run(args),
            Command::Graph(args) => graph::run(args),
            Command::Init(args) => init::run(args),
            Command::Lint(args) => lint::run(args),
            Command::Man(args) => man::run(args),
            #[cfg(feature = "experiments")]
            Command::Merge(args) => merge::run(args),
            Command::Verify(args) => verify::run(args),
            Command::Cover(args) => cover::run(args),
            #[cfg(feature = "experiments")]
            Command::Doctor(args) => doctor::run(args),
            #[cfg(feature = "experiments")]
            Command::Experiments(args) => experiments::run(args),
            #[cfg(feature = "experiments")]
            Command::Run(args) => run::run(args),
            #[cfg(feature = "experiments")]
            Command::Analyse(args) => analyse::run(args),
            #[cfg(feature = "experiments")]
            Command::Plot(args) => plot::run(args),
            Command::Quotient(args) => quotient::run(args),
            Command::Refines(args) => refines::run(args),
            #[cfg(feature = "experiments")]
            Command::Report(args) => report::run(args),
            #[cfg(feature = "experiments")]
            Command::Reproduce(args) => reproduce::run(args, form),
            #[cfg(feature = "experiments")]
            Command::Selftest(args) => selftest::run(args, form),
            Command::Serve(args) => serve::run(args),
            Command::Setup(args) => setup::run(args),
            #[cfg(feature = "experiments")]
            Command::Tournament(args) => tournament::run(args),
            #[cfg(feature = "experiments")]
            Command::Track(args) => track::run(args),
            #[cfg(feature = "experiments")]
            Command::Worker(args) => worker::run(args),
        }
    }

    /// The form that a `--format` of the command itself asks for.
    pub fn format(&self) -> Option<Form> {
        match self {
            #[cfg(feature = "experiments")]
            Command::Compare(args) => args.format.format,
            #[cfg(feature = "experiments")]
            Command::Track(args) => args.format.format,
            Command::Graph(args) => args.form(),
            _ => None,
        }
    }

    /// What is left when Ctrl-C ends a command that cannot stop in the middle; nothing for those that
    /// see to it themselves.
    fn kept_at_interrupt(&self) -> Option<&'static str> {
        match self {
            Command::Check(_) => Some("what has been printed holds"),
            #[cfg(feature = "experiments")]
            Command::Bogor(_) => {
                Some("nothing was written; fewer --philosophers or --rounds end sooner")
            }
            Command::Cover(args) if args.is_comparison() => None,
            Command::Cover(_) => Some("no answer was found; --timeout ends a search in order"),
            #[cfg(feature = "experiments")]
            Command::Analyse(_) | Command::Plot(_) | Command::Report(_) => {
                Some("the run is untouched; the same command makes its files anew")
            }
            Command::Setup(_) => {
                Some("nothing was changed; the next setup removes what is half made")
            }
            Command::Canon(_)
            | Command::Explain(_)
            | Command::Generate(_)
            | Command::Graph(_)
            | Command::Lint(_)
            | Command::Verify(_)
            | Command::Doctor(_) => Some("nothing was kept"),
            #[cfg(feature = "experiments")]
            Command::Export(_) => Some("nothing was written but what was printed"),
            #[cfg(feature = "experiments")]
            Command::Merge(_) => Some("the shards are untouched; the same command begins anew"),
            _ => None,
        }
    }
}
