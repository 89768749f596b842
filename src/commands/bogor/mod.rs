//! `pidlab bogor`: the philosophers of Bogor'03 beside other explorers; its tables are `pidlab reproduce`.

mod peers;

use crate::arguments::LimitArgs;
use crate::output::Done;
use anyhow::bail;
use pidlab_explore::source::Source;
use pidlab_harness::experiment::models;

/// Speed of the explorer beside Spin and Stateright on the philosophers of Bogor'03
///
/// The tables of the paper are experiments like all others: `pidlab reproduce bogor-table1`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab bogor peers
  pidlab bogor peers --philosophers 8 --rounds 3")]
pub struct Args {
    /// `peers`
    name: String,
    /// How many philosophers dine
    #[arg(long, value_name = "N", default_value_t = 10)]
    philosophers: i64,
    /// Rounds, of which the best counts
    #[arg(long, value_name = "R", default_value_t = 5)]
    rounds: usize,
    /// Also build the philosophers in Stateright by cargo, which fetches it, and run them
    #[arg(long)]
    stateright: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    match args.name.as_str() {
        "peers" => peers::run(&args),
        other => {
            bail!("tables are experiments: `pidlab reproduce {other}`; here there is only `peers`")
        }
    }
}

/// A model that comes with the program.
fn model(name: &str) -> anyhow::Result<Source> {
    Ok(Source::new(format!("models/{name}"), models::read(name)?))
}
