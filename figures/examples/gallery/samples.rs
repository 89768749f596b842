//! Figures of every kind from made-up numbers.

use pidlab_figures::{
    Axis, Bar, Cactus, Dot, Figure, Guide, Labels, Layer, Legend, Mark, Panel, Solved, Span,
    Stroke, density,
};

/// One of every kind.
pub fn all() -> Vec<Figure> {
    vec![cloud(), series(), scatter(), forest(), bars(), histograms(), spark()]
}

/// Numbers that look random and are the same every time.
fn noise(n: usize) -> f64 {
    let mut x = (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x ^= x >> 31;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((x >> 33) as f64) / (1u64 << 31) as f64
}

fn figure(name: &str, columns: usize, panel: (f64, f64), panels: Vec<Panel>) -> Figure {
    let caption = format!("A sample: {name}.\n");
    Figure { name: name.into(), caption, columns, panel, labels: Labels::Each, panels }
}

fn guide(points: Vec<(f64, f64)>, label: &str, stroke: Stroke) -> Mark {
    Mark::Guide(Guide { points, label: label.into(), stroke })
}

fn cloud() -> Figure {
    let points: Vec<(f64, f64)> = (0..20_000)
        .map(|i| {
            let p = 1800.0 * noise(2 * i).powi(2) + 4.0;
            (p, (2.0 + 0.1 * p) * (1.0 + 9.0 * noise(2 * i + 1).powi(3)))
        })
        .collect();
    let panel = |log: bool| {
        let (x, y) = match log {
            true => (Axis::log("p (distinct pids)", 4.0, 2000.0), Axis::log("t (µs)", 1.0, 2e3)),
            false => {
                (Axis::linear("p (distinct pids)", 0.0, 1830.0), Axis::linear("t (µs)", 0.0, 900.0))
            }
        };
        let curve = |power: f64| -> Vec<(f64, f64)> {
            let sizes = (0..=80).map(|k| x.value(f64::from(k) / 80.0));
            sizes.map(|p| (p, 5.0 + 0.2 * p.powf(power) / 1800f64.powf(power - 1.0))).collect()
        };
        let cells = Mark::Density(density(&points, &x, &y, |i| format!("row {i}")));
        let line = guide(curve(1.2), "", Stroke::Dashed);
        let layers = vec![
            Layer::named("measurements", 6, cells),
            Layer::named("O(p)", 0, Mark::Line(curve(1.0))),
            Layer::named("O(p^1.5)", 1, Mark::Line(curve(1.5))),
            Layer::named("O(p^2)", 2, Mark::Line(curve(2.0))),
            Layer::named("dividing line", 0, line),
        ];
        Panel { title: "canon".into(), x, y, layers, legend: Legend::Below }
    };
    figure("density", 2, (420.0, 300.0), vec![panel(false), panel(true)])
}

fn series() -> Figure {
    let solved: Vec<Solved> = (0..14)
        .map(|style| Solved {
            name: format!("solver {style}"),
            style,
            times: (0..300 - 12 * style)
                .map(|i| 1e-5 * (1.5 + style as f64) * (0.03 * i as f64).exp())
                .collect(),
        })
        .collect();
    let panels = Cactus::around("instances", &solved).map(|axes| axes.panel("14 series", &solved));
    figure("cactus", 1, (520.0, 340.0), panels.into_iter().collect())
}

fn scatter() -> Figure {
    let panel = |k: usize| {
        let dots = (0..500)
            .map(|i| {
                let x = 10f64.powf(-3.0 + 6.0 * noise(7 * i + k));
                let y = x * 10f64.powf(3.0 * noise(7 * i + k + 1) - 1.0);
                Dot { x, y, note: format!("state {i}") }
            })
            .collect();
        let line = |factor: f64, label: &str, stroke| {
            let (from, to) = (f64::max(1e-3, 1e-3 / factor), f64::min(1e3, 1e3 / factor));
            let points = vec![(from, from * factor), (to, to * factor)];
            Layer::unnamed(0, guide(points, label, stroke))
        };
        Panel {
            title: "nauty-faithful against canon".into(),
            x: Axis::log("canon (ms)", 1e-3, 1e3),
            y: Axis::log("nauty-faithful (ms)", 1e-3, 1e3),
            layers: vec![
                line(1.0, "", Stroke::Solid),
                line(0.5, "2×", Stroke::Dashed),
                line(2.0, "2×", Stroke::Dashed),
                line(0.1, "10×", Stroke::Dotted),
                line(10.0, "10×", Stroke::Dotted),
                Layer::unnamed(k, Mark::Dots(dots)),
            ],
            legend: Legend::None,
        }
    };
    figure("versus", 2, (380.0, 350.0), vec![panel(0), panel(1), panel(2)])
}

fn forest() -> Figure {
    let names: Vec<String> = (0..9).map(|i| format!("rename after near-miss, part {i}")).collect();
    let layer = |style: usize| {
        let spans = (0..9)
            .map(|i| {
                let value = 0.9 + 0.8 * noise(i + 20 * style);
                let width = 1.2 * noise(i + 20 * style + 9).powi(2);
                let at = i as f64 + 0.3 * (style as f64 - 0.5);
                let note = format!("{value:.2}");
                Span { low: value - width, value, high: value + 2.0 * width, at, note }
            })
            .collect();
        Layer::named(["canon", "nauty"][style], style, Mark::Spans(spans))
    };
    let guides = [1.0, 1.5, 2.0]
        .map(|e| Layer::unnamed(0, guide(vec![(e, -0.5), (e, 8.5)], "", Stroke::Dashed)));
    let panel = Panel {
        title: "growth exponents".into(),
        x: Axis::linear("exponent", 0.5, 2.5),
        y: Axis::names(names),
        layers: guides.into_iter().chain([layer(0), layer(1)]).collect(),
        legend: Legend::Below,
    };
    figure("exponents", 1, (640.0, 80.0 + 25.0 * 9.0), vec![panel])
}

fn bars() -> Figure {
    let layer = |style: usize| {
        let bars = (0..4)
            .map(|group| {
                let height = 3000.0 * noise(style + 6 * group).powi(3) + 8.0;
                let left = group as f64 - 0.43 + 0.14 * style as f64;
                let label = format!("{height:.0}");
                Bar { left, right: left + 0.14, height, label, note: "a cell".into() }
            })
            .collect();
        Layer::named(
            ["plain", "tree", "collapse", "gzip", "delta", "both"][style],
            style,
            Mark::Bars(bars),
        )
    };
    let names = ["none", "pc", "k-BOTS (k = 2)", "exact"].map(String::from).to_vec();
    let panel = Panel {
        title: "Table 1: N = 10".into(),
        x: Axis::names(names),
        y: Axis::log("bytes per state", 1.0, 12_000.0),
        layers: (0..6).map(layer).collect(),
        legend: Legend::Below,
    };
    figure("bars", 1, (560.0, 340.0), vec![panel])
}

fn histograms() -> Figure {
    let panel = |number: usize| {
        let bars = (0..20)
            .map(|bin| {
                let left = 90.0 + 5.0 * f64::from(bin);
                let far = (f64::from(bin) - 6.0 - 2.0 * (number / 3) as f64) / 4.0;
                let height = 22.0 * (-far * far).exp();
                let note = format!("{height:.1} %");
                Bar { left, right: left + 5.0, height, label: String::new(), note }
            })
            .collect();
        Panel {
            title: format!(
                "C{}, p {}–{}",
                1 + (number % 3).min(1),
                200 + 400 * (number / 3),
                600 + 400 * (number / 3)
            ),
            x: Axis::linear(
                ["t / p (ns)", "t / (p log p) (ns)", "t / p² (ns)"][number % 3],
                90.0,
                190.0,
            ),
            y: Axis::linear("share (%)", 0.0, 25.0),
            layers: vec![
                Layer::unnamed(5, Mark::Bars(bars)),
                Layer::unnamed(0, guide(vec![(130.0, 0.0), (130.0, 25.0)], "", Stroke::Dashed)),
            ],
            legend: Legend::None,
        }
    };
    let panels = (0..12).map(panel).collect();
    Figure { labels: Labels::Outer, ..figure("histograms", 3, (280.0, 160.0), panels) }
}

fn spark() -> Figure {
    let values: Vec<f64> =
        (0..30).map(|i| 0.05 * noise(i) + if i > 17 { 0.2 } else { 0.0 }).collect();
    let line = values.iter().enumerate().map(|(i, v)| (i as f64, *v)).collect();
    let dots = values.iter().enumerate();
    let dots = dots.map(|(i, v)| Dot { x: i as f64, y: *v, note: format!("commit {i}") }).collect();
    let panel = Panel {
        title: String::new(),
        x: Axis::linear("", 0.0, 29.0),
        y: Axis::linear("", 0.0, 0.25),
        layers: vec![
            Layer::unnamed(0, guide(vec![(17.5, 0.0), (17.5, 0.25)], "", Stroke::Dashed)),
            Layer::unnamed(0, Mark::Line(line)),
            Layer::unnamed(0, Mark::Dots(dots)),
        ],
        legend: Legend::None,
    };
    Figure { labels: Labels::Bare, ..figure("sparkline", 1, (300.0, 44.0), vec![panel]) }
}
