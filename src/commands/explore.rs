//! `pidlab explore`: state space of a model; the file name says in which language it is.

use super::{explore_bir, explore_net, model_budget};
use crate::input;
use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use anyhow::bail;
use pidlab_explore::search::Limits;
use serde_json::json;
use std::path::PathBuf;

/// Explore the state space of a model: a net (.tnet) or a heap program (.bir)
///
/// Exit code 0: everything was seen and nothing is wrong. 1: a deadlock or a violation was found.
/// 3: a limit was reached first.
#[derive(clap::Args)]
pub struct Args {
    /// Model file: .tnet or .bir
    model: PathBuf,
    /// Value of a constant of the model, such as k=2 or years=2008,2009
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Stop after so many states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Order of the search; nets: bfs unless told, heap programs: dfs
    #[arg(long, value_enum)]
    search: Option<explore_bir::SearchOrder>,
    #[command(flatten)]
    net: explore_net::NetArgs,
    #[command(flatten)]
    heap: explore_bir::HeapArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let limits = model_budget::limits(&args.limits, args.max_states);
    let budget = limits.budget.interrupted_by(crate::interrupt::flag());
    let limits = Limits { budget, ..limits };
    let nothing = args.json.then(|| {
        json!({ "format": "pidlab-explore/1", "states": 0, "edges": 0, "seen": 0, "deadlocks": 0 })
    });
    model_budget::undecided_at_limit(explore(&args, limits), nothing)
}

fn explore(args: &Args, limits: Limits) -> anyhow::Result<Outcome> {
    match args.model.extension().and_then(|e| e.to_str()) {
        Some("tnet") => {
            args.heap.refuse_for_nets()?;
            let (model, settings) = (&args.model, &args.settings);
            let (json, search) = (args.json, args.search);
            let common = explore_net::Common { model, settings, limits, json, search };
            explore_net::run(&common, &args.net)
        }
        Some("bir") => {
            args.net.refuse_for_heap_programs()?;
            let settings = args.settings.iter().map(|text| explore_bir::setting(text));
            let settings = settings.collect::<Result<Vec<_>, _>>().map_err(anyhow::Error::msg)?;
            let (model, settings, json) = (&args.model, &settings[..], args.json);
            let search = args.search.unwrap_or(explore_bir::SearchOrder::Dfs);
            let common = explore_bir::Common { model, settings, limits, json, search };
            explore_bir::run(&common, &args.heap)
        }
        _ => bail!(
            "{}: models are nets (.tnet) and heap programs (.bir); the extension must be one of them",
            input::display(&args.model)
        ),
    }
}
