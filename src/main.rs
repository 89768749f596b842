//! `pidlab`: state equivalence up to pid renaming, measured, explored and verified.

// `print!` and its kin panic where a reader has gone away or a disk is full: see `output`
#![deny(clippy::print_stdout, clippy::print_stderr)]
// what only experiments use is shared code all the same
#![cfg_attr(not(feature = "experiments"), allow(dead_code, unused_imports))]

#[macro_use]
extern crate pidlab_harness;

mod arguments;
#[cfg(feature = "experiments")]
mod built_in;
mod commands;
mod heartbeat;
mod input;
mod interrupt;
mod outcome;
mod output;
mod verdict;

use clap::{CommandFactory, Parser};
use output::Form;
use pidlab_harness::Remedy;
use std::process::ExitCode;

#[derive(Parser)]
#[command(version, about, propagate_version = true)]
struct Cli {
    /// Print one JSON document
    #[arg(long, global = true)]
    json: bool,
    /// Print CSV: the rows of the document, one a line
    #[arg(long, global = true)]
    csv: bool,
    #[command(subcommand)]
    command: commands::Command,
}

impl Cli {
    /// How the result is to be printed.
    fn form(&self) -> anyhow::Result<Form> {
        let json = self.json.then_some(("--json", Form::Json));
        let csv = self.csv.then_some(("--csv", Form::Csv));
        let format = self.command.format().map(|form| ("--format", form));
        let asked: Vec<_> = [json, csv, format].into_iter().flatten().collect();
        match asked[..] {
            [] => Ok(Form::Text),
            [(_, form)] => Ok(form),
            [(one, _), (other, _), ..] => {
                anyhow::bail!("{one} and {other} ask for different output; give one of them")
            }
        }
    }

    fn run(self) -> anyhow::Result<ExitCode> {
        let form = self.form()?;
        Ok(self.command.run(form)?.print(form)?.into())
    }
}

/// The command line as clap knows it, for help, completions and man pages.
pub fn program() -> clap::Command {
    Cli::command()
}

fn main() -> ExitCode {
    #[cfg(feature = "experiments")]
    pidlab_harness::built_in::provide(built_in::FILES);
    let done = match Cli::try_parse() {
        Ok(cli) => cli.run(),
        Err(help) => Ok(show(&help)),
    };
    match (output::finish(), done) {
        (Ok(()), Ok(code)) => code,
        (Ok(()), Err(error)) => {
            note!("error: {error:#}{}", Remedy::of(&error).map_or("", option));
            ExitCode::from(outcome::BAD_INPUT)
        }
        (Err(output::Failure::Closed), _) => ExitCode::from(outcome::READER_GONE),
        (Err(output::Failure::Failed(error)), _) => {
            note!("error: cannot write to standard output: {error}");
            ExitCode::from(outcome::BAD_INPUT)
        }
    }
}

/// The options that a remedy stands for.
fn option(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::OtherFolder => " (--out)",
        Remedy::OtherRun => " (--out, --fresh)",
        Remedy::Workers => " (--workers)",
        Remedy::Shards => " (--shard)",
        Remedy::BuildFolder => " (--build-dir)",
        Remedy::AcrossMachines => " (--across-machines)",
        Remedy::MixMachines => " (--mix-machines)",
        Remedy::Commit => " (--commit)",
        Remedy::Property => " (--prop)",
        Remedy::Start => " (--init)",
    }
}

/// What clap has to say: help and version that were asked for, or what is wrong with the command line.
fn show(message: &clap::Error) -> ExitCode {
    if message.use_stderr() {
        // there is nowhere left to say it
        let _ = message.print();
        return ExitCode::from(outcome::BAD_INPUT);
    }
    let text = message.render();
    let text = match output::color::enabled() {
        true => text.ansi().to_string(),
        false => text.to_string(),
    };
    // a failure is remembered
    let _ = output::verbatim(&text);
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command lines that help shows: up to a pipe, a redirection or a remark.
    fn examples(command: &clap::Command, found: &mut Vec<String>) {
        let text = command.get_after_help().map_or(String::new(), |text| text.to_string());
        let shown = text.lines().filter_map(|line| line.strip_prefix("  pidlab "));
        found.extend(shown.map(|line| {
            let end = [" | ", " > ", " >> ", "   "].iter().filter_map(|mark| line.find(mark)).min();
            line[..end.unwrap_or(line.len())].to_string()
        }));
        command.get_subcommands().for_each(|below| examples(below, found));
    }

    #[test]
    fn every_example_is_a_command_line() {
        let mut found = Vec::new();
        examples(&program(), &mut found);
        assert!(found.len() > 50, "{found:?}");
        for line in found {
            let quoted = line.split('\'').enumerate().flat_map(|(i, part)| match i % 2 {
                0 => part.split_whitespace().map(String::from).collect(),
                _ => vec![part.to_string()],
            });
            let words = std::iter::once("pidlab".to_string()).chain(quoted);
            if let Err(error) = program().try_get_matches_from(words) {
                panic!("pidlab {line}: {error}");
            }
        }
    }
}
