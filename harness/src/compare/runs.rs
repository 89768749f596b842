//! Two finished runs against each other.
//!
//! They were made at different times, so a busy hour passes for a slow program. If this program is
//! the one that made the new run, on this machine, what looks slower is run again and set against
//! the base; else each half of the states must say so alone.

use super::judge::{Rules, suspects};
use super::matched::Common;
use super::{Comparison, Ended, NO_RERUN};
use crate::execute::run::{self, Request};
use crate::experiment::library::ExperimentSource;
use crate::remedy::Remedy;
use crate::store::machine::{self, Machine};
use crate::store::manifest::{End, Manifest};
use crate::store::provenance::Provenance;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A comparison of two finished runs.
pub struct Runs<'r> {
    /// The old run.
    pub base: &'r Path,
    /// The new run.
    pub new: &'r Path,
    /// What counts as what.
    pub rules: Rules,
    /// Whether there is a verdict for each transformation.
    pub each_transformation: bool,
    /// Whether runs of different machines are compared all the same.
    pub across_machines: bool,
    /// Whether suspects are run again.
    pub rerun: bool,
    /// Where to.
    pub out: PathBuf,
    /// Worker processes, if not one a core.
    pub workers: Option<usize>,
}

/// How the suspects are to be held against something else.
enum Second {
    Rerun,
    Halves(String),
}

impl Runs<'_> {
    /// Compares them.
    pub fn compare(&self) -> anyhow::Result<Ended> {
        let clock = Instant::now();
        let (base, new) = (self.origin(self.base)?, self.origin(self.new)?);
        let mut notes = self.check_machines(&base, &new)?;
        let mut common = Common::default();
        common.add(self.base, self.new, 0, self.each_transformation)?;
        let mut judged = self.rules.judge(&common);
        let mut confirmation = "nothing to confirm".to_string();
        if !suspects(&judged).is_empty() {
            match self.second(&new) {
                Second::Halves(why) => {
                    self.rules.confirm_by_halves(&mut judged, &common);
                    confirmation = format!("each half of the states alone ({why})");
                }
                Second::Rerun => {
                    let backends = suspects(&judged).into_iter().map(|s| s.group.backend.clone());
                    let Some(again) = self.run_again(backends.collect())? else {
                        return Ok(Ended::Interrupted(self.out.clone()));
                    };
                    self.rules.confirm(&mut judged, &again);
                    confirmation = "the new run was made again by this program".into();
                }
            }
        }
        if common.other_inputs > 0 {
            notes.push(format!("{} rows left out: their states differ", common.other_inputs));
        }
        Ok(Ended::Complete(Box::new(Comparison {
            base: self.base.display().to_string(),
            new: self.new.display().to_string(),
            judged,
            confirmation,
            instructions: "none: two finished runs cannot be counted".into(),
            notes,
            contradictions: common.contradictions,
            rows: common.rows,
            rounds: 1,
            seconds: clock.elapsed().as_secs_f64(),
            out: None,
        })))
    }

    fn origin(&self, folder: &Path) -> anyhow::Result<Provenance> {
        let manifest = Manifest::read(folder)?;
        match machine::several(folder, &manifest) {
            Some(problem) if !self.across_machines => Err(Remedy::AcrossMachines.refuse(problem)),
            _ => machine::origin(folder, &manifest),
        }
    }

    /// Refuses to compare machines unasked; notes what else may explain a difference.
    fn check_machines(&self, base: &Provenance, new: &Provenance) -> anyhow::Result<Vec<String>> {
        let (here, there) = (Machine::of(base), Machine::of(new));
        if here != there && !self.across_machines {
            return Err(Remedy::AcrossMachines.refuse(format!(
                "{} was made on {here}, {} on {there}: times of different machines do not compare",
                self.base.display(),
                self.new.display()
            )));
        }
        let mut notes = vec![
            "two runs made at different times: a busy machine passes for a slow program; comparing programs or commits interleaves them".to_string(),
        ];
        for (what, old, new) in [
            ("kernel", &base.kernel, &new.kernel),
            ("governor", &base.governor, &new.governor),
            ("machine", &here.to_string(), &there.to_string()),
        ] {
            if old != new {
                notes.push(format!("{what}: {old}, then {new}"));
            }
        }
        Ok(notes)
    }

    fn second(&self, new: &Provenance) -> Second {
        let own = Provenance::here();
        if !self.rerun {
            Second::Halves(NO_RERUN.into())
        } else if new.commit != own.commit || Machine::of(new) != Machine::of(&own) {
            Second::Halves(format!(
                "no rerun: the new run is of {} on {}, this program is {} on {}",
                new.commit,
                Machine::of(new),
                own.commit,
                Machine::of(&own)
            ))
        } else if !self.new.join("experiment.toml").exists() {
            Second::Halves("no rerun: the new run's experiment.toml is missing".into())
        } else {
            Second::Rerun
        }
    }

    /// Makes the suspected part of the new run again; nothing if the user stopped it.
    fn run_again(&self, mut backends: Vec<String>) -> anyhow::Result<Option<Common>> {
        backends.sort();
        backends.dedup();
        note!("running {} again to confirm", backends.join(", "));
        let manifest = Manifest::read(self.new)?;
        let path = self.new.join("experiment.toml");
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let report = run::run(&Request {
            experiment: ExperimentSource { text, path },
            scale: manifest.scale,
            seed: Some(manifest.seed),
            backends: Some(backends),
            shard: None,
            out: Some(self.out.clone()),
            workers: self.workers,
            seconds: None,
            memory_mib: None,
            fresh: true,
        })?;
        if report.end != End::Complete {
            return Ok(None);
        }
        let mut again = Common::default();
        again.add(self.base, &self.out, 0, self.each_transformation)?;
        Ok(Some(again))
    }
}
