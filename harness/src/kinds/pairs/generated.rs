//! Pairs from a program of the user: the mirror of external backends, `pidlab-generator/1` over JSON Lines.
//!
//! The program is started once a worker, in the folder of the experiment file, and asked for one pair at a time. A request
//! is numbered and holds everything that the pair may depend on: a seed, the size, the names of set and transformation.
//! Lines are bounded, an answer has the time that a row has, and the program is killed with its children on every way
//! out ([`Program`]). Its CPU time is counted apart from that of the worker. Whatever is wrong with an answer ends the
//! run: without its inputs there is nothing to measure. docs/generators.md has the protocol.

use crate::experiment::RowLimits;
use crate::plan::{Place, Plan};
use anyhow::{Context, anyhow, bail};
use pidlab_backends::Budget;
use pidlab_backends::external::{GREETING_TIME, Program, program, split_command};
use pidlab_core::pairs::{expected_of, relations_of};
use pidlab_core::{Relations, State};
use pidlab_graphs::{Source, json_error};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// The `format` of the greeting.
const FORMAT: &str = "pidlab-generator/1";
/// An answer is two states; no reader of states takes more than that.
const LONGEST_ANSWER: usize = 1 << 29;

/// The programs of a plan, one an entry that has one.
pub struct Generators {
    of_entry: Vec<Option<Generator>>,
}

/// What a program made.
pub struct Made {
    pub q: State,
    /// The second state, unless it is to be made of the first.
    pub r: Option<State>,
    /// What the program says of the pair, and for which relations.
    pub known: Option<(bool, Relations)>,
    /// CPU time of the program.
    pub cpu: Duration,
}

struct Generator {
    label: String,
    command: Vec<String>,
    folder: PathBuf,
    running: Option<Program>,
}

#[derive(Serialize)]
struct Request<'p> {
    id: u64,
    /// At most 53 bits, which every reader of JSON keeps.
    seed: u64,
    size: u32,
    set: &'p str,
    transformation: Option<&'p str>,
    variant: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Greeting {
    format: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    id: Option<u64>,
    q: Option<State>,
    r: Option<State>,
    #[serde(default)]
    expected: Value,
    relations: Option<Vec<String>>,
    error: Option<String>,
    /// There is no such pair.
    #[serde(default)]
    skip: bool,
}

impl Generators {
    /// Of a plan; fails if a program cannot be found.
    pub fn new(plan: &Plan) -> anyhow::Result<Generators> {
        let base = plan.experiment.inputs.as_ref().map(|inputs| inputs.base.clone());
        let base = base.unwrap_or_default();
        let open = |set: &crate::experiment::states::StateSet| {
            let Some(command) = &set.generator else { return Ok(None) };
            let command = split_command(command).map_err(anyhow::Error::msg)?;
            let (label, folder) = (set.label.clone(), base.clone());
            let generator = Generator { label, command, folder, running: None };
            generator.check().map(|()| Some(generator))
        };
        Ok(Generators {
            of_entry: plan.experiment.states.iter().map(open).collect::<anyhow::Result<_>>()?,
        })
    }

    /// The pair of a place; `None` if the program says that there is none.
    pub fn make(&mut self, plan: &Plan, place: &Place, seed: u64) -> anyhow::Result<Option<Made>> {
        let generator = self.of_entry.get_mut(place.set).and_then(Option::as_mut);
        let generator = generator.context("the entry has no generator")?;
        let budget = Budget::new(Some(plan.experiment.budget.time()), None);
        generator.ask(plan, place, seed, &budget).map_err(|problem| generator.failed(problem))
    }
}

impl Generator {
    fn check(&self) -> anyhow::Result<()> {
        let name = &self.command[0];
        let path = match name.contains('/') {
            true => self.folder.join(name).display().to_string(),
            false => name.clone(),
        };
        program::missing(&path).map_or(Ok(()), |why| Err(self.failed(anyhow!(why))))
    }

    fn failed(&self, problem: anyhow::Error) -> anyhow::Error {
        let command = self.command.join(" ");
        anyhow!("states `{}`: the generator `{command}`: {problem:#}", self.label)
    }

    fn ask(
        &mut self,
        plan: &Plan,
        place: &Place,
        seed: u64,
        budget: &Budget,
    ) -> anyhow::Result<Option<Made>> {
        // taken out: after a failure the program is dropped, and with that killed
        let mut program = match self.running.take() {
            Some(program) => program,
            None => self.start(&plan.experiment.budget)?,
        };
        let id = program.next_number();
        let transformation = plan.experiment.transformations.get(place.transformation);
        let request = Request {
            id,
            seed: seed >> 11,
            size: place.size,
            set: &self.label,
            transformation: transformation.map(|t| t.label.as_str()),
            variant: place.variant,
        };
        let before = program.cpu();
        let line = program.exchange(serde_json::to_string(&request)?, LONGEST_ANSWER, budget)?;
        let cpu = match (before, program.cpu()) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => Duration::ZERO,
        };
        let made = judge(&line, id, cpu)?;
        self.running = Some(program);
        Ok(made)
    }

    /// A program that does not greet in the time of an answer is not waited for until the worker is thought to be stuck.
    fn start(&self, limits: &RowLimits) -> anyhow::Result<Program> {
        let patience = GREETING_TIME.min(limits.patience());
        let (program, greeting) =
            Program::start(&self.command, Some(&self.folder), patience, &Budget::unlimited())?;
        match serde_json::from_str::<Greeting>(&greeting) {
            Ok(Greeting { format }) if format == FORMAT => Ok(program),
            _ => bail!("its first line must be {{\"format\": \"{FORMAT}\"}}"),
        }
    }
}

fn judge(line: &str, id: u64, cpu: Duration) -> anyhow::Result<Option<Made>> {
    let answer: Answer = serde_json::from_str(line).map_err(|error| {
        let source = Source::new(format!("its answer to request {id}"), line);
        json_error(&source, &error)
    })?;
    if let Some(error) = answer.error {
        bail!(error);
    }
    match answer.id {
        Some(found) if found == id => {}
        Some(found) => bail!("it answers request {found} where request {id} was asked"),
        None => bail!("its answer lacks \"id\": {id}, the number of the request"),
    }
    if answer.skip {
        return Ok(None);
    }
    let q = answer.q.context("its answer has no state `q`")?;
    for (name, state) in [("q", Some(&q)), ("r", answer.r.as_ref())] {
        if let Some(state) = state {
            state.check_consistent().with_context(|| format!("its state {name}"))?;
        }
    }
    let relations = relations_of(answer.relations.as_deref(), Relations::default());
    let relations = relations.map_err(anyhow::Error::msg)?;
    let expected = expected_of(&answer.expected).map_err(anyhow::Error::msg)?;
    let known = expected.map(|equivalent| (equivalent, relations));
    Ok(Some(Made { q, r: answer.r, known, cpu }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{"sigma": {"A": [["@1"]]}, "eta": {}}"#;

    fn judged(line: &str) -> Result<Option<Made>, String> {
        judge(line, 3, Duration::ZERO).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn answers_are_held_to_the_protocol() {
        let pair = format!(r#"{{"id": 3, "q": {STATE}, "r": {STATE}, "expected": true}}"#);
        let made = judged(&pair).unwrap().unwrap();
        assert_eq!(made.known, Some((true, Relations::default())));
        assert!(judged(r#"{"id": 3, "skip": true}"#).unwrap().is_none());
        for (line, expected) in [
            ("nothing", "its answer to request 3:1:1: expected a value"),
            (r#"{"id": 3}"#, "no state `q`"),
            (r#"{"id": 2, "skip": true}"#, "answers request 2 where request 3 was asked"),
            (r#"{"skip": true}"#, "lacks \"id\": 3"),
            (r#"{"id": 3, "error": "no luck"}"#, "no luck"),
            (r#"{"id": 3, "qq": 1}"#, "request 3:1:11: unknown field `qq`, expected one of"),
            (r#"{"id": 3, "q": {"sigma": {"A": [["@1"]]}, "eta": {"1": 0, "1.1": 0}}}"#, "state q"),
        ] {
            let wrong = judged(line).err().unwrap();
            assert!(wrong.contains(expected), "{line}: {wrong}");
        }
    }
}
