//! Cactus plot: how many rows each backend decides if each may take at most so long.

use super::Material;
use crate::analyse::series::SeriesRows;
use pidlab_figures::{Cactus, Figure, Labels, Solved};

pub fn cactus(material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    let mut solved = Vec::new();
    for (style, backend) in material.table.distinct("backend")?.into_iter().enumerate() {
        let rows = SeriesRows::of(&material.table.only("backend", &backend)?)?;
        let times: Vec<f64> = rows.finite().into_iter().map(|point| point.time).collect();
        let name = format!("{backend} ({} of {})", times.len(), rows.len());
        solved.push(Solved { name, style, times });
    }
    Ok(Cactus::around("rows", &solved).map(|axes| Figure {
        name: "cactus".into(),
        caption: "Rows decided within a time limit for each row, by backend; further right and lower is better. The legend gives rows decided of rows tried.\n".into(),
        columns: 1,
        panel: (520.0, 340.0),
        labels: Labels::Each,
        panels: vec![axes.panel("rows decided", &solved)],
    }))
}
