//! `report.html` of a run: one self-contained file that opens from disk without a network.

use crate::analyse::{Analysis, Series, dropped};
use crate::claims::{self, Decided, Judgement};
use crate::experiment::Experiment;
use crate::figures::{WrittenFigure, escape};
use crate::kinds::pairs::NO_CHECKED_IN;
use crate::store::manifest::Manifest;
pub use about::run as about_run;
pub use frame::{Fold, cards, foot, grid_table, head, section, table};
use std::fmt::Write;

mod about;
mod decided;
mod frame;
pub mod index;
mod machines;
pub mod published;
pub mod reduction;
pub mod rows;
pub mod seeds;
pub mod sensitivity;
pub mod summary;

/// Everything that the page shows.
pub struct Page<'r> {
    /// What was asked.
    pub experiment: &'r Experiment,
    /// What was run.
    pub manifest: &'r Manifest,
    /// What followed.
    pub analysis: &'r Analysis,
    /// What the claims come to.
    pub claims: &'r [Decided],
    /// What was drawn.
    pub figures: &'r [WrittenFigure],
    /// The rows behind it.
    pub rows: &'r rows::Rows,
}

/// The page.
pub fn render(page: &Page<'_>) -> String {
    let mut out = String::new();
    let (scale, seed) = (page.manifest.scale.name(), page.manifest.seed);
    let source = format!("{} · scale {scale} · seed {seed}", page.experiment.source);
    head(&page.experiment.title, &source, &about::run(page.manifest), &mut out);
    verdict_box(page, &mut out);
    claims_table(page, &mut out);
    figures(page.figures, Linked::WithRows, &mut out);
    page.rows.write(&about::replay(page), &mut out);
    published_tables(page.analysis, &mut out);
    reduced(page.analysis, &mut out);
    conditions(page.analysis, &mut out);
    counts(page.analysis, &mut out);
    fits(page, &mut out);
    comparisons(page.analysis, &mut out);
    decided::decided(page.analysis, &mut out);
    correctness(page.analysis, &mut out);
    noise(page, &mut out);
    machines::machines(page, &mut out);
    machine(page.manifest, &mut out);
    deviations(page, &mut out);
    foot(&mut out);
    out
}

/// How many claims came to what.
fn tally(claims: &[&Decided]) -> String {
    format!("Claims: {}", Judgement::tally(claims.iter().copied()))
}

/// The verdict of a claim, marked by its class.
fn verdict(claim: &Decided) -> String {
    let text = claim.verdict.text();
    format!("<span class=\"v {}\">{text}</span>", text.replace(' ', "-"))
}

/// The verdict, smaller why it is not better and what would decide it.
fn explained(claim: &Decided, experiment: &Experiment, manifest: &Manifest) -> String {
    match about::explanation(experiment, manifest, claim) {
        why if why.is_empty() => verdict(claim),
        why => format!("{}<br><small>{}</small>", verdict(claim), escape(&why)),
    }
}

/// What was found: the finding, and smaller what it rests on.
fn ours(claim: &Decided) -> String {
    match claim.ours.split_once("; ") {
        Some((finding, rest)) => {
            format!("{}<br><small>{}</small>", escape(finding), escape(rest))
        }
        None => escape(&claim.ours),
    }
}

fn verdict_box(page: &Page<'_>, out: &mut String) {
    let wrong = page.analysis.correctness.rejected;
    write!(
        out,
        "<section class=\"box\">{}{} rows over {} {}; {} answers, {}.</section>",
        match page.claims {
            [] => String::new(),
            claims => format!("{}. ", tally(&claims.iter().collect::<Vec<_>>())),
        },
        page.analysis.rows,
        page.analysis.states,
        page.experiment.kind().subjects(),
        page.analysis.correctness.answers,
        match wrong {
            0 => "none contradicted".to_string(),
            n => format!("<b class=\"bad\">{n} contradicted</b>"),
        }
    )
    .ok();
}

/// A longer table of claims is closed at first: the verdicts are counted at the top.
const MOST_OPEN: usize = 20;

/// Nothing where nothing is claimed.
fn claims_table(page: &Page<'_>, out: &mut String) {
    if page.claims.is_empty() {
        return;
    }
    let rows = page.claims.iter().map(|claim| {
        vec![
            escape(&claim.id),
            escape(&claim.source),
            escape(&claim.claim),
            escape(claim.program.as_deref().unwrap_or("–")),
            escape(&claim.paper),
            ours(claim),
            explained(claim, page.experiment, page.manifest),
        ]
    });
    let fold = if page.claims.len() > MOST_OPEN { Fold::Closed } else { Fold::Open };
    section("Claims, published beside ours", fold, out);
    let names = ["claim", "source", "in our words", "program", "published", "ours", "verdict"];
    cards(&names, rows, out);
}

/// Whether a page has the rows behind its figures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Linked {
    /// A click on a mark finds its row.
    WithRows,
    /// There is nothing to find.
    No,
}

/// A section with figures.
pub fn figures(figures: &[WrittenFigure], linked: Linked, out: &mut String) {
    section("Figures", Fold::Open, out);
    let click =
        if linked == Linked::WithRows { ", click it to find the row in the table" } else { "" };
    write!(out, "<p>Hover a mark to see what is behind it{click}; the buttons, or Ctrl and the wheel, zoom, a double click shows one panel, and a zoomed figure is dragged, with rulers where its axes are out of sight. Each figure is also in <code>figures/</code> as .svg, .pdf in two widths, .tex with .csv, and caption.</p>").ok();
    for figure in figures {
        write!(
            out,
            "<figure id=\"{}\">{}<figcaption>{}</figcaption></figure>",
            figure.name,
            figure.svg.trim(),
            escape(figure.caption.trim())
        )
        .ok();
    }
}

fn published_tables(analysis: &Analysis, out: &mut String) {
    let tables = claims::published_tables().unwrap_or_default();
    let grids = published::grids(analysis, &tables);
    if let Some(first) = grids.first() {
        section("The tables, ours beside the paper's", Fold::Closed, out);
        write!(out, "<p>{}</p>", escape(&first.caption)).ok();
    }
    grids.iter().for_each(|grid| grid_table(grid, out));
}

fn reduced(analysis: &Analysis, out: &mut String) {
    let Some(grid) = reduction::grid(analysis) else { return };
    section("What the reduction buys", Fold::Open, out);
    write!(out, "<p>{}</p>", escape(&grid.caption)).ok();
    grid_table(&grid, out);
}

fn conditions(analysis: &Analysis, out: &mut String) {
    let Some(grid) = sensitivity::grid(analysis) else { return };
    section("Under which conditions do 78 and 22 % appear?", Fold::Open, out);
    write!(out, "<p>{}.</p>", escape(&grid.caption)).ok();
    grid_table(&grid, out);
}

/// Counts of models and instances, case by case.
fn counts(analysis: &Analysis, out: &mut String) {
    let Some(first) = analysis.cells.first() else { return };
    section("Counts", Fold::Closed, out);
    let counted: Vec<&str> = first.counts.keys().map(String::as_str).collect();
    let mut names = vec!["case", "instance", "relations", "backend", "answer", "status"];
    names.extend(&counted);
    names.push("seconds");
    let rows = analysis.cells.iter().map(|cell| {
        let texts = [&cell.set, &cell.instance, &cell.relations, &cell.backend, &cell.answer];
        let mut row: Vec<String> = texts.into_iter().map(|text| escape(text)).collect();
        row.push(escape(&cell.status));
        row.extend(counted.iter().map(|name| cell.count(name).unwrap_or(0).to_string()));
        row.push(cell.seconds.map_or("–".into(), |seconds| format!("{seconds:.6}")));
        row
    });
    table(&names, rows, out);
}

fn fits(page: &Page<'_>, out: &mut String) {
    let analysis = page.analysis;
    if analysis.series.iter().all(|series| series.growth.is_none()) {
        return;
    }
    section("Growth", Fold::Closed, out);
    let rows = analysis.series.iter().map(|series| {
        let growth = series.growth.as_ref();
        vec![
            escape(&series.backend),
            escape(&series.relations),
            escape(&series.graph),
            growth.map_or("–".into(), |g| format!("{}", g.states)),
            growth.map_or("–".into(), |g| format!("{:.0} – {:.0}", g.smallest, g.largest)),
            growth.map_or("–".into(), |g| format!("of {}: {}", g.variable, g.exponent)),
            growth.map_or("too few states".into(), |g| escape(&g.text())),
            limits(series),
            building(series),
        ]
    });
    let names = [
        "backend",
        "relations",
        "graph",
        "states",
        "sizes",
        "exponent",
        "verdict",
        "limits hit",
        "building",
    ];
    table(&names, rows, out);
    crossed(analysis, out);
}

/// The part of building, and how it grows.
fn building(series: &Series) -> String {
    let Some(building) = &series.building else { return "–".into() };
    let share = format!("{:.0} % of the time", 100.0 * building.share);
    match building.exponent {
        Some(exponent) => format!("{share}, exponent {exponent}"),
        None => share,
    }
}

/// Exponents of pids and vectors, where the design tells them apart.
fn crossed(analysis: &Analysis, out: &mut String) {
    let found: Vec<_> =
        analysis.series.iter().filter_map(|s| Some((s, s.crossed.as_ref()?))).collect();
    if found.is_empty() {
        return;
    }
    section("Pids and vectors apart", Fold::Open, out);
    let rows = found.into_iter().map(|(series, crossed)| {
        let (pids, vectors) = (crossed.pids.to_string(), crossed.vectors.to_string());
        let backend = escape(&series.backend);
        vec![backend, escape(&series.relations), pids, vectors, crossed.states.to_string()]
    });
    let names = [
        "backend",
        "relations",
        "exponent of p, vectors held fixed",
        "exponent of vectors, p held fixed",
        "states",
    ];
    table(&names, rows, out);
}

fn limits(series: &Series) -> String {
    match series.cut {
        Some(cut) => format!("{} states, fit below size {cut:.0}", series.censored_states),
        None => "none".into(),
    }
}

fn comparisons(analysis: &Analysis, out: &mut String) {
    if !analysis.ratios.is_empty() {
        section("Backends against each other", Fold::Closed, out);
        let rows = analysis.ratios.iter().map(|r| {
            let (a, b) = (escape(&r.a), escape(&r.b));
            let wins = format!("{} of {}", r.a_wins, r.states);
            vec![a, b, r.ratio.to_string(), wins]
        });
        table(&["a", "b", "time of a / time of b", "a faster on states"], rows, out);
    }
    if !analysis.factors.is_empty() {
        section("Effect of parameters", Fold::Closed, out);
        let rows = analysis.factors.iter().map(|f| {
            let states = f.effect.states.to_string();
            vec![escape(&f.factor), escape(&f.backend), f.effect.ratio.to_string(), states]
        });
        let names = ["parameter", "backend", "time at highest / lowest value", "states"];
        table(&names, rows, out);
    }
}

fn correctness(analysis: &Analysis, out: &mut String) {
    section("Correctness", Fold::Closed, out);
    let c = &analysis.correctness;
    write!(
        out,
        "<p>{} answers: {} accepted (witness checked against Definition 1, other exact backends agree, truth by construction where known: {} rows; where not, one in {NO_CHECKED_IN} \u{201c}not equivalent\u{201d} of other backends decided again by canon), {} rejected.</p>",
        c.answers, c.accepted, c.by_construction, c.rejected
    )
    .ok();
    let rows = analysis
        .statuses
        .iter()
        .map(|s| vec![escape(&s.backend), escape(&s.status), s.rows.to_string()]);
    table(&["backend", "status", "rows"], rows, out);
    if !analysis.failures.is_empty() {
        section("Failures", Fold::Closed, out);
        let rows = analysis.failures.iter().map(|f| {
            let much = format!("{} of {}", f.failed, f.rows);
            vec![escape(&f.backend), much, escape(&f.message)]
        });
        table(&["backend", "failed rows", "most frequent message"], rows, out);
    }
}

fn noise(page: &Page<'_>, out: &mut String) {
    section("Noise and overhead", Fold::Closed, out);
    let spreads = |name: &str, list: &[crate::analyse::Spread]| {
        list.iter()
            .map(|s| {
                let backend = escape(&s.backend);
                vec![backend, name.to_string(), format!("{:.2}", s.median), format!("{:.2}", s.p95)]
            })
            .collect::<Vec<_>>()
    };
    let mut rows = spreads("repetitions", &page.analysis.noise);
    rows.extend(spreads("vertex orders", &page.analysis.order_spread));
    if !rows.is_empty() {
        table(&["backend", "over", "slowest / fastest, median", "95 %"], rows.into_iter(), out);
    }
    let rows = page.manifest.sessions.iter().filter(|s| s.rows > 0).map(|session| {
        let o = &session.overhead;
        vec![
            escape(&session.started),
            format!("{}", session.rows),
            format!("{:.1} s", session.seconds),
            format!("{:.2} / {:.2} / {:.2} s", o.generating, o.deciding, o.checking),
            format!("{:.2} s", o.idle),
            format!("{:.2} %", 100.0 * o.share),
            o.share_at_200.map_or("–".into(), |share| format!("{:.2} %", 100.0 * share)),
        ]
    });
    out.push_str(
        "<p>Scheduling, process traffic and writing, as a share of generating and deciding, in CPU time:</p>",
    );
    let names = [
        "session",
        "rows",
        "wall time",
        "generating / deciding / checking",
        "idle",
        "overhead",
        "overhead at p ≈ 200",
    ];
    table(&names, rows, out);
}

/// A section on where a run was made.
pub fn machine(manifest: &Manifest, out: &mut String) {
    section("Machine and seed", Fold::Closed, out);
    let Some(session) = manifest.sessions.last() else { return };
    let p = &session.provenance;
    let [crates, python] = [&p.crates, &p.python].map(|versions| {
        versions.iter().map(|(name, v)| format!("{name} {v}")).collect::<Vec<String>>()
    });
    let rows = [
        ("program", format!("pidlab {} at {}", p.pidlab, p.commit)),
        ("seed", manifest.seed.to_string()),
        ("plan", manifest.plan.clone()),
        ("processor", format!("{} cores, {}", p.cores, p.cpu)),
        ("kernel, governor", format!("{}, {}", p.kernel, p.governor)),
        ("memory", format!("{:.1} GiB", p.memory_kib as f64 / 1048576.0)),
        ("workers", session.workers.to_string()),
        ("crates", crates.join(", ")),
        ("Python", if python.is_empty() { "not used".into() } else { python.join(", ") }),
    ];
    let rows = rows.into_iter().map(|(name, value)| vec![name.to_string(), escape(&value)]);
    table(&["what", "value"], rows, out);
}

fn deviations(page: &Page<'_>, out: &mut String) {
    section("Deviations from the paper", Fold::Closed, out);
    out.push_str("<ul>");
    let counted = dropped::sentences(page.analysis, page.experiment.analysis.similar_only);
    for deviation in page.experiment.deviations.iter().chain(&counted) {
        write!(out, "<li>{}</li>", escape(deviation)).ok();
    }
    out.push_str("<li>Constants of 2010 hardware are shown, never compared; shapes are.</li></ul>");
}
