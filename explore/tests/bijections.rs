//! The bijection of every edge of a reduced graph, against the independent checker of Definition 1.

use pidlab_backends::Budget;
use pidlab_core::{Pid, Relations, State};
use pidlab_explore::net::export::StateGraph;
use pidlab_explore::net::{Named, Net, NetOptions, compile, each_step, explore};
use pidlab_explore::search::{Id, Options};
use pidlab_explore::source::Source;
use std::collections::BTreeMap;

fn load(model: &str, settings: &[(&str, &str)]) -> Net {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let text = std::fs::read_to_string(folder.join(format!("{model}.tnet"))).unwrap();
    let settings: Vec<(String, String)> =
        settings.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    compile(Source::new(model, text), &settings, &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// All pids of a marking with the names that the edge gives them.
fn named(after: &Named, renamed: &BTreeMap<&str, &str>) -> Vec<(String, String)> {
    (0..after.pids.len() as u32)
        .map(|thread| {
            let pid = after.pid(thread);
            let to = renamed.get(pid.as_str()).map_or(pid.clone(), |to| to.to_string());
            (pid, to)
        })
        .collect()
}

fn is_bijection(q: &State, r: &State, relations: Relations, pairs: &[(String, String)]) -> bool {
    let number = |state: &State, pid: &str| {
        let steps: Vec<u64> = pid.split('.').map(|step| step.parse().unwrap()).collect();
        Pid::new(&steps).and_then(|pid| state.forest().find(&pid)).map(|id| id as usize)
    };
    let mut witness = vec![0; q.pid_count()];
    for (from, to) in pairs {
        match (number(q, from), number(r, to)) {
            (Some(from), Some(to)) => witness[from] = to as u32,
            _ => return false,
        }
    }
    pidlab_check::verify(q, r, relations, &witness).is_ok()
}

#[test]
fn every_edge_carries_a_bijection_to_the_marking_of_its_target() {
    let nets = [
        (load("nkm", &[("k", "2"), ("m", "1")]), "parent"),
        (load("nkm", &[("k", "2"), ("m", "1")]), "parent,adjacent-sibling"),
        (load("nkm", &[("k", "1"), ("m", "2")]), "all"),
        (load("server", &[]), "parent"),
        (load("ring", &[]), "all"),
    ];
    let mut changed = 0;
    for (net, relations) in nets {
        let relations: Relations = relations.parse().unwrap();
        let options = Options { record_edges: true, ..Options::default() };
        let settings = NetOptions { relations, canon: true, force: false, options };
        let found = explore(&net, &settings).unwrap();
        let graph = StateGraph::new(&net, &found).unwrap();
        for (&(from, label, to), renamed) in graph.edges.iter().zip(&graph.renamed) {
            let target = graph.nodes[to as usize].state.as_ref().unwrap();
            let map: BTreeMap<&str, &str> =
                renamed.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            changed += usize::from(!map.is_empty());
            let run = found.trace(&net, from as Id).unwrap();
            let mut accepted = false;
            each_step(&net, run.last(), &Budget::unlimited(), |transition, _, after| {
                let q = after.to_state(&net).unwrap();
                accepted |= transition.label == label
                    && is_bijection(&q, target, relations, &named(after, &map));
                Ok(())
            })
            .unwrap();
            assert!(accepted, "{} {relations}: edge {from} -> {to}: {renamed:?}", net.name);
        }
        assert_eq!(graph.renamed.len(), graph.edges.len());
    }
    assert!(changed > 0, "no bijection changes a pid");
}
