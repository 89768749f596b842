//! `pidlab bench scaling`: what a search by many machines would take, from searches by a few processes on this one.
//!
//! Costs are taken from N(3,4) by one and two processes and from searches with hardly any states; the check is
//! N(4,3) by 1, 2 and 4 processes, of which nothing was used. docs/scaling.md discusses the numbers.

use crate::arguments::{Size, Timeout, cores};
use crate::commands::explore::budget;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows};
use crate::{heartbeat, interrupt};
use anyhow::{Context, bail};
use pidlab_budget::Exhausted;
use pidlab_explore::search::Failure;
use pidlab_harness::experiment::models;
use pidlab_measure::scaling::{Costs, Forecast, Sample, Site, costs, nkm_levels, simulate};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Predict searches by many machines from searches by a few processes on this one
///
/// The net is N(k,m) of ICTAC'08. Machines run one process with one thread each; their network is an assumption
/// (--latency, --bandwidth), everything else is measured here.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab bench scaling
  pidlab bench scaling --machines 8,64,512 --memory 64GiB --rounds 3")]
pub struct Args {
    /// Numbers of machines to predict for
    #[arg(long, value_delimiter = ',', default_values_t = [10, 100, 1000])]
    machines: Vec<usize>,
    /// Memory of each machine for states
    #[arg(long, value_name = "SIZE", default_value = "16GiB")]
    memory: Size,
    /// Time of a message from machine to machine, beyond what it takes within one
    #[arg(long, value_name = "TIME", default_value = "0.05ms")]
    latency: Timeout,
    /// What each machine can send in a second
    #[arg(long, value_name = "SIZE", default_value = "1.25GB")]
    bandwidth: Size,
    /// Runs of each search, of which the best counts
    #[arg(long, value_name = "R", default_value_t = 5)]
    rounds: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const MODEL: &str = "nkm.tnet";
/// Processes of the searches with hardly any states, of N(3,4), and of N(4,3).
const SMALL: [usize; 4] = [1, 2, 4, 8];
const LARGE: [usize; 2] = [1, 2];
const CHECKED: [usize; 3] = [1, 2, 4];
/// What starting a search takes, in states.
const START: f64 = 20_000.0;
/// Handlers of a server in the nets that are predicted.
const HANDLERS: usize = 3;
/// More servers than any memory here has states for.
const MOST_SERVERS: usize = 24;
/// Most machines that are considered when looking for where more of them do not help.
const MOST_MACHINES: usize = 1 << 14;

/// A search that was measured and simulated.
#[derive(Serialize)]
struct Checked {
    net: &'static str,
    processes: usize,
    states: f64,
    measured_seconds: f64,
    simulated_seconds: f64,
    /// Simulated over measured.
    ratio: f64,
}

/// A search that nobody has run.
#[derive(Serialize)]
struct Predicted {
    machines: usize,
    /// The largest net whose states fit into the memory of the machines.
    net: String,
    states: f64,
    #[serde(flatten)]
    forecast: Forecast,
    /// Machines with which the same net takes the least time.
    fastest_with: usize,
    fastest_seconds: f64,
}

#[derive(Serialize)]
struct Scaling {
    format: &'static str,
    seed: u64,
    cores: usize,
    costs: Costs,
    checked: Vec<Checked>,
    predicted: Vec<Predicted>,
}

const FORMAT: &str = "pidlab-bench-scaling/1";

pub fn run(args: Args) -> anyhow::Result<Done> {
    budget::or_undecided(measure(args), json!({ "format": FORMAT }))
}

fn measure(args: Args) -> anyhow::Result<Done> {
    if args.machines.contains(&0) || args.rounds == 0 || args.bandwidth.0 == 0 {
        bail!("--machines, --rounds and --bandwidth must be 1 or more");
    }
    heartbeat::start("measuring searches");
    let cores = cores();
    let mut lab = Lab::open(args.rounds)?;
    let mut small = Vec::new();
    for processes in SMALL {
        small.push([lab.best(1, 1, processes)?, lab.best(1, 6, processes)?]);
    }
    let [one, two] = LARGE;
    let large = [lab.best(3, 4, one)?, lab.best(3, 4, two)?];
    let costs = costs(&large, &small, cores).context("too few searches were measured")?;
    let mut checked = Vec::new();
    for processes in CHECKED {
        checked.push(check(&lab.best(4, 3, processes)?, &costs, cores, args.seed)?);
    }
    let predicted = args.machines.iter().map(|&machines| predict(machines, &costs, &args));
    let predicted = predicted.collect::<anyhow::Result<Vec<_>>>()?;
    Ok(Scaling { format: FORMAT, seed: args.seed, cores, costs, checked, predicted }.into())
}

/// A search of N(4,3) beside its simulation.
fn check(sample: &Sample, costs: &Costs, cores: usize, seed: u64) -> anyhow::Result<Checked> {
    let levels: Vec<f64> = sample.levels.iter().map(|&states| states as f64).collect();
    if levels != nkm_levels(4, 3) {
        bail!("the levels of N(4,3) are not those of its closed form: {:?}", sample.levels);
    }
    let site = Site::here(sample.processes, cores);
    let simulated_seconds = simulate(&levels, costs, &site, seed).seconds;
    Ok(Checked {
        net: "N(4,3)",
        processes: sample.processes,
        states: sample.states(),
        measured_seconds: sample.seconds,
        simulated_seconds,
        ratio: simulated_seconds / sample.seconds,
    })
}

/// The largest net that the machines have memory for.
fn predict(machines: usize, costs: &Costs, args: &Args) -> anyhow::Result<Predicted> {
    let on = |processes: usize| Site {
        processes,
        shared_cores: None,
        latency: args.latency.0.as_secs_f64(),
        bandwidth: args.bandwidth.0 as f64,
    };
    let try_net = |servers: usize| {
        let levels = nkm_levels(servers, HANDLERS);
        let forecast = simulate(&levels, costs, &on(machines), args.seed);
        (forecast.most_bytes <= args.memory.0 as f64).then_some((servers, levels, forecast))
    };
    let largest = (1..=MOST_SERVERS).map_while(try_net).last();
    let (servers, levels, forecast) =
        largest.context("--memory: no net fits into so little memory")?;
    let time = |processes: usize| simulate(&levels, costs, &on(processes), args.seed).seconds;
    let tried = (0..).map(|power| 1usize << power).take_while(|&count| count <= MOST_MACHINES);
    let times = tried.map(|count| (count, time(count)));
    let (fastest_with, fastest_seconds) =
        times.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((1, forecast.seconds));
    let net = format!("N({servers},{HANDLERS})");
    let states = levels.iter().sum();
    Ok(Predicted { machines, net, states, forecast, fastest_with, fastest_seconds })
}

/// What a search of N(k,m) takes, in states.
fn search_cost(k: usize, m: usize) -> f64 {
    START + nkm_levels(k, m).iter().sum::<f64>()
}

/// What all searches take.
fn whole_cost() -> f64 {
    let all = [
        ((1, 1), SMALL.len()),
        ((1, 6), SMALL.len()),
        ((3, 4), LARGE.len()),
        ((4, 3), CHECKED.len()),
    ];
    all.iter().map(|&((k, m), searches)| searches as f64 * search_cost(k, m)).sum()
}

/// Searches by this program, in a folder that holds the model.
struct Lab {
    folder: PathBuf,
    rounds: usize,
    /// What the searches before this one took, in states.
    spent: f64,
}

/// What is read of the document of a search.
#[derive(Deserialize)]
struct Explored {
    complete: bool,
    statistics: Timed,
    cluster: Took,
}

#[derive(Deserialize)]
struct Timed {
    seconds: f64,
}

#[derive(Deserialize)]
struct Took {
    levels: Vec<u64>,
    bytes_sent_per_state: f64,
    memory_by_process: Vec<u64>,
}

impl Lab {
    fn open(rounds: usize) -> anyhow::Result<Lab> {
        let folder = std::env::temp_dir().join(format!("pidlab-scaling-{}", std::process::id()));
        let cannot = || format!("{} cannot be made", folder.display());
        // one that is there already belongs to somebody else
        std::fs::create_dir(&folder).with_context(cannot)?;
        let lab = Lab { folder, rounds, spent: 0.0 };
        std::fs::write(lab.model(), models::read(MODEL)?).with_context(|| MODEL)?;
        Ok(lab)
    }

    fn model(&self) -> PathBuf {
        self.folder.join(MODEL)
    }

    /// The fastest of several searches of N(k,m).
    fn best(&mut self, k: usize, m: usize, processes: usize) -> anyhow::Result<Sample> {
        let far = format!("N({k},{m}) by {processes} processes");
        heartbeat::say_share(far, self.spent / whole_cost());
        self.spent += search_cost(k, m);
        let runs = (0..self.rounds).map(|_| self.search(k, m, processes));
        let runs = runs.collect::<anyhow::Result<Vec<Sample>>>()?;
        let best = runs.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        best.context("nothing was measured")
    }

    fn search(&self, k: usize, m: usize, processes: usize) -> anyhow::Result<Sample> {
        not_interrupted()?;
        let output = Command::new(std::env::current_exe()?)
            .arg("explore")
            .arg(self.model())
            .args(["--set", &format!("k={k}"), "--set", &format!("m={m}"), "--json"])
            .args(["--cluster", &processes.to_string(), "--threads", "1"])
            .stdin(Stdio::null())
            .output()?;
        not_interrupted()?;
        let cannot = || {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            format!("N({k},{m}) by {processes} processes: {}", text.trim())
        };
        let found: Explored = serde_json::from_slice(&output.stdout).with_context(cannot)?;
        if !found.complete {
            bail!("{} was not explored to its end", cannot());
        }
        let Took { levels, bytes_sent_per_state: bytes_sent, memory_by_process } = found.cluster;
        let states = levels.iter().sum::<u64>().max(1) as f64;
        let bytes_stored = memory_by_process.iter().sum::<u64>() as f64 / states;
        let seconds = found.statistics.seconds;
        Ok(Sample { processes, levels, seconds, bytes_stored, bytes_sent })
    }
}

/// Nothing is predicted from a part of the searches.
fn not_interrupted() -> Result<(), Failure> {
    match interrupt::pressed() {
        true => Err(Exhausted::Interrupted.into()),
        false => Ok(()),
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.model());
        let _ = std::fs::remove_dir(&self.folder);
    }
}

impl Document for Scaling {
    fn outcome(&self) -> Outcome {
        Outcome::Yes
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Costs { work, travel, round, greeting, bytes_stored, bytes_sent } = self.costs;
        let [work, travel, round, greeting] = [work, travel, round, greeting].map(|s| s * 1e6);
        writeln!(out, "measured on this machine ({} cores), one thread a process", self.cores)?;
        writeln!(out, "  a state                {work:>8.3} µs, {bytes_stored:.1} bytes kept")?;
        writeln!(out, "  sent to its owner      {travel:>8.3} µs, {bytes_sent:.1} bytes sent")?;
        writeln!(out, "  a round of messages    {round:>8.1} µs")?;
        writeln!(out, "  each other process     {greeting:>8.1} µs a round")?;
        writeln!(out, "simulated beside measured")?;
        for Checked { net, processes, measured_seconds, simulated_seconds, ratio, .. } in
            &self.checked
        {
            write!(out, "  {net} by {processes} processes   {measured_seconds:>8.3} s measured ")?;
            writeln!(out, "{simulated_seconds:>8.3} s simulated   ratio {ratio:.2}")?;
        }
        writeln!(out, "predicted: the largest net that fits")?;
        for row in &self.predicted {
            let Predicted { machines, net, states, forecast, .. } = row;
            let Forecast { seconds, efficiency, round_share, .. } = forecast;
            let [efficiency, rounds] = [efficiency, round_share].map(|share| share * 100.0);
            write!(out, "  {machines:>5} machines   {net:<8} {states:>9.3e} states ")?;
            write!(out, "{seconds:>9.0} s   {efficiency:.0} % efficient, ")?;
            write!(out, "{rounds:.1} % of the time in rounds; least time ")?;
            writeln!(out, "{:.0} s with {} machines", row.fastest_seconds, row.fastest_with)?;
        }
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("machines net states seconds *", &self.predicted)
    }
}
