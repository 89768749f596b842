//! One exploration per case, symmetry and compression.

use super::experiment::{Case, Experiment, Plan};
use crate::heap::compile::compile;
use crate::heap::run::{Compression, HeapOptions, explore};
use crate::heap::symmetry::ThreadSymmetry;
use crate::search::{Failure, Limits, StopReason};
use crate::source::{Diagnostic, Source};
use pidlab_backends::Exhausted;
use serde::Serialize;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum MeasureError {
    #[error("{0}")]
    Program(#[from] Diagnostic),
    #[error("{0}")]
    Search(#[from] Failure),
}

/// What one exploration gave.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    pub case: String,
    #[serde(serialize_with = "as_text")]
    pub symmetry: ThreadSymmetry,
    pub compression: Compression,
    pub states: u64,
    pub seen: u64,
    pub deadlocks: u64,
    pub complete: bool,
    /// Bytes of the visited set, keys and index.
    pub bytes: u64,
    pub seconds: f64,
}

fn as_text<S: serde::Serializer>(of: &ThreadSymmetry, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(of)
}

impl Cell {
    pub fn bytes_per_state(&self) -> f64 {
        self.bytes as f64 / self.states.max(1) as f64
    }
}

/// Runs everything a plan asks for, depth-first as the paper does; `told` hears of each cell.
pub fn measure(
    experiment: &Experiment,
    plan: &Plan<'_>,
    source: &Source,
    limits: Limits<'_>,
    mut told: impl FnMut(&Cell),
) -> Result<Vec<Cell>, MeasureError> {
    let mut cells = Vec::new();
    for case in &plan.cases {
        for &symmetry in &experiment.symmetries {
            for &compression in &plan.compressions {
                let cell = run(case, source, symmetry, compression, limits)?;
                told(&cell);
                cells.push(cell);
            }
        }
    }
    Ok(cells)
}

fn run(
    case: &Case,
    source: &Source,
    symmetry: ThreadSymmetry,
    compression: Compression,
    limits: Limits<'_>,
) -> Result<Cell, MeasureError> {
    let settings: Vec<(String, i64)> =
        case.constants.iter().map(|(name, &value)| (name.clone(), value)).collect();
    let program = compile(source, &settings)?;
    let options = HeapOptions { symmetry, compression, limits, ..HeapOptions::default() };
    let found = explore(program, &options)?;
    // a cell that a limit cut short says nothing about a claim
    match found.report.stopped {
        Some(StopReason::Time) => return Err(Failure::Limit(Exhausted::Time).into()),
        Some(StopReason::Memory) => return Err(Failure::Limit(Exhausted::Memory).into()),
        _ => {}
    }
    let counters = found.report.counters;
    Ok(Cell {
        case: case.label.clone(),
        symmetry,
        compression,
        states: counters.states,
        seen: counters.seen,
        deadlocks: counters.deadlocks,
        complete: found.report.complete(),
        bytes: found.store_bytes,
        seconds: found.report.elapsed.as_secs_f64(),
    })
}
