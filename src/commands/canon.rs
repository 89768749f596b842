//! `pidlab canon`: the canonical form of a state, and its automorphism group.

use crate::arguments::LimitArgs;
use crate::input;
use crate::outcome::Outcome;
use crate::output::{self, Document, Done, Open, Rows};
use pidlab_backends::canon::{FormError, canonical_form};
use pidlab_backends::{AutomorphismGroup, GroupOrder, Moves, automorphism_group};
use pidlab_core::{Relations, State};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// Print the canonical form of a state: equal text for equivalent states and only for them
///
/// Exit code 3: not found within the limits.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab canon examples/q3.json
  pidlab canon examples/q3.json --relations all --json | jq -r .hash")]
pub struct Args {
    /// The state (`-` for standard input), or a graph
    state: PathBuf,
    /// Ω*: parent, ancestor, adjacent-sibling, elder-sibling (joined by commas), none or all
    /// [default: parent; none for graphs]
    #[arg(long, value_name = "R")]
    relations: Option<Relations>,
    /// Also the automorphism group: its order and generators
    #[arg(long)]
    group: bool,
    /// Have the independent checker verify that the form is equivalent to the state, and that generators are
    /// automorphisms; exit code 4 if not
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

const FORMAT: &str = "pidlab-canon/1";

#[derive(Serialize)]
struct Canonical {
    format: &'static str,
    hash: String,
    canonical: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<Group>,
}

#[derive(Serialize)]
struct Group {
    /// A number as long as every reader of JSON holds it exactly, else a text of decimal digits.
    order: Value,
    generators: Vec<BTreeMap<String, String>>,
    #[serde(skip)]
    cycles: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let budget = args.limits.budget();
    let state = match input::load_state_within(&args.state, false, &budget) {
        Ok(state) => state,
        Err(error) => return input::undecided(error, nothing_known()),
    };
    let default = input::default_relations(input::is_graph(&args.state));
    let relations = args.relations.unwrap_or(default);
    let found = canonical_form(&state, relations, &budget).and_then(|form| {
        let wanted = args.group.then(|| automorphism_group(&state, relations, &budget));
        Ok((form, wanted.transpose()?))
    });
    let (form, group) = match found {
        Ok(found) => found,
        Err(FormError::Exhausted(limit)) => {
            return Ok(open(Outcome::Undecided, limit.to_string()).into());
        }
        Err(error) => return Err(error.into()),
    };
    if args.check {
        let generators = group.iter().flat_map(|group| &group.generators);
        let wrong =
            generators.filter_map(|moves| not_automorphism(&state, relations, moves)).next();
        let form_wrong = pidlab_check::verify(&state, &form.state, relations, &form.image).err();
        let form_wrong = form_wrong
            .map(|violation| format!("the checker rejects the canonical form: {violation}"));
        if let Some(reason) = form_wrong.or(wrong) {
            return Ok(open(Outcome::Disagreement, reason).into());
        }
    }
    let hash = format!("{:032x}", form.hash);
    let group = group.map(|group| Group::of(&group, &state));
    Ok(Canonical { format: FORMAT, hash, canonical: form.state, group }.into())
}

fn open(outcome: Outcome, reason: String) -> Open {
    Open::new(outcome, reason, nothing_known())
}

fn nothing_known() -> Value {
    json!({"format": FORMAT, "hash": null, "canonical": null})
}

/// What the checker has against a generator.
fn not_automorphism(state: &State, relations: Relations, moves: &Moves) -> Option<String> {
    let mut image: Vec<u32> = state.pids().collect();
    moves.iter().for_each(|&(x, y)| image[x as usize] = y);
    let violation = pidlab_check::verify(state, state, relations, &image).err()?;
    Some(format!("the checker rejects a generator: {violation}"))
}

impl Group {
    fn of(group: &AutomorphismGroup, state: &State) -> Group {
        let name = |pid: u32| format!("@{}", state.forest().pid(pid));
        let named = |moves: &Moves| moves.iter().map(|&(x, y)| (name(x), name(y))).collect();
        Group {
            order: order(&group.order),
            generators: group.generators.iter().map(named).collect(),
            cycles: group.generators.iter().map(|moves| cycles(moves, name)).collect(),
        }
    }
}

/// Readers that know no integers keep 53 bits of a number.
fn order(order: &GroupOrder) -> Value {
    match order.to_u64().filter(|&order| order < 1 << 53) {
        Some(small) => small.into(),
        None => order.to_string().into(),
    }
}

/// A permutation as dreadnaut writes it: `(@1 @2)(@3 @5 @4)`.
fn cycles(moves: &Moves, name: impl Fn(u32) -> String) -> String {
    let mut next: BTreeMap<u32, u32> = moves.iter().copied().collect();
    let mut text = String::new();
    while let Some((first, mut at)) = next.pop_first() {
        text += &format!("({}", name(first));
        while at != first {
            text += &format!(" {}", name(at));
            at = next.remove(&at).unwrap_or(first);
        }
        text.push(')');
    }
    text
}

impl Document for Canonical {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "hash {}", self.hash)?;
        if let Some(group) = &self.group {
            let generators = group.cycles.len();
            let order =
                group.order.as_str().map_or_else(|| group.order.to_string(), str::to_string);
            writeln!(out, "automorphism group of order {order}, {generators} generators")?;
            group.cycles.iter().try_for_each(|cycles| writeln!(out, "  {cycles}"))?;
        }
        output::write(&self.canonical, true, out)
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("hash canonical group.order group.generators", [self])
    }
}
