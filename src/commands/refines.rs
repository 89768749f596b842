//! `pidlab refines PROGRAM LGFSM`: does a thread of a boolean program do what a machine allows?

use crate::arguments::LimitArgs;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Open, Rows};
use anyhow::bail;
use pidlab_cover::parse::bp::{Environment, RefineError, Refinement, RefinementStep, refines};
use pidlab_cover::parse::lgfsm;
use pidlab_cover::{Budget, Diagnostic, Source};
use pidlab_harness::question::{limit_reached, read_bytes};
use serde::Serialize;
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Whether a thread of a boolean program refines a local/global machine (B ⇒ F), by simulation
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab refines program.bp machine.lgfsm
  pidlab refines program.bp machine.lgfsm --environment threads --json")]
pub struct Args {
    /// The boolean program, .bp, with one type of threads
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The machine, .lgfsm; shared state n stands for the values of the program's shared variables
    /// that are the digits of n in binary, the variable declared first the last digit
    #[arg(value_name = "LGFSM")]
    machine: PathBuf,
    /// What other threads may do to the shared state: anything, or what threads of the machine do
    #[arg(long, default_value = "any", value_name = "WHO", value_parser = ["any", "threads"])]
    environment: String,
    #[command(flatten)]
    limits: LimitArgs,
}

const FORMAT: &str = "pidlab-refines/1";

#[derive(Serialize)]
struct Refined {
    format: &'static str,
    environment: String,
    #[serde(flatten)]
    refinement: Refinement,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    for (file, ending) in [(&args.program, "bp"), (&args.machine, "lgfsm")] {
        if file.extension().and_then(|e| e.to_str()) != Some(ending) {
            bail!("{}: expected a name that ends in .{ending}", file.display());
        }
    }
    let budget = args.limits.budget();
    let reason = match decide(&args, &budget) {
        Ok(Ok(refinement)) => {
            let environment = args.environment;
            return Ok(Refined { format: FORMAT, environment, refinement }.into());
        }
        Ok(Err(RefineError::Limit(stop))) => budget.describe(stop),
        Ok(Err(RefineError::Machine(what))) => {
            bail!("{}: the machine {what}", args.machine.display())
        }
        Ok(Err(error)) => return Err(error.into()),
        Err(error) => limit_reached(&error, &budget).ok_or(error)?,
    };
    let known = json!({"format": FORMAT, "refines": null});
    Ok(Open::new(Outcome::Undecided, reason, known).into())
}

fn decide(args: &Args, budget: &Budget) -> anyhow::Result<Result<Refinement, RefineError>> {
    let machine = lgfsm::read_machine(&source(&args.machine, budget)?)?;
    let program = source(&args.program, budget)?;
    let environment = match args.environment.as_str() {
        "threads" => Environment::Threads,
        _ => Environment::Any,
    };
    Ok(refines(&program, &machine, environment))
}

fn source(file: &Path, budget: &Budget) -> Result<Source, anyhow::Error> {
    let bytes = read_bytes(file, budget)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    budget.poll().map_err(Diagnostic::from)?;
    Ok(Source::new(file.display().to_string(), text).within(budget.clone()))
}

impl Document for Refined {
    fn outcome(&self) -> Outcome {
        if self.refinement.refines { Outcome::Yes } else { Outcome::No }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Refinement { refines, program_states, pairs, counterexample } = &self.refinement;
        let verdict = if *refines { "refines" } else { "does not refine" };
        writeln!(out, "{verdict}: {program_states} local states of the program, {pairs} pairs")?;
        for (number, step) in counterexample.iter().enumerate() {
            writeln!(out, "{:>4}. {}", number + 1, step_text(step))?;
        }
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("refines program_states pairs counterexample", [self])
    }
}

/// A step of the program and what the machine does.
fn step_text(step: &RefinementStep) -> String {
    let RefinementStep { shared, local, machine, line, statement, .. } = step;
    let on = step.shared_true.join(", ");
    let end = match (step.shared_after, step.machine_after) {
        (None, _) => "an assertion fails, and no step of the machine leads to an `error` for which one thread is enough".to_string(),
        (Some(after), None) => format!("shared {after}, and the machine cannot follow"),
        (Some(after), Some(machine)) => format!("shared {after}; the machine goes to {machine}"),
    };
    format!(
        "shared {shared} ({on}), thread at {local}, machine at {machine}; line {line}: {statement}; {end}"
    )
}
