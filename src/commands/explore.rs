//! `pidlab explore`: state space of a model; the file name says in which language it is.

use super::cluster::{self, ClusterArgs};
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
    cluster: ClusterArgs,
    #[command(flatten)]
    net: explore_net::NetArgs,
    #[command(flatten)]
    heap: explore_bir::HeapArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let limits = model_budget::limits(&args.limits, args.max_states);
    let limits = Limits { interrupt: Some(crate::interrupt::flag()), ..limits };
    let nothing = (args.json && args.cluster.is_first()).then(|| {
        json!({ "format": "pidlab-explore/1", "states": 0, "edges": 0, "seen": 0, "deadlocks": 0 })
    });
    match explore(&args, limits) {
        Err(error) if cluster::lost(&error).is_some() => {
            model_budget::undecided(&error, nothing, json!("lost"))
        }
        done => model_budget::undecided_at_limit(done, nothing),
    }
}

/// What the result depends on besides the model, as all processes of a search must have it.
fn question(args: &Args, own: String) -> String {
    let mut words: Vec<String> = args.settings.iter().map(|set| format!("--set {set}")).collect();
    words.extend(args.max_states.map(|most| format!("--max-states {most}")));
    words.extend((!own.is_empty()).then_some(own));
    words.join(" ")
}

fn explore(args: &Args, limits: Limits<'_>) -> anyhow::Result<Outcome> {
    match args.model.extension().and_then(|e| e.to_str()) {
        Some("tnet") => {
            args.heap.refuse_for_nets()?;
            let (model, settings) = (&args.model, &args.settings);
            let (json, search) = (args.json, args.search);
            let question = question(args, args.net.question());
            let cluster = args.cluster.is_given().then_some((&args.cluster, &question[..]));
            let common = explore_net::Common { model, settings, limits, json, search, cluster };
            explore_net::run(&common, &args.net)
        }
        Some("bir") => {
            args.net.refuse_for_heap_programs(args.cluster.is_given())?;
            let settings = args.settings.iter().map(|text| explore_bir::setting(text));
            let settings = settings.collect::<Result<Vec<_>, _>>().map_err(anyhow::Error::msg)?;
            let (model, settings, json) = (&args.model, &settings[..], args.json);
            let default = match args.cluster.is_given() {
                true => explore_bir::SearchOrder::Bfs,
                false => explore_bir::SearchOrder::Dfs,
            };
            let search = args.search.unwrap_or(default);
            let question = question(args, args.heap.question());
            let threads = args.cluster.threads(args.net.threads());
            let cluster =
                args.cluster.is_given().then_some((&args.cluster, &question[..], threads));
            let common = explore_bir::Common { model, settings, limits, json, search, cluster };
            explore_bir::run(&common, &args.heap)
        }
        _ => bail!(
            "{}: models are nets (.tnet) and heap programs (.bir); the extension must be one of them",
            input::display(&args.model)
        ),
    }
}
