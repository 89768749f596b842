//! Two programs against each other: rounds, verdicts, a rerun of what looks slower, instruction counts.

use super::instructions::{Choice, InstructionCount, InstructionCounter, Job};
use super::judge::{Gate, Judged, Rules, suspects};
use super::matched::Common;
use super::rounds::{Folders, Rounds};
use super::subject::Program;
use super::{Comparison, Ended, NO_RERUN};
use crate::execute::run::{self, Request, chosen_workers};
use crate::execute::signals::Signals;
use crate::experiment::ScaleName;
use crate::experiment::library;
use crate::kinds;
use crate::names;
use crate::plan::Plan;
use crate::remedy::Remedy;
use crate::store::folder::Folder;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const STATE: &str = "comparison-state.json";
/// Counting under valgrind stops here; what was not counted is said.
const COUNTING: Duration = Duration::from_secs(60);

/// A comparison of two programs.
pub struct Programs {
    /// The old one.
    pub base: Program,
    /// The new one.
    pub new: Program,
    /// Names or files; empty means the experiments made for this.
    pub experiments: Vec<String>,
    /// How much of each experiment.
    pub scale: ScaleName,
    /// Another seed than the experiments'.
    pub seed: Option<u64>,
    /// Only these; all if there are none.
    pub backends: Vec<String>,
    /// What counts as what.
    pub rules: Rules,
    /// Whether there is a verdict for each transformation.
    pub each_transformation: bool,
    /// Rounds of measuring.
    pub rounds: u32,
    /// No round starts later.
    pub budget: Duration,
    /// Pairs of worker processes, if not one a core.
    pub workers: Option<usize>,
    /// What counts instructions.
    pub counter: Choice,
    /// Whether suspects are measured again.
    pub rerun: bool,
    /// Limits of one decision, in place of the experiment's.
    pub seconds: Option<f64>,
    /// Memory limit of one decision.
    pub memory_mib: Option<u64>,
    /// Where everything is kept.
    pub out: PathBuf,
    /// Whether an interrupted comparison is begun anew.
    pub fresh: bool,
}

/// An experiment to measure, as it stands in its file.
struct Task {
    plan: Plan,
    text: String,
    source: String,
}

impl Task {
    /// What a round takes beside rounds of other experiments: what the experiment says of itself, or its rows.
    fn weight(&self) -> f64 {
        let declared = self.plan.experiment.scale(self.plan.scale).seconds;
        if declared > 0.0 { declared } else { 1e-3 * self.plan.rows().max(1) as f64 }
    }
}

/// What was measured of all tasks and in how many rounds, or what stopped it.
type Gathered = Result<(Common, usize), Ended>;

impl Programs {
    /// Measures and compares them.
    pub fn compare(&self) -> anyhow::Result<Ended> {
        let clock = Instant::now();
        let counter = InstructionCounter::choose(self.counter);
        if let (Err(why), true) = (&counter, self.rules.gate == Gate::Instructions) {
            bail!("instructions are the gate, but they cannot be counted: {why}");
        }
        chosen_workers(self.workers)?;
        let mut notes = Vec::new();
        let tasks = self.tasks(&mut notes)?;
        let files = self.prepare(&tasks)?;
        let signals = Signals::listen().context("cannot listen for Ctrl-C")?;
        let (common, rounds) = match self.gather(&tasks, "round", &files, &signals)? {
            Ok(gathered) => gathered,
            Err(ended) => return Ok(ended),
        };
        let mut judged = self.rules.judge(&common);
        let mut confirmation = "nothing to confirm".to_string();
        if !suspects(&judged).is_empty() {
            confirmation = match self.confirm(&tasks, &mut judged, &common, (&files, &signals))? {
                Ok(how) => how,
                Err(ended) => return Ok(ended),
            };
        }
        let instructions =
            self.count(counter, &tasks, &mut judged, (&files, &signals), &mut notes)?;
        if signals.count() > 0 {
            return Ok(Ended::Interrupted(files.path().to_path_buf()));
        }
        self.rules.weigh_instructions(&mut judged);
        if common.other_inputs > 0 {
            notes.push(format!("{} rows left out: their states differ", common.other_inputs));
        }
        self.save_state(&files, &tasks, true)?;
        Ok(Ended::Complete(Box::new(Comparison {
            base: self.base.name(),
            new: self.new.name(),
            judged,
            confirmation,
            instructions,
            notes,
            contradictions: common.contradictions,
            rows: common.rows,
            rounds,
            seconds: clock.elapsed().as_secs_f64(),
            out: Some(self.out.clone()),
        })))
    }

    fn tasks(&self, notes: &mut Vec<String>) -> anyhow::Result<Vec<Task>> {
        let built_in =
            crate::built_in::get().compared.iter().map(|(name, _)| name.to_string()).collect();
        let names = if self.experiments.is_empty() { built_in } else { self.experiments.clone() };
        let mut tasks = Vec::new();
        for name in names {
            let backends = self.available(&name, notes)?;
            if !backends.is_empty() {
                tasks.push(self.task(&name, Some(backends))?);
            }
        }
        match tasks.is_empty() {
            true => bail!("none of the backends is available here; see `pidlab backends`"),
            false => Ok(tasks),
        }
    }

    /// An experiment, with other backends than its own if there are any.
    fn task(&self, name: &str, backends: Option<Vec<String>>) -> anyhow::Result<Task> {
        let (plan, text) = run::plan(&Request {
            experiment: library::find(name)?,
            scale: self.scale,
            seed: self.seed,
            backends,
            shard: None,
            out: None,
            workers: self.workers,
            seconds: self.seconds,
            memory_mib: self.memory_mib,
            fresh: false,
        })?;
        Ok(Task { plan, text, source: name.to_string() })
    }

    /// The backends that were asked for; of an experiment's own, those that this program has.
    fn available(&self, name: &str, notes: &mut Vec<String>) -> anyhow::Result<Vec<String>> {
        if !self.experiments.is_empty() && !self.backends.is_empty() {
            kinds::open(&self.task(name, Some(self.backends.clone()))?.plan)?;
            return Ok(self.backends.clone());
        }
        let mut kept = Vec::new();
        for backend in self.task(name, None)?.plan.listed() {
            if self.backends.is_empty() || self.backends.contains(backend) {
                let alone = self.task(name, Some(vec![backend.clone()]))?;
                match kinds::open(&alone.plan) {
                    Ok(_) => kept.push(backend.clone()),
                    Err(error) => notes.push(format!("left out: {error:#}")),
                }
            }
        }
        Ok(kept)
    }

    /// Opens the folder: an interrupted comparison of the same kind goes on, anything else starts anew.
    fn prepare(&self, tasks: &[Task]) -> anyhow::Result<Folder> {
        let path = self.out.join(STATE);
        let unfinished = std::fs::read_to_string(&path).ok();
        let files = Folder::open(&self.out)?;
        if unfinished.as_deref() == Some(self.state(tasks, false)?.as_str()) && !self.fresh {
            note!("continuing the comparison in {}", self.out.display());
            return Ok(files);
        }
        let names = files.names()?;
        if !names.is_empty() && !names.contains(STATE) {
            let problem = format!("{} holds something else than a comparison", self.out.display());
            return Err(Remedy::OtherFolder.refuse(problem));
        }
        files.clear(&[])?;
        self.save_state(&files, tasks, false)?;
        Ok(files)
    }

    fn state(&self, tasks: &[Task], complete: bool) -> anyhow::Result<String> {
        let plans: Vec<String> =
            tasks.iter().map(|task| format!("{:016x}", task.plan.digest())).collect();
        Ok(serde_json::to_string_pretty(&serde_json::json!({
            "format": "pidlab-comparison-state/1",
            "base": format!("{:08x}", self.base.digest),
            "new": format!("{:08x}", self.new.digest),
            "plans": plans,
            "rounds": self.rounds,
            "complete": complete,
        }))?)
    }

    fn save_state(&self, files: &Folder, tasks: &[Task], complete: bool) -> anyhow::Result<()> {
        files.write(STATE, self.state(tasks, complete)?.as_bytes()).map(|_| ())
    }

    fn gather(
        &self,
        tasks: &[Task],
        name: &str,
        files: &Folder,
        signals: &Signals,
    ) -> anyhow::Result<Gathered> {
        let rounds = Rounds {
            programs: [&self.base, &self.new],
            lanes: chosen_workers(self.workers)?,
            rounds: self.rounds,
            budget: self.budget / tasks.len().max(1) as u32,
            signals,
            files,
        };
        let mut common = Common::default();
        let mut most = 0;
        for (number, task) in tasks.iter().enumerate() {
            let later = |each: Duration| {
                let of = |other: &Task| rounds.whole(each.mul_f64(other.weight() / task.weight()));
                tasks[number + 1..].iter().map(of).sum()
            };
            match rounds.measure(&task.plan, &task.text, name, &later)? {
                Ok(folders) => {
                    most = most.max(folders.len());
                    self.add(&mut common, &folders)?;
                }
                Err(ended) => return Ok(Err(ended)),
            }
        }
        Ok(Ok((common, most)))
    }

    fn add(&self, common: &mut Common, folders: &Folders) -> anyhow::Result<()> {
        for (round, (base, new)) in folders.iter().enumerate() {
            common.add(base, new, round as u32, self.each_transformation)?;
        }
        Ok(())
    }

    /// Measures the suspects again; the text says how, an `Err` that it was stopped.
    fn confirm(
        &self,
        tasks: &[Task],
        judged: &mut [Judged],
        common: &Common,
        (files, signals): (&Folder, &Signals),
    ) -> anyhow::Result<Result<String, Ended>> {
        if !self.rerun {
            self.rules.confirm_by_halves(judged, common);
            return Ok(Ok(format!("each half of the states alone ({NO_RERUN})")));
        }
        let again = self.suspected(tasks, judged)?;
        Ok(self.gather(&again, "rerun", files, signals)?.map(|(second, rounds)| {
            self.rules.confirm(judged, &second);
            format!("measured again in {rounds} rounds")
        }))
    }

    /// The experiments of the suspects, with only their backends.
    fn suspected(&self, tasks: &[Task], judged: &[Judged]) -> anyhow::Result<Vec<Task>> {
        let mut backends: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for one in suspects(judged) {
            let list = backends.entry(&one.group.experiment).or_default();
            if !list.contains(&one.group.backend) {
                list.push(one.group.backend.clone());
            }
        }
        let mut again = Vec::new();
        for task in tasks {
            if let Some(list) = backends.remove(task.plan.experiment.name.as_str()) {
                again.push(self.task(&task.source, Some(list))?);
            }
        }
        Ok(again)
    }

    /// Counts every backend while there is time, the suspicious ones first; says what counted.
    fn count(
        &self,
        counter: Result<InstructionCounter, String>,
        tasks: &[Task],
        judged: &mut [Judged],
        (files, signals): (&Folder, &Signals),
        notes: &mut Vec<String>,
    ) -> anyhow::Result<String> {
        let counter = match counter {
            Ok(counter) => counter,
            Err(why) => return Ok(format!("none: {why}")),
        };
        note!("counting instructions with {}", counter.name());
        let is_gate = self.rules.gate == Gate::Instructions;
        let clock = Instant::now();
        let mut order: Vec<usize> = (0..judged.len()).collect();
        order.sort_by_key(|&i| judged[i].standing == super::Standing::Unremarkable);
        let mut known: BTreeMap<(String, String), Option<InstructionCount>> = BTreeMap::new();
        for i in order {
            let key = (judged[i].group.experiment.clone(), judged[i].group.backend.clone());
            if !known.contains_key(&key) {
                let is_late = !is_gate && clock.elapsed() > COUNTING;
                let stop = is_late || signals.count() > 0;
                let counted =
                    if stop { None } else { self.count_one(counter, tasks, &key, files, notes)? };
                known.insert(key.clone(), counted);
            }
            judged[i].instructions = known.get(&key).copied().flatten();
        }
        let missing: Vec<&str> =
            known.iter().filter(|(_, c)| c.is_none()).map(|((_, b), _)| b.as_str()).collect();
        if is_gate && !missing.is_empty() && signals.count() == 0 {
            bail!(
                "instructions are the gate, but were not counted for {}: {}",
                missing.join(", "),
                notes.join("; ")
            );
        }
        if !missing.is_empty() {
            notes.push(format!("instructions not counted: {}", missing.join(", ")));
        }
        Ok(counter.name().into())
    }

    fn count_one(
        &self,
        counter: InstructionCounter,
        tasks: &[Task],
        (experiment, backend): &(String, String),
        files: &Folder,
        notes: &mut Vec<String>,
    ) -> anyhow::Result<Option<InstructionCount>> {
        let Some(task) = tasks.iter().find(|task| task.plan.experiment.name == *experiment) else {
            return Ok(None);
        };
        let folder = format!("counted/{experiment}-{}", names::plain(backend));
        let job = Job {
            counter,
            programs: [&self.base, &self.new],
            plan: &task.plan,
            text: &task.text,
            backend,
            files,
            folder: &folder,
            twice: self.rules.gate != Gate::Time,
        };
        match job.count() {
            Ok(counted) => Ok(Some(counted)),
            Err(error) => {
                notes.push(format!("{backend} was not counted: {error:#}"));
                Ok(None)
            }
        }
    }
}

/// Writes a result beside the measurements it rests on.
pub fn keep(out: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    Folder::open(out)?.write(name, text.as_bytes()).map(|_| ())
}
