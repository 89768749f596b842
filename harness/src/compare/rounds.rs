//! An experiment measured with two programs in rounds; every round is two ordinary run folders.

use super::Ended;
use super::duel::{Duel, DuelEnd, Side};
use super::subject::Program;
use crate::execute::ledger::Ledger;
use crate::execute::progress::{Ahead, Progress};
use crate::execute::signals::Signals;
use crate::kinds;
use crate::plan::Plan;
use crate::store::folder::Folder;
use crate::store::manifest::{End, Session};
use crate::store::provenance::Provenance;
use crate::store::{FoundRows, Store};
use anyhow::bail;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Fewer rounds would not show how much one round differs from the next.
const FEWEST_ROUNDS: u32 = 3;

pub struct Rounds<'r> {
    pub programs: [&'r Program; 2],
    pub lanes: usize,
    pub rounds: u32,
    /// No round starts later than this, after the first few.
    pub budget: Duration,
    pub signals: &'r Signals,
    /// The folder that everything is kept in.
    pub files: &'r Folder,
}

/// The run folders of base and new, one pair a round.
pub type Folders = Vec<(PathBuf, PathBuf)>;

impl Rounds<'_> {
    /// Measures in folders that start with `name`, below one named after the experiment; goes on where
    /// an earlier call stopped. The inner error says why it did not come to its end. `later` tells what comes after
    /// all rounds of this experiment, from what a round of it takes.
    pub fn measure(
        &self,
        plan: &Plan,
        text: &str,
        name: &str,
        later: &dyn Fn(Duration) -> Duration,
    ) -> anyhow::Result<Result<Folders, Ended>> {
        let clock = Instant::now();
        let mut folders = Folders::new();
        let mut expected = None;
        for round in 1..=self.rounds {
            if round > FEWEST_ROUNDS && clock.elapsed() > self.budget {
                note!("time is up after {} rounds", round - 1);
                break;
            }
            let pair = self.pair(&format!("{}/{name}-{round:02}", plan.experiment.name))?;
            let started = Instant::now();
            let ahead = self.ahead((round, clock.elapsed()), expected, later);
            let outcome = self.round(plan, text, [&pair.0, &pair.1], (round, ahead))?;
            match outcome.end {
                End::Complete => folders.push(pair),
                End::Disagreement => {
                    let files = [Folder::open(&pair.0)?, Folder::open(&pair.1)?];
                    let saved = reproduce(plan, &files, &outcome)?;
                    return Ok(Err(Ended::Disagreement(saved)));
                }
                _ => return Ok(Err(Ended::Interrupted(self.files.path().to_path_buf()))),
            }
            let whole = outcome.rows.iter().all(|&rows| rows == plan.rows());
            expected = whole.then(|| started.elapsed()).or(expected);
            note!(
                "{}: {name} {round} of {}, {} rows each, {:.1} s",
                plan.experiment.name,
                self.rounds,
                plan.rows(),
                started.elapsed().as_secs_f64()
            );
        }
        Ok(Ok(folders))
    }

    /// What all rounds of an experiment take if one takes so long.
    pub fn whole(&self, each: Duration) -> Duration {
        each * rounds_within(each, self.rounds, self.budget, 1)
    }

    /// What comes after a round that begins after so much time of the experiment.
    fn ahead(
        &self,
        (round, spent): (u32, Duration),
        expected: Option<Duration>,
        later: &dyn Fn(Duration) -> Duration,
    ) -> Ahead {
        let Some(each) = expected.filter(|each| !each.is_zero()) else {
            return Ahead { expected, rounds_after: f64::from(self.rounds - round) };
        };
        let others = later(each).as_secs_f64() / each.as_secs_f64();
        let rounds = rounds_within(each, self.rounds, self.budget.saturating_sub(spent), round);
        Ahead { expected, rounds_after: f64::from(rounds.saturating_sub(round)) + others }
    }

    fn pair(&self, folder: &str) -> anyhow::Result<(PathBuf, PathBuf)> {
        let side = |side: &str| self.files.subfolder(&format!("{folder}/{side}"));
        Ok((side("base")?.path().to_path_buf(), side("new")?.path().to_path_buf()))
    }

    fn round(
        &self,
        plan: &Plan,
        text: &str,
        folders: [&Path; 2],
        round: (u32, Ahead),
    ) -> anyhow::Result<DuelEnd> {
        let mut stores = [
            Store::open(folders[0], plan, text, false)?,
            Store::open(folders[1], plan, text, false)?,
        ];
        let found = [stores[0].scan(plan.rows())?, stores[1].scan(plan.rows())?];
        let here = Provenance::here().with_backends(&plan.backends);
        for (store, program) in stores.iter_mut().zip(self.programs) {
            let provenance = Provenance { commit: program.commit(), ..here.clone() };
            store.manifest.sessions.push(Session::begun(self.lanes, provenance));
            store.save_manifest()?;
        }
        let clock = Instant::now();
        let outcome = self.duel(plan, &stores, found, round)?;
        for (side, store) in stores.iter_mut().enumerate() {
            if let Some(session) = store.manifest.sessions.last_mut() {
                let rows = [outcome.rows[side], outcome.lost[side]];
                session.close(outcome.end, rows, outcome.overhead, clock.elapsed().as_secs_f64());
            }
            store.save_manifest()?;
            if outcome.end == End::Complete {
                store.export(plan, &store.scan(plan.rows())?)?;
                store.describe(plan)?;
            }
        }
        if let Some(failure) = &outcome.failure {
            bail!("the comparison stopped: {failure}");
        }
        Ok(outcome)
    }

    fn duel(
        &self,
        plan: &Plan,
        stores: &[Store; 2],
        found: [FoundRows; 2],
        (round, ahead): (u32, Ahead),
    ) -> anyhow::Result<DuelEnd> {
        let [base, new] = found;
        let session = |store: &Store| store.manifest.sessions.len() - 1;
        let side = |i: usize, found: FoundRows| Side {
            program: &self.programs[i].path,
            ledger: Ledger::new(plan, &stores[i], session(&stores[i]), found.done),
        };
        let what = format!("{} {round}/{}: ", plan.experiment.name, self.rounds);
        let progress = |rows, done| Progress::new(&what, rows, done).of_round(ahead);
        let duel = Duel::new(plan, [side(0, base), side(1, new)], u64::from(round));
        duel.run(progress, self.lanes, self.signals)
    }
}

/// How many of so many rounds there will be if the one numbered `round` begins now and so much time is left.
fn rounds_within(each: Duration, most: u32, left: Duration, round: u32) -> u32 {
    let begun = left.as_secs_f64() / each.as_secs_f64().max(1e-9);
    let last = f64::from(round) + begun;
    most.min(FEWEST_ROUNDS.max(last as u32))
}

fn reproduce(plan: &Plan, files: &[Folder; 2], outcome: &DuelEnd) -> anyhow::Result<Vec<PathBuf>> {
    let mut saved = Vec::new();
    for (side, contradiction) in &outcome.findings {
        note!(
            "DISAGREEMENT in row {} of {}: {} says {}, but {}",
            contradiction.row,
            ["base", "new"][*side],
            contradiction.shown(),
            contradiction.answer,
            contradiction.against
        );
        saved.push(kinds::save_finding(plan, &files[*side], contradiction)?);
    }
    Ok(saved)
}
