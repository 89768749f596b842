//! `pidlab cover --compare DIR`: all algorithms on every model below a folder, as an experiment.

use super::Args;
use crate::commands::run::{Ran, warn_of_failures};
use crate::heartbeat;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Rows};
use pidlab_harness::analyse::cells::CaseCount;
use pidlab_harness::execute::run;
use pidlab_harness::experiment::ScaleName;
use pidlab_harness::experiment::library::ExperimentSource;
use pidlab_harness::pipeline::{self, Finished};
use pidlab_harness::store::manifest::End;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Seconds for each algorithm on a model, unless told.
const TIMEOUT: f64 = 30.0;

#[derive(Serialize)]
struct Compared {
    format: &'static str,
    run: String,
    report: String,
    /// Instances solved and asked, by algorithm.
    solved: BTreeMap<String, (usize, usize)>,
    cells: Vec<CaseCount>,
    #[serde(skip)]
    outcome: Outcome,
}

pub fn run(folder: &Path, args: &Args) -> anyhow::Result<Done> {
    let mut request = args.run.request(experiment(folder, args)?, ScaleName::Small);
    request.seconds.get_or_insert(TIMEOUT);
    request.out.get_or_insert_with(|| PathBuf::from("results/local/coverability"));
    let report = run::run(&request)?;
    if report.end != End::Complete {
        return Ok(Ran::stopped(report).into());
    }
    warn_of_failures(&report);
    let present = || -> anyhow::Result<(Finished, PathBuf)> {
        let finished = pipeline::analyse(&report.folder)?;
        let page = finished.report(&finished.plot()?)?;
        Ok((finished, page))
    };
    let (finished, page) = heartbeat::during("analysing", present)?;
    let compared = Compared {
        format: "pidlab-cover-comparison/2",
        run: report.folder.display().to_string(),
        report: page.display().to_string(),
        solved: solved(&finished.analysis.cells),
        cells: finished.analysis.cells,
        outcome: Outcome::of_run(&report),
    };
    Ok(compared.into())
}

impl Document for Compared {
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for (algorithm, (solved, asked)) in &self.solved {
            writeln!(out, "{algorithm:12} solved {solved} of {asked}")?;
        }
        writeln!(out, "report: {}", self.report)
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("*", &self.cells)
    }
}

/// The experiment that the options stand for.
fn experiment(folder: &Path, args: &Args) -> anyhow::Result<ExperimentSource> {
    let text = |value: &str| toml::Value::from(value).to_string();
    let algorithms: Vec<String> = args.algorithms.iter().map(|name| text(name)).collect();
    let experiment = format!(
        "name = \"coverability\"\ntitle = \"Coverability algorithms side by side\"\nsource = \"ours\"\n\
         claim = \"none\"\nbackends = [{}]\nfigures = [\"cactus\"]\n\
         [[instances]]\nlabel = \"models\"\nfolder = {}\nreduce = {}\n\
         [scale]\nsmoke = {{ seconds = 0 }}\nsmall = {{ seconds = 0 }}\npaper = {{ seconds = 0 }}\n\
         [analysis]\ntime = \"decide\"\nclock = \"wall\"\n",
        algorithms.join(", "),
        text(&folder.display().to_string()),
        !args.no_reduce
    );
    Ok(ExperimentSource { text: experiment, path: PathBuf::from("--compare") })
}

fn solved(cells: &[CaseCount]) -> BTreeMap<String, (usize, usize)> {
    let mut solved: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for cell in cells {
        let counts = solved.entry(cell.backend.clone()).or_default();
        counts.0 += usize::from(cell.is_complete());
        counts.1 += 1;
    }
    solved
}
