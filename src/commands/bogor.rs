//! `pidlab bogor`: the philosophers of Bogor'03 beside other explorers; its tables are `pidlab reproduce`.

use super::explore::budget::{or_undecided, stopped};
use crate::arguments::LimitArgs;
use crate::heartbeat;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows};
use anyhow::bail;
use pidlab_explore::source::Source;
use pidlab_harness::experiment::models;
use pidlab_measure::peers::{self, Best, OF_STATERIGHT, Peers, PeersError, Programs};
use serde::Serialize;
use serde_json::json;
use std::io::{self, Write};

const FORMAT: &str = "pidlab-peers/1";
const PROMELA: &str = include_str!("../../experiments/peers/philosophers.pml");
const STATERIGHT: [(&str, &str); 2] = [
    ("Cargo.toml", include_str!("../../experiments/peers/stateright/manifest.toml")),
    ("src/main.rs", include_str!("../../experiments/peers/stateright/src/main.rs")),
];

/// Speed of the explorer beside Spin and Stateright on the philosophers of Bogor'03
///
/// The tables of the paper are experiments like all others: `pidlab reproduce bogor-table1`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab bogor peers
  pidlab bogor peers --philosophers 8 --rounds 3")]
pub struct Args {
    /// `peers`
    name: String,
    /// How many philosophers dine
    #[arg(long, value_name = "N", default_value_t = 10)]
    philosophers: i64,
    /// Rounds, of which the best counts
    #[arg(long, value_name = "R", default_value_t = 5)]
    rounds: usize,
    /// Also build the philosophers in Stateright by cargo, which fetches it, and run them
    #[arg(long)]
    stateright: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Serialize)]
struct Dined {
    format: &'static str,
    philosophers: i64,
    rounds: usize,
    #[serde(flatten)]
    peers: Peers,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    if args.name != "peers" {
        bail!(
            "here there is only `peers`; tables are experiments: `pidlab reproduce bogor-table1`, bogor-table2, bogor-table3 or bogor-k"
        );
    }
    let (philosophers, rounds) = (args.philosophers, args.rounds);
    if args.stateright && philosophers != OF_STATERIGHT {
        bail!(
            "--stateright: its program has {OF_STATERIGHT} philosophers; leave out --philosophers"
        );
    }
    let name = "philosophers.bir";
    let programs = Programs {
        model: Source::new(format!("models/{name}"), models::read(name)?),
        promela: PROMELA,
        stateright: if args.stateright { &STATERIGHT } else { &[] },
    };
    let done = match peers::measure(
        &programs,
        (philosophers, rounds),
        &args.limits.budget(),
        &heartbeat::say,
    ) {
        Ok(peers) => Ok(Dined { format: FORMAT, philosophers, rounds, peers }.into()),
        Err(PeersError::Limit(what)) => Err(stopped(what.into())),
        Err(PeersError::Model(diagnostic)) => Err(diagnostic.into()),
        Err(PeersError::Search(failure)) => Err(failure.into()),
        Err(error) => Err(error.into()),
    };
    let nothing =
        json!({ "format": FORMAT, "philosophers": philosophers, "rounds": rounds, "rows": [] });
    or_undecided(done, nothing)
}

impl Document for Dined {
    /// The peers explore the same program, so they must count the same states.
    fn outcome(&self) -> Outcome {
        if self.peers.agree() { Outcome::Yes } else { Outcome::Disagreement }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} philosophers, best of {} runs", self.philosophers, self.rounds)?;
        for Best { explorer, states, seconds, states_per_second: rate, .. } in &self.peers.rows {
            let micros = 1e6 / rate;
            write!(out, "{explorer:<28} {states:>9} states {seconds:>8.3} s ")?;
            writeln!(out, "{rate:>10.0} states/s {micros:>7.2} µs/state")?;
        }
        let mut skipped = self.peers.skipped.iter();
        skipped.try_for_each(|(name, why)| writeln!(out, "{name} left out: {why}"))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("explorer seconds states states_per_second", &self.peers.rows)
    }
}
