//! `pidlab man`: the reference of all commands, as man pages or as one Markdown page.
//!
//! Both are made from what `--help` is made of, so they cannot say anything else.

use crate::output::{Document, Done, Rows};
use anyhow::Context;
use clap::{Arg, Command};
use pidlab_harness::store::single;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Write a man page for every command, or print the reference of all commands as Markdown
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab man ~/.local/share/man/man1      then: man pidlab-explore
  pidlab man > commands.md")]
pub struct Args {
    /// Folder for the man pages, which is made if it is missing; without it Markdown is printed
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Pages that have it near their beginning are ours and may be replaced.
const MARK: &str = ".\\\" written by `pidlab man`\n";

#[derive(Serialize)]
struct Pages {
    format: &'static str,
    files: Vec<String>,
    /// The reference, where no folder was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let mut program = crate::program();
    program.build();
    let (files, markdown) = match &args.folder {
        Some(folder) => (write_pages(&program, folder)?, None),
        None => (Vec::new(), Some(reference(&program)?)),
    };
    Ok(Pages { format: "pidlab-man/1", files, markdown }.into())
}

impl Document for Pages {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.markdown {
            Some(text) => out.write_all(text.as_bytes()),
            None => self.files.iter().try_for_each(|file| writeln!(out, "{file}")),
        }
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("file", self.files.iter().map(|file| serde_json::json!({ "file": file })))
    }
}

/// A command with the words that call it, before those below it.
fn visible<'c>(command: &'c Command, found: &mut Vec<&'c Command>) {
    found.push(command);
    let below = command.get_subcommands().filter(|below| !below.is_hide_set());
    // `help` is everywhere, and says what the pages say
    below.filter(|below| below.get_name() != "help").for_each(|below| visible(below, found));
}

fn write_pages(program: &Command, folder: &Path) -> anyhow::Result<Vec<String>> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be made", folder.display()))?;
    let mut commands = Vec::new();
    visible(program, &mut commands);
    commands.into_iter().map(|command| write_page(command, folder)).collect()
}

fn write_page(command: &Command, folder: &Path) -> anyhow::Result<String> {
    // `pidlab bench engine` is described on pidlab-bench-engine.1
    let name = words(command).replace(' ', "-");
    let mut page = MARK.as_bytes().to_vec();
    clap_mangen::Man::new(command.clone().display_name(name.clone()))
        .render(&mut page)
        .with_context(|| format!("the page of {name}"))?;
    let path = folder.join(format!("{name}.1"));
    single::replace(&path, &page, MARK)?;
    Ok(path.display().to_string())
}

/// `pidlab bench engine`.
fn words(command: &Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).to_string()
}

fn reference(program: &Command) -> Result<String, std::fmt::Error> {
    let mut commands = Vec::new();
    visible(program, &mut commands);
    let mut out = String::from(
        "# Commands\n\nMade by `pidlab man` from what `--help` says; do not edit. \
         Every command takes `--json` (exactly one document) and `--csv`.\n\n",
    );
    for command in commands.iter().skip(1) {
        let (words, about) =
            (words(command), about(command).lines().next().unwrap_or("").to_string());
        writeln!(out, "- [`{words}`](#{}): {about}", words.replace(' ', "-"))?;
    }
    commands.iter().skip(1).try_for_each(|command| describe(command, &mut out))?;
    Ok(out)
}

fn about(command: &Command) -> String {
    let text = command.get_long_about().or(command.get_about());
    text.map_or(String::new(), |text| prose(&text.to_string()))
}

/// Help as Markdown: `<` begins no tag, but for code, which shows what it holds.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts =
        parts.map(|(i, part)| if i % 2 == 0 { part.replace('<', "\\<") } else { part.into() });
    parts.collect::<Vec<String>>().join("`")
}

fn describe(command: &Command, out: &mut String) -> std::fmt::Result {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    write!(out, "\n## {}\n\n{}\n\n```text\n{usage}\n```\n", words(command), about(command))?;
    let own = |arg: &&Arg| !arg.is_hide_set() && !arg.is_global_set() && !is_common(arg);
    let arguments: Vec<&Arg> = command.get_arguments().filter(own).collect();
    if !arguments.is_empty() {
        out.push_str("\n| argument | what it is |\n|---|---|\n");
    }
    arguments.into_iter().try_for_each(|argument| describe_argument(argument, out))?;
    match command.get_after_help() {
        Some(examples) => write!(out, "\n```text\n{}\n```\n", examples.to_string().trim()),
        None => Ok(()),
    }
}

/// What every command has.
fn is_common(argument: &Arg) -> bool {
    ["help", "version", "json", "csv"].contains(&argument.get_id().as_str())
}

fn describe_argument(argument: &Arg, out: &mut String) -> std::fmt::Result {
    let cell = |text: String| text.replace('|', "\\|").replace('\n', " ");
    let help = argument.get_long_help().or(argument.get_help());
    let mut help = help.map_or(String::new(), |help| prose(&help.to_string()));
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| value.get_name().to_string())
        .collect();
    if argument.get_action().takes_values() && !values.is_empty() {
        write!(help, " [{}]", values.join(", "))?;
    }
    let default: Vec<String> = argument
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    if argument.get_action().takes_values() && !default.is_empty() {
        write!(help, " [default: {}]", default.join(","))?;
    }
    writeln!(out, "| `{}` | {} |", cell(argument.to_string()), cell(help))
}
