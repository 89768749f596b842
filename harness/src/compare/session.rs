//! Two programs against each other: rounds, verdicts, a rerun of what looks slower, instruction counts.

use super::instructions::{Choice, Counted, Counter, Job};
use super::judge::{Gate, Judged, Rules, suspects};
use super::matched::Common;
use super::rounds::{Folders, Measured, Rounds};
use super::subject::Program;
use super::{Comparison, Ended};
use crate::execute::run::{self, Request, chosen_workers};
use crate::execute::signals::Signals;
use crate::experiment::ScaleName;
use crate::experiment::library::{self, Source};
use crate::kinds::pairs::backend_pool;
use crate::names;
use crate::plan::Plan;
use crate::store::folder::Folder;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const STATE: &str = "comparison-state.json";
/// Counting under valgrind stops here; what was not counted is said.
const COUNTING: Duration = Duration::from_secs(60);

pub struct Programs {
    pub base: Program,
    pub new: Program,
    /// Names or files; empty means the experiments made for this.
    pub experiments: Vec<String>,
    pub scale: ScaleName,
    pub seed: Option<u64>,
    pub backends: Vec<String>,
    pub rules: Rules,
    pub each_transformation: bool,
    pub rounds: u32,
    pub budget: Duration,
    pub workers: Option<usize>,
    pub counter: Choice,
    pub rerun: bool,
    /// Limits of one decision, in place of the experiment's.
    pub seconds: Option<f64>,
    pub memory_mib: Option<u64>,
    pub out: PathBuf,
    pub fresh: bool,
}

/// An experiment to measure, as it stands in its file.
struct Task {
    plan: Plan,
    text: String,
    source: String,
}

/// What was measured of all tasks, or what stopped it.
enum Gathered {
    Common(Common, usize),
    Stopped(Ended),
}

impl Programs {
    pub fn compare(&self) -> anyhow::Result<Ended> {
        let clock = Instant::now();
        let counter = Counter::choose(self.counter);
        if let (Err(why), true) = (&counter, self.rules.gate == Gate::Instructions) {
            bail!("--gate instructions needs a counter: {why}");
        }
        chosen_workers(self.workers)?;
        let mut notes = Vec::new();
        let tasks = self.tasks(&mut notes)?;
        let files = self.prepare(&tasks)?;
        let signals = Signals::listen().context("cannot listen for Ctrl-C")?;
        let (common, rounds) = match self.gather(&tasks, "round", &files, &signals)? {
            Gathered::Common(common, rounds) => (common, rounds),
            Gathered::Stopped(ended) => return Ok(ended),
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
            let task = self.task(&name)?;
            tasks.extend(self.with_available(task, notes)?);
        }
        match tasks.is_empty() {
            true => bail!("none of the backends is available here; see `pidlab backends`"),
            false => Ok(tasks),
        }
    }

    fn task(&self, name: &str) -> anyhow::Result<Task> {
        let source = library::find(name)?;
        let (plan, text) = run::plan(&self.request(source, None))?;
        Ok(Task { plan, text, source: name.to_string() })
    }

    fn request(&self, experiment: Source, backends: Option<Vec<String>>) -> Request {
        Request {
            experiment,
            scale: self.scale,
            seed: self.seed,
            backends,
            out: None,
            workers: self.workers,
            seconds: self.seconds,
            memory_mib: self.memory_mib,
            fresh: false,
        }
    }

    /// The backends that were asked for; of an experiment's own, those that this program has.
    fn with_available(&self, task: Task, notes: &mut Vec<String>) -> anyhow::Result<Option<Task>> {
        let mut kept = Vec::new();
        for backend in &task.plan.backends {
            let asked = self.backends.is_empty() || self.backends.contains(backend);
            match backend_pool::open_one(backend) {
                Ok(_) if asked => kept.push(backend.clone()),
                Err(error) if asked => notes.push(format!("left out: {error:#}")),
                _ => {}
            }
        }
        if !self.experiments.is_empty() && !self.backends.is_empty() {
            kept = self.backends.clone();
            backend_pool::open(&kept)?;
        }
        self.restricted(task, kept)
    }

    /// The same experiment with other backends; nothing if there are none.
    fn restricted(&self, task: Task, backends: Vec<String>) -> anyhow::Result<Option<Task>> {
        if backends.is_empty() {
            return Ok(None);
        }
        let source = library::find(&task.source)?;
        let (plan, text) = run::plan(&self.request(source, Some(backends)))?;
        Ok(Some(Task { plan, text, source: task.source }))
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
            bail!(
                "{} holds something else than a comparison; choose another folder with --out",
                self.out.display()
            );
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
        for task in tasks {
            match rounds.measure(&task.plan, &task.text, name)? {
                Measured::Complete(folders) => {
                    most = most.max(folders.len());
                    self.add(&mut common, &folders)?;
                }
                Measured::Interrupted => {
                    return Ok(Gathered::Stopped(Ended::Interrupted(self.out.clone())));
                }
                Measured::Disagreement(saved) => {
                    return Ok(Gathered::Stopped(Ended::Disagreement(saved)));
                }
            }
        }
        Ok(Gathered::Common(common, most))
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
            return Ok(Ok("each half of the states alone (--no-rerun)".into()));
        }
        let again = self.suspected(tasks, judged)?;
        match self.gather(&again, "rerun", files, signals)? {
            Gathered::Common(second, rounds) => {
                self.rules.confirm(judged, &second);
                Ok(Ok(format!("measured again in {rounds} rounds")))
            }
            Gathered::Stopped(ended) => Ok(Err(ended)),
        }
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
                again.extend(self.restricted(self.task(&task.source)?, list)?);
            }
        }
        Ok(again)
    }

    /// Counts every backend while there is time, the suspicious ones first; says what counted.
    fn count(
        &self,
        counter: Result<Counter, String>,
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
        let clock = Instant::now();
        let mut order: Vec<usize> = (0..judged.len()).collect();
        order.sort_by_key(|&i| judged[i].standing == super::Standing::Unremarkable);
        let mut known: BTreeMap<(String, String), Option<Counted>> = BTreeMap::new();
        for i in order {
            let key = (judged[i].group.experiment.clone(), judged[i].group.backend.clone());
            if !known.contains_key(&key) {
                let stop = clock.elapsed() > COUNTING || signals.count() > 0;
                let counted =
                    if stop { None } else { self.count_one(counter, tasks, &key, files, notes)? };
                known.insert(key.clone(), counted);
            }
            judged[i].instructions = known.get(&key).copied().flatten();
        }
        let missing: Vec<&str> =
            known.iter().filter(|(_, c)| c.is_none()).map(|((_, b), _)| b.as_str()).collect();
        if !missing.is_empty() {
            notes.push(format!("instructions not counted: {}", missing.join(", ")));
        }
        Ok(counter.name().into())
    }

    fn count_one(
        &self,
        counter: Counter,
        tasks: &[Task],
        (experiment, backend): &(String, String),
        files: &Folder,
        notes: &mut Vec<String>,
    ) -> anyhow::Result<Option<Counted>> {
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
