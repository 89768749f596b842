//! `pidlab completions`: what a shell needs to complete commands and options.

use crate::outcome::Outcome;
use crate::output::{self, Done, Form};
use anyhow::bail;
use clap::Command;
use clap_complete::{Shell, generate};

/// Print completions for a shell: bash, zsh, fish, powershell or elvish
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab completions bash > ~/.local/share/bash-completion/completions/pidlab
  pidlab completions zsh > ~/.zfunc/_pidlab          (with fpath+=~/.zfunc in .zshrc)
  pidlab completions fish > ~/.config/fish/completions/pidlab.fish
  pidlab completions powershell >> $PROFILE")]
pub struct Args {
    /// For which shell
    shell: Shell,
}

pub fn run(args: Args, form: Form) -> anyhow::Result<Done> {
    if form != Form::Text {
        bail!(
            "completions are a script for a shell and have no other form; leave out --json and --csv"
        );
    }
    let mut script = Vec::new();
    generate(args.shell, &mut visible(&crate::program()), "pidlab", &mut script);
    // a failure is remembered and becomes the exit code
    let _ = output::verbatim(&String::from_utf8(script)?);
    Ok(Done::Shown(Outcome::Yes))
}

/// The program without its hidden commands, which the generators would show.
fn visible(program: &Command) -> Command {
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set());
    Command::new("pidlab")
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .args(program.get_arguments().cloned())
        .subcommands(commands.cloned())
}
