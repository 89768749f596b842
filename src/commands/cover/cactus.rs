//! The cactus plot of a comparison: instances solved against time, one line per algorithm.

use super::compare::Row;
use anyhow::anyhow;
use pidlab_cover::answer::Verdict;
use plotters::prelude::*;

/// Okabe–Ito, safe for colour-blind readers.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

const LEAST: f64 = 1e-4;

/// The plot as SVG.
pub fn draw(rows: &[Row], timeout: f64) -> anyhow::Result<String> {
    let mut names: Vec<&str> = rows.iter().map(|r| r.algorithm.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let lines: Vec<(&str, Vec<f64>)> = names.iter().map(|n| (*n, solved_times(rows, n))).collect();
    let most = lines.iter().map(|l| l.1.len()).max().unwrap_or(0).max(1);
    let mut svg = String::new();
    draw_lines(&lines, most, timeout, &mut svg)
        .map_err(|error| anyhow!("the cactus plot cannot be drawn: {error}"))?;
    Ok(svg)
}

/// Times of the solved instances, ascending.
fn solved_times(rows: &[Row], algorithm: &str) -> Vec<f64> {
    let solved = rows.iter().filter(|r| r.algorithm == algorithm && r.verdict != Verdict::Unknown);
    let mut times: Vec<f64> = solved.map(|r| r.seconds.max(LEAST)).collect();
    times.sort_by(f64::total_cmp);
    times
}

fn draw_lines(
    lines: &[(&str, Vec<f64>)],
    most: usize,
    timeout: f64,
    svg: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (900, 560)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(16)
        .caption("Instances solved within a time", ("sans-serif", 20))
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(0usize..most + 1, (LEAST..timeout * 1.2).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("instances solved")
        .y_desc("seconds, each")
        .label_style(("sans-serif", 13))
        .draw()?;
    for (i, (name, times)) in lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let points = || times.iter().enumerate().map(|(n, t)| (n + 1, *t));
        chart
            .draw_series(LineSeries::new(points(), colour.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
        chart.draw_series(points().step_by(4 + i).map(|point| marker(i, point, colour)))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .label_font(("sans-serif", 14))
        .draw()?;
    root.present()?;
    Ok(())
}

/// Markers differ too, not colours alone.
fn marker<'a>(
    kind: usize,
    point: (usize, f64),
    colour: RGBColor,
) -> DynElement<'static, SVGBackend<'a>, (usize, f64)> {
    match kind % 3 {
        0 => Circle::new(point, 4, colour.filled()).into_dyn(),
        1 => TriangleMarker::new(point, 5, colour.filled()).into_dyn(),
        _ => Cross::new(point, 4, colour.stroke_width(2)).into_dyn(),
    }
}
