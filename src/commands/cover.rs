//! `pidlab cover`: can a bad state be reached with some number of threads?

use crate::outcome::Outcome;
use anyhow::{Context, bail};
use clap::Args;
use pidlab_cover::answer::{Document, FORMAT, Verdict};
use pidlab_cover::budget::Budget;
use pidlab_cover::check;
use pidlab_cover::net::Net;
use pidlab_cover::parse;
use pidlab_cover::solve::{Options, SolveError, solve};
use pidlab_cover::stress::{StressOptions, StressReport, stress};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args)]
pub struct CoverArgs {
    /// The model: .spec, .tts (with its .prop), .lgfsm or .bp
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// auto, beacon, beacon:bfs, karp-miller, mp, backward or bounded:<n>
    #[arg(long, default_value = "auto", value_name = "NAME")]
    algorithm: String,
    /// Property of a .tts file (default: FILE.prop, or FILE with .prop instead of .tts)
    #[arg(long, value_name = "FILE")]
    prop: Option<PathBuf>,
    /// Seconds after which the answer is "unknown"
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// Memory after which the answer is "unknown", in MiB
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<u64>,
    /// Search the model as it is, without merging states that behave alike
    #[arg(long)]
    no_reduce: bool,
    /// Check the trace or certificate of an earlier answer (its --json output) against FILE
    #[arg(long, value_name = "ANSWER")]
    verify: Option<PathBuf>,
    /// Search random machines on which the published algorithm is incomplete, no FILE needed
    #[arg(long)]
    stress: bool,
    /// How many random machines --stress tries
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    machines: u64,
    /// Seed of the random machines
    #[arg(long, default_value_t = 2001)]
    seed: u64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(args: CoverArgs) -> anyhow::Result<Outcome> {
    if args.stress {
        return run_stress(&args);
    }
    let Some(file) = &args.file else {
        bail!("which model? give a .spec, .tts, .lgfsm or .bp file");
    };
    let net = read_model(file, args.prop.as_deref())?;
    if let Some(answer) = &args.verify {
        return verify(&net, answer, args.json);
    }
    let options = Options {
        algorithm: args.algorithm.clone(),
        budget: budget(args.timeout, args.memory_limit)?,
        reduce: !args.no_reduce,
    };
    match solve(&net, &options) {
        Ok(document) => report(&document, args.json),
        Err(error @ SolveError::Rejected { .. }) => {
            eprintln!("error: {error}");
            Ok(Outcome::Disagreement)
        }
        Err(error) => Err(error.into()),
    }
}

fn budget(seconds: Option<f64>, mebibytes: Option<u64>) -> anyhow::Result<Budget> {
    let time = match seconds {
        Some(s) => Some(
            Duration::try_from_secs_f64(s)
                .with_context(|| format!("--timeout {s}: expected a number of seconds"))?,
        ),
        None => None,
    };
    Ok(Budget::new(time, mebibytes.map(|m| m.saturating_mul(1 << 20))))
}

/// Reads a model by the ending of its name.
pub fn read_model(file: &Path, prop: Option<&Path>) -> anyhow::Result<Net> {
    let name = file.display();
    let text = read(file)?;
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let parsed = match ending {
        "spec" => parse::spec::parse(&text),
        "lgfsm" => parse::lgfsm::parse(&text),
        "bp" => parse::bp::parse(&text),
        "tts" => return read_tts(file, &text, prop),
        _ => bail!("{name}: expected a name that ends in .spec, .tts, .lgfsm or .bp"),
    };
    parsed.with_context(|| format!("{name}"))
}

fn read_tts(file: &Path, text: &str, prop: Option<&Path>) -> anyhow::Result<Net> {
    let mut net = parse::tts::parse_system(text).with_context(|| file.display().to_string())?;
    let prop = match prop {
        Some(given) => given.to_path_buf(),
        None => property_beside(file)?,
    };
    net.targets = parse::tts::parse_property(&read(&prop)?, &net)
        .with_context(|| prop.display().to_string())?;
    Ok(net)
}

/// `x.tts.prop` or `x.prop`, whichever exists.
fn property_beside(file: &Path) -> anyhow::Result<PathBuf> {
    let mut appended = file.as_os_str().to_owned();
    appended.push(".prop");
    let candidates = [PathBuf::from(appended), file.with_extension("prop")];
    let found = candidates.iter().find(|path| path.exists()).cloned();
    found.with_context(|| {
        format!(
            "{}: no property beside it ({}); give --prop",
            file.display(),
            candidates[1].display()
        )
    })
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn outcome(verdict: Verdict) -> Outcome {
    match verdict {
        Verdict::Safe => Outcome::Yes,
        Verdict::Unsafe => Outcome::No,
        Verdict::Unknown => Outcome::Undecided,
    }
}

fn report(document: &Document, json: bool) -> anyhow::Result<Outcome> {
    if json {
        say(&serde_json::to_string(document)?);
    } else {
        say(&answer_text(document));
    }
    Ok(outcome(document.verdict))
}

fn answer_text(document: &Document) -> String {
    let verdict = match document.verdict {
        Verdict::Safe => "safe for any number of threads",
        Verdict::Unsafe => "unsafe",
        Verdict::Unknown => "unknown",
    };
    let mut text = format!(
        "{verdict}, answered by {} in {:.3} s: {} configurations explored, {} kept\n",
        document.algorithm, document.seconds, document.explored, document.kept
    );
    if let Some(reason) = &document.reason {
        text.push_str(reason);
    }
    if let Some(trace) = &document.trace {
        let _ = writeln!(text, "{} threads, {} steps, replayed:", trace.threads, trace.steps.len());
        for (number, step) in trace.steps.iter().enumerate() {
            let _ = writeln!(text, "{:>4}. line {}: {}", number + 1, step.line, step.rule);
        }
    }
    if document.certificate.is_some() {
        text.push_str("certificate checked (--json prints it)");
    }
    text
}

fn run_stress(args: &CoverArgs) -> anyhow::Result<Outcome> {
    let options = StressOptions {
        machines: args.machines,
        seed: args.seed,
        budget: budget(args.timeout, args.memory_limit)?,
    };
    let report = match stress(&options) {
        Ok(report) => report,
        Err(stop) => {
            eprintln!("stopped: {stop}");
            return Ok(Outcome::Undecided);
        }
    };
    if args.json {
        say(&serde_json::to_string(&report)?);
    } else {
        say(&stress_text(&report));
    }
    Ok(Outcome::Yes)
}

fn stress_text(report: &StressReport) -> String {
    let mut text = format!("seed {}, {} machines\n", report.seed, report.machines);
    for row in &report.schedules {
        let _ = writeln!(
            text,
            "{:22} {:>6} incomplete, {:>6} lost a shared state, {:>6} never met it",
            row.schedule, row.incomplete, row.lost_shared_state, row.never_met
        );
    }
    let _ = writeln!(
        text,
        "net of Finkel et al. 2005: {} schedules, {} incomplete",
        report.finkel_schedules, report.finkel_incomplete
    );
    for row in &report.schedules {
        if let (Some(example), Some(number)) = (&row.example, row.example_machine) {
            let _ = writeln!(text, "\n# {}: machine {number}\n{example}", row.schedule);
        }
    }
    text
}

/// Prints to standard output; a reader that has gone away is no error.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{}", text.trim_end());
}

fn verify(net: &Net, answer: &Path, json: bool) -> anyhow::Result<Outcome> {
    let document: Document = serde_json::from_str(&read(answer)?)
        .with_context(|| format!("{} is no {FORMAT} document", answer.display()))?;
    if document.format != FORMAT {
        bail!("{}: format `{}`, expected `{FORMAT}`", answer.display(), document.format);
    }
    let (outcome, violation) = match check::check_document(net, &document) {
        Ok(true) => (Outcome::Yes, None),
        Ok(false) => (Outcome::Undecided, Some("the answer is \"unknown\"".to_string())),
        Err(rejection) => (Outcome::No, Some(rejection.to_string())),
    };
    let valid = violation.is_none();
    if json {
        let text = serde_json::json!({
            "format": "pidlab-verify/1", "valid": valid, "violation": violation
        });
        say(&text.to_string());
    } else {
        say(&violation.unwrap_or_else(|| "valid".into()));
    }
    Ok(outcome)
}
