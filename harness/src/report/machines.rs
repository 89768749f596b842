//! The parts of a merged run, and the machines that rows were measured on.

use super::{Fold, Page, section, table};
use crate::analyse::machines::OnMachine;
use crate::figures::escape;
use crate::store::machine::Machine;
use std::fmt::Write;

pub fn machines(page: &Page<'_>, out: &mut String) {
    shards(page, out);
    apart(&page.analysis.machines, page.manifest.across_machines, out);
}

fn shards(page: &Page<'_>, out: &mut String) {
    let of_shards: Vec<_> =
        page.manifest.sessions.iter().filter(|session| session.shard.is_some()).collect();
    if of_shards.is_empty() {
        return;
    }
    section("Shards", Fold::Closed, out);
    match page.manifest.shard {
        Some(shard) => write!(
            out,
            "<p>This is shard {shard} of a run: {} of its {} rows. Verdicts are about these alone.</p>",
            page.analysis.rows, page.manifest.rows
        ),
        None => write!(out, "<p>The run was measured in parts and merged.</p>"),
    }
    .ok();
    let rows = of_shards.into_iter().map(|session| {
        vec![
            session.shard.map_or(String::new(), |shard| shard.to_string()),
            escape(session.host.as_deref().unwrap_or("–")),
            escape(&Machine::of(&session.provenance).to_string()),
            escape(&session.started),
            session.rows.to_string(),
            format!("{:.1} s", session.seconds),
        ]
    });
    table(&["shard", "host", "machine", "session", "rows", "wall time"], rows, out);
}

fn apart(machines: &[OnMachine], together: bool, out: &mut String) {
    let Some(first) = machines.first() else { return };
    section("Machines", Fold::Closed, out);
    match together {
        true => out.push_str(
            "<p>Times of different machines are taken together in this report, because the run was merged so on purpose. Growth on each machine alone:</p>",
        ),
        false => {
            let name = escape(&first.machine);
            write!(
                out,
                "<p>Times of different machines are not taken together and not compared: fits, comparisons, claims and figures are about the rows of <b>{name}</b>, the machine with the most rows. Answers and counts are those of all rows. Growth on each machine alone:</p>"
            )
            .ok();
        }
    }
    let rows = machines.iter().flat_map(|on| {
        let name = match on.analysed {
            true => format!("<b>{}</b>", escape(&on.machine)),
            false => escape(&on.machine),
        };
        let head = vec![name, on.rows.to_string()];
        if on.growth.is_empty() {
            let dash = "–".to_string();
            let rest = [dash.clone(), dash.clone(), dash.clone(), dash.clone(), dash];
            return vec![[head, rest.to_vec()].concat()];
        }
        let growth = on.growth.iter().map(|growth| {
            let rest = [
                escape(&growth.backend),
                format!("{} {}", escape(&growth.relations), escape(&growth.graph)),
                growth.states.to_string(),
                growth.exponent.to_string(),
                escape(&growth.verdict),
            ];
            [head.clone(), rest.to_vec()].concat()
        });
        growth.collect()
    });
    let names = ["machine", "rows", "backend", "relations, graph", "states", "exponent", "verdict"];
    table(&names, rows, out);
}
