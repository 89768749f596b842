//! `pidlab generate random`: random consistent states.

use super::Common;
use crate::output::Done;
use anyhow::Context;
use pidlab_generators::{RandomParams, Rng, random_state};

/// A random consistent state
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab generate random --pids 200 --seed 7 > q.json
  pidlab generate random --pids 50 --pid-share 0.8 --depth 4")]
pub struct Args {
    /// Number of distinct pids, exactly
    #[arg(long, default_value_t = RandomParams::default().pids)]
    pids: usize,
    /// Number of locations
    #[arg(long, default_value_t = RandomParams::default().locations)]
    locations: usize,
    /// Number of vectors; as many as pids if not given
    #[arg(long)]
    vectors: Option<usize>,
    /// Components of a vector, least and largest: 1,4 (or one number)
    #[arg(long, default_value = "1,4", value_parser = parse_width)]
    width: [usize; 2],
    /// Share of pids among the components
    #[arg(long, default_value_t = RandomParams::default().pid_share)]
    pid_share: f64,
    /// Number of distinct data values
    #[arg(long, default_value_t = RandomParams::default().distinct_data)]
    distinct_data: usize,
    /// Number of root pids
    #[arg(long, default_value_t = RandomParams::default().roots)]
    roots: usize,
    /// Largest number of integers in a pid
    #[arg(long, default_value_t = RandomParams::default().depth)]
    depth: usize,
    /// Largest number of children of a pid
    #[arg(long, default_value_t = RandomParams::default().fan_out)]
    fan_out: usize,
    /// Share of pids that are not active
    #[arg(long, default_value_t = RandomParams::default().inactive_share)]
    inactive_share: f64,
    /// Probability of a gap after a sibling
    #[arg(long, default_value_t = RandomParams::default().gap_share)]
    gap_share: f64,
    /// Probability that a created pid is gone while its descendants may live on
    #[arg(long, default_value_t = RandomParams::default().vanished_share)]
    vanished_share: f64,
    /// Number of the stream of the seed, such as the number of a row
    #[arg(long, default_value_t = 0)]
    stream: u64,
    #[command(flatten)]
    common: Common,
}

fn parse_width(text: &str) -> anyhow::Result<[usize; 2]> {
    let number = |part: &str| part.trim().parse().context("expected LEAST,LARGEST, such as 1,4");
    match text.split_once(',') {
        Some((least, largest)) => Ok([number(least)?, number(largest)?]),
        None => number(text).map(|width| [width; 2]),
    }
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let params = RandomParams {
        pids: args.pids,
        locations: args.locations,
        vectors: args.vectors,
        width: args.width,
        pid_share: args.pid_share,
        distinct_data: args.distinct_data,
        roots: args.roots,
        depth: args.depth,
        fan_out: args.fan_out,
        inactive_share: args.inactive_share,
        gap_share: args.gap_share,
        vanished_share: args.vanished_share,
    };
    let state = random_state(&params, &mut Rng::new(args.common.seed, args.stream))?;
    args.common.done(state, "random state")
}
