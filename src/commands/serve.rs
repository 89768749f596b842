//! `pidlab serve`: a net as a program that gives successors on demand.

use super::explore::{budget, net};
use crate::arguments::LimitArgs;
use crate::outcome::Outcome;
use crate::output::{Done, Stdout};
use pidlab_explore::net::serve;
use pidlab_explore::search::Failure;
use std::path::PathBuf;

/// Answer requests for the initial state and the successors of states of a net (protocol of pidlab-lts/1)
///
/// Requests are read from standard input and answered on standard output, one line each, until the input
/// ends. Exit code 3: a limit was reached before that; waiting for requests counts.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab serve models/nkm.tnet --set k=2
  pidlab quotient --program 'pidlab serve models/nkm.tnet'")]
pub struct Args {
    /// Model file (.tnet)
    model: PathBuf,
    /// Value of a constant of the model, such as k=2
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    limits: LimitArgs,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let limits = budget::limits(&args.limits, None);
    let net = net::load(&args.model, &args.settings, &[], &limits)?;
    match serve(&net, &limits.budget, std::io::stdin(), Stdout) {
        // whoever asks reads answers on standard output, and nothing else
        Err(Failure::Limit(what)) => {
            note!("{}", limits.budget.describe(what));
            Ok(Done::Shown(Outcome::Undecided))
        }
        served => served.map(|()| Done::Shown(Outcome::Yes)).map_err(Into::into),
    }
}
