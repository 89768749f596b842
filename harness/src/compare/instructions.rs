//! Instruction counts, which no neighbour on the machine can disturb.
//!
//! `perf stat` where the processor lets its counters be read, else valgrind's cachegrind. Both count
//! whole processes, so a worker runs a few blocks with every row once, and again with every row
//! several times over: the difference is what deciding and checking cost, without start, generation
//! and files. That needs nothing of the base program but to be a worker.

use super::subject::Program;
use crate::experiment::{Experiment, ScaleName};
use crate::plan::Plan;
use crate::store::Store;
use crate::store::folder::Folder;
use anyhow::{Context, bail};
use serde::Serialize;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const REPETITIONS: u32 = 5;
/// Counting a row again under the same counter may differ by this much.
const REPEATABLE: f64 = 0.005;

/// Which tool counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Choice {
    /// perf if its counters can be read, else valgrind, else none
    Auto,
    /// `perf stat`.
    Perf,
    /// Valgrind's cachegrind.
    Valgrind,
    /// None.
    Off,
}

/// A tool that counts instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionCounter {
    /// `perf stat`.
    Perf,
    /// Valgrind's cachegrind.
    Valgrind,
}

/// Instructions a row, of base and new.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct InstructionCount {
    /// Of the base.
    pub base: f64,
    /// Of the new one.
    pub new: f64,
    /// A second count of the new program was taken and agrees with the first.
    pub repeats: bool,
}

impl InstructionCount {
    /// New over base.
    pub fn ratio(&self) -> f64 {
        self.new / self.base.max(1.0)
    }
}

impl InstructionCounter {
    /// The counter to use, or why there is none.
    pub fn choose(choice: Choice) -> Result<InstructionCounter, String> {
        match choice {
            Choice::Off => Err("not asked for".into()),
            Choice::Perf => InstructionCounter::Perf.available().map(|()| InstructionCounter::Perf),
            Choice::Valgrind => {
                InstructionCounter::Valgrind.available().map(|()| InstructionCounter::Valgrind)
            }
            Choice::Auto => InstructionCounter::choose(Choice::Perf).or_else(|no_perf| {
                InstructionCounter::choose(Choice::Valgrind)
                    .map_err(|no_valgrind| format!("{no_perf}; {no_valgrind}"))
            }),
        }
    }

    /// What documents call it.
    pub fn name(self) -> &'static str {
        match self {
            InstructionCounter::Perf => "perf (hardware counter, user mode)",
            InstructionCounter::Valgrind => "valgrind (cachegrind)",
        }
    }

    fn available(self) -> Result<(), String> {
        let tool = match self {
            InstructionCounter::Perf => "perf",
            InstructionCounter::Valgrind => "valgrind",
        };
        let output = self
            .wrap(Path::new("true"))
            .output()
            .map_err(|_| format!("{tool} is not installed"))?;
        match self.read(&String::from_utf8_lossy(&output.stderr)) {
            Some(_) => Ok(()),
            None => Err(format!("{tool} cannot count instructions here")),
        }
    }

    fn wrap(self, program: &Path) -> Command {
        let mut command = match self {
            InstructionCounter::Perf => {
                let mut perf = Command::new("perf");
                perf.args(["stat", "-x", ",", "-e", "instructions:u", "--"]);
                perf
            }
            InstructionCounter::Valgrind => {
                let mut valgrind = Command::new("valgrind");
                valgrind.args(["--tool=cachegrind", "--cache-sim=no", "--trace-children=yes"]);
                valgrind.args(["--read-inline-info=no", "--cachegrind-out-file=/dev/null"]);
                valgrind
            }
        };
        command.arg(program);
        command
    }

    /// The count in what the tool wrote on its standard error.
    fn read(self, text: &str) -> Option<u64> {
        match self {
            InstructionCounter::Perf => {
                let line = text.lines().find(|line| line.contains(",instructions"))?;
                line.split(',').next()?.parse().ok()
            }
            InstructionCounter::Valgrind => {
                let count = |line: &str| -> Option<u64> {
                    let (_, number) =
                        line.split_once("refs:").filter(|(l, _)| l.contains(" I "))?;
                    number.trim().replace(',', "").parse().ok()
                };
                text.lines().filter_map(count).reduce(|a, b| a + b)
            }
        }
    }
}

/// What is counted, and with what.
pub struct Job<'j> {
    /// The tool.
    pub counter: InstructionCounter,
    /// Base and new.
    pub programs: [&'j Program; 2],
    /// The experiment.
    pub plan: &'j Plan,
    /// Its file.
    pub text: &'j str,
    /// The backend that is counted.
    pub backend: &'j str,
    /// The folder of the comparison, and the name of one below it that takes the run folders.
    pub files: &'j Folder,
    /// Its name.
    pub folder: &'j str,
    /// Whether the new program is counted a second time.
    pub twice: bool,
}

impl Job<'_> {
    /// Counts both programs at the same time: unlike times, counts do not mind.
    pub fn count(&self) -> anyhow::Result<InstructionCount> {
        let [base, new] = self.programs;
        let (base, new) = std::thread::scope(|scope| {
            let base = scope.spawn(|| self.per_row(base, "base"));
            let new = self.per_row(new, "new");
            let base = base.join().unwrap_or_else(|_| bail!("counting the base panicked"));
            (base, new)
        });
        let (base, new) = (base?, new?);
        let repeats = match self.twice {
            true => {
                let again = self.per_row(self.programs[1], "again")?;
                (again / new.max(1.0) - 1.0).abs() < REPEATABLE
            }
            false => false,
        };
        Ok(InstructionCount { base, new, repeats })
    }

    fn per_row(&self, program: &Program, name: &str) -> anyhow::Result<f64> {
        let mut counts = [0; 2];
        let mut rows = 1;
        for (count, repetitions) in counts.iter_mut().zip([1, REPETITIONS]) {
            let small = reduced(self.plan, self.text, self.backend, repetitions)?;
            rows = small.0.rows() / u64::from(repetitions);
            let name = format!("{}/{name}-{repetitions}", self.folder);
            let folder = self.files.subfolder(&name)?;
            *count = worker(self.counter, program, &small, folder.path())?;
        }
        let extra = counts[1].saturating_sub(counts[0]);
        Ok(extra as f64 / (rows * u64::from(REPETITIONS - 1)) as f64)
    }
}

/// A small, a medium and a large size of the plan, or its models or instances; one backend, every row
/// `repetitions` times.
fn reduced(
    plan: &Plan,
    text: &str,
    backend: &str,
    repetitions: u32,
) -> anyhow::Result<(Plan, String)> {
    let mut table: toml::Table = toml::from_str(text)?;
    let sizes = plan.experiment.scale(plan.scale).sizes.values();
    if let Some(scales) = table.get_mut("scale").and_then(|scales| scales.as_table_mut()) {
        let own = scales.get(plan.scale.name()).and_then(|scale| scale.as_table());
        let mut scale = own.cloned().unwrap_or_default();
        if !sizes.is_empty() {
            let chosen = [1, 3, 5].map(|sixth| toml::Value::from(sizes[sizes.len() * sixth / 6]));
            scale.insert("sizes".into(), toml::Value::Array(chosen.to_vec()));
        }
        scale.insert("states".into(), 2.into());
        scale.insert("variants".into(), 1.into());
        scales.insert(ScaleName::Smoke.name().into(), scale.into());
    }
    // counting slows a decision down twentyfold and takes memory of its own
    let mut budget = toml::Table::new();
    budget.insert("seconds".into(), 600.into());
    budget.insert("memory_mib".into(), (1 << 20).into());
    table.insert("budget".into(), budget.into());
    table.insert("repetitions".into(), i64::from(repetitions).into());
    let text = toml::to_string(&table)?;
    let experiment = Experiment::parse_with(
        &text,
        Path::new("experiment.toml"),
        plan.experiment.inputs.clone(),
    )?;
    let plan = Plan::new(experiment, &text, ScaleName::Smoke, Some(plan.seed))?
        .with_backends(vec![backend.to_string()], &text)?;
    Ok((plan, text))
}

/// Instructions of a worker that runs all blocks of a plan.
fn worker(
    counter: InstructionCounter,
    program: &Program,
    (plan, text): &(Plan, String),
    folder: &Path,
) -> anyhow::Result<u64> {
    let store = Store::open(folder, plan, text, true)?;
    let mut child = counter
        .wrap(&program.path)
        .args(["worker", "--"])
        .arg(store.folder())
        .arg(store.new_segment(0, "counted")?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start the counter")?;
    let mut input = child.stdin.take().context("a counted worker has no input")?;
    let output = child.stdout.take().context("a counted worker has no output")?;
    let orders: String = (0..plan.blocks()).map(|block| format!("block {block} \n")).collect();
    // a worker that cannot start closes its input: its last words say more than the broken pipe
    input.write_all(orders.as_bytes()).ok();
    let done = BufReader::new(output).lines().map_while(Result::ok);
    let done = done.filter(|line| line.starts_with("done")).take(plan.blocks() as usize).count();
    drop(input);
    let said = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    match counter.read(&said) {
        Some(count) if done as u64 == plan.blocks() => Ok(count),
        _ => bail!("{} ended early: {}", program.name(), cause(&said)),
    }
}

/// The line of a counter's words that says why the program ended.
fn cause(said: &str) -> &str {
    let telling = ["error:", "terminating", "panicked", "not supported"];
    let line = said.lines().find(|line| telling.iter().any(|word| line.contains(word)));
    line.or(said.lines().last()).unwrap_or("it said nothing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_off_the_tools_words() {
        let perf = "12345,,instructions:u,100,100.00,,\n";
        assert_eq!(InstructionCounter::Perf.read(perf), Some(12345));
        assert_eq!(
            InstructionCounter::Perf.read("<not supported>,,instructions:u,0,100.00,,"),
            None
        );
        let cachegrind = "==7== Command: x\n==7== I   refs:      1,843,802\n";
        assert_eq!(InstructionCounter::Valgrind.read(cachegrind), Some(1_843_802));
        assert_eq!(
            InstructionCounter::Valgrind.read("==7== I refs:  10\n==8== I refs:  5\n"),
            Some(15)
        );
        assert_eq!(InstructionCounter::Valgrind.read("valgrind: no such tool"), None);
    }
}
