//! `pidlab track`: adds runs to a history and says at which commits times changed.

use crate::arguments::{FormatArgs, Share};
use crate::output::{Document, Done, Rows};
use anyhow::{Context, bail};
use pidlab_harness::history::page::{self, CommitLinks};
use pidlab_harness::history::series::MachineHistory;
use pidlab_harness::history::{Snapshot, folder, present, series};
use pidlab_harness::shell_word;
use pidlab_harness::store::single;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Keep a history of runs, one file a commit; change points, and a page with a sparkline a series
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab track results/local/regression-small
  pidlab track --json")]
pub struct Args {
    /// Run folders to add; none shows the history as it is
    runs: Vec<PathBuf>,
    /// The history: a directory that can be kept in git
    #[arg(long, default_value = "results/history", value_name = "DIR")]
    history: PathBuf,
    /// The commit the runs are of [default: what their manifests say]
    #[arg(long)]
    commit: Option<String>,
    /// Take runs of a machine that the history does not know yet; machines are shown apart
    #[arg(long)]
    mix_machines: bool,
    /// Steps smaller than this are not reported as changes
    #[arg(long, default_value = "5%")]
    threshold: Share,
    /// Where the page is written
    #[arg(long, default_value = "results/local/history.html", value_name = "FILE")]
    page: PathBuf,
    /// Address that leads to a commit when its name is added, such as https://example.org/me/mine/commit/
    /// [default: that of the repository's origin]
    #[arg(long, value_name = "URL")]
    commit_url: Option<String>,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Where the commits of the repository here can be seen, if its origin has pages.
fn own_repository() -> Option<String> {
    let mut git = Command::new("git");
    git.args(["config", "--get", "remote.origin.url"]).stderr(Stdio::null());
    let origin = String::from_utf8(git.output().ok()?.stdout).ok()?;
    let origin = origin.trim().trim_end_matches(".git");
    let address = match origin.strip_prefix("git@").and_then(|rest| rest.split_once(':')) {
        Some((host, path)) => format!("https://{host}/{path}"),
        None => origin.to_string(),
    };
    // an address may hold a password
    (address.starts_with("https://") && !address.contains('@'))
        .then(|| format!("{address}/commit/"))
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let mut added = Vec::new();
    for run in &args.runs {
        let entry = Snapshot::of_run(run, args.commit.as_deref())?;
        let (path, new) = folder::add(&args.history, &entry, args.mix_machines)?;
        match new {
            true => note!("{} → {}", run.display(), path.display()),
            false => note!("{} is in the history already", run.display()),
        }
        added.push(path);
    }
    let entries = folder::read(&args.history)?;
    if entries.is_empty() {
        bail!(
            "{} has no runs; add one with `pidlab track RUN --history {}`",
            args.history.display(),
            args.history.display()
        );
    }
    let machines = series::all(&entries, args.threshold.0);
    if let Some(parent) = args.page.parent() {
        std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot create {}", parent.display()))?;
    }
    let links = CommitLinks(args.commit_url.clone().or_else(own_repository));
    let places = [("--history", &args.history), ("--page", &args.page)];
    let places =
        places.map(|(option, path)| format!(" {option} {}", shell_word(&path.to_string_lossy())));
    let mut again = format!("pidlab track{}", places.concat());
    again.push_str(&format!(" --threshold {}%", 100.0 * args.threshold.0));
    if let Some(url) = &args.commit_url {
        again.push_str(&format!(" --commit-url {}", shell_word(url)));
    }
    let text = page::render(&machines, &links, &again);
    single::replace(&args.page, text.as_bytes(), page::MARK)?;
    let document = present::document(&args.history, &added, &machines, &args.page);
    Ok(Tracked { document, machines, page: args.page }.into())
}

/// The whole history.
#[derive(Serialize)]
struct Tracked {
    #[serde(flatten)]
    document: Value,
    #[serde(skip)]
    machines: Vec<MachineHistory>,
    #[serde(skip)]
    page: PathBuf,
}

impl Document for Tracked {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(present::table(&self.machines, &self.page).as_bytes())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of(
            "machine experiment scale seed backend relations graph class commit when seconds \
             relative step",
            present::values(&self.machines),
        )
    }
}
