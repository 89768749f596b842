//! A figure of every kind from made-up numbers, to look at: `cargo run --example gallery -- FOLDER`.

mod samples;

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    for figure in samples::all() {
        for (ending, bytes) in pidlab_figures::forms(&figure)?.files {
            std::fs::write(Path::new(&folder).join(format!("{}{ending}", figure.name)), bytes)?;
        }
    }
    Ok(())
}
