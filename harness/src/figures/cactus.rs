//! Cactus plot: how many rows each backend decides if each may take at most so long.

use super::Material;
use pidlab_figures::{Cactus, Figure, Labels, Solved};

pub fn cactus(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    let mut solved = Vec::new();
    for (style, backend) in material.table.distinct("backend")?.into_iter().enumerate() {
        let mut times = material.table.only("backend", &backend)?.numbers("t")?;
        times.retain(|time| *time >= 0.0);
        let tried = times.len();
        times.retain(|time| time.is_finite());
        // the axis is logarithmic: what took no time of its own stands at the least that did
        let positive = times.iter().copied().filter(|time| *time > 0.0);
        let least = positive.fold(f64::INFINITY, f64::min);
        if least.is_finite() {
            times.iter_mut().for_each(|time| *time = time.max(least));
        } else {
            times.clear();
        }
        let name = format!("{backend} ({} of {tried})", times.len());
        solved.push(Solved { name, style, times });
    }
    Ok(Cactus::around("rows", &solved).map(|axes| Figure {
        name: "cactus".into(),
        caption: "Rows decided within a time limit for each row, by backend; further right and lower is better. The legend gives rows decided of rows tried; rows decided before the part that is timed began stand at the least time of others.\n".into(),
        columns: 1,
        panel: (520.0, 340.0),
        labels: Labels::Each,
        panels: vec![axes.panel("rows decided", &solved)],
    }))
}
