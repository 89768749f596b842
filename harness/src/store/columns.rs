//! What the columns of a result table mean: of which type they are, and in a sentence each what they say.
//!
//! The one place that knows: types of Parquet files, `columns.md` and `datapackage.json` of a run, and exports follow it.

use serde::Serialize;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Texts of which there are few.
    Category,
    /// Texts.
    Text,
    /// Whole numbers.
    Whole,
    /// Yes or no.
    Flag,
    /// A parameter of the generator: numbers if all are, else a category.
    Parameter,
}

/// A column with its documentation.
#[derive(Clone, Debug, Serialize)]
pub struct ColumnDoc {
    /// Its name.
    pub name: String,
    /// Its type in the words of the Table Schema: `string`, `integer`, `number`, `boolean`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What it says.
    pub description: String,
}

use ColumnType::{Category, Flag, Parameter, Text, Whole};

const COLUMNS: [(&str, ColumnType, &str); 55] = [
    ("row", Whole, "number of the row in the plan; `pidlab run --replay` makes it again"),
    ("state", Whole, "number of the base state, model or instance"),
    ("set", Category, "label of the entry of the experiment that the row is of"),
    ("size", Whole, "size that was asked for"),
    ("transformation", Category, "label of the transformation; `none` where there is none"),
    ("variant", Whole, "number of the variant of the base state"),
    ("relations", Category, "relations of pids that count"),
    ("graph", Category, "kind of layered graph: `corrected` or `published`"),
    ("order", Whole, "number of the order of the vectors; 0 is as generated"),
    ("backend", Category, "who was asked: backend, configuration or algorithm"),
    ("repetition", Whole, "number of the repetition"),
    ("p", Whole, "pids of the first state"),
    ("vectors", Whole, "vectors of the first state"),
    ("vertices", Whole, "vertices of the backend's structure"),
    ("arcs", Whole, "arcs of the backend's structure"),
    ("av", Whole, "arcs × vertices of both graphs together"),
    ("decided_by", Category, "which part of the backend decided"),
    ("input", Category, "the file or line that the pair is from"),
    ("states", Whole, "states that were found, up to symmetry"),
    ("edges", Whole, "edges between them"),
    ("seen", Whole, "transitions into a state that was stored already"),
    ("deadlocks", Whole, "states without a successor"),
    ("bytes", Whole, "bytes of the visited set"),
    ("places", Whole, "places of the net"),
    ("transitions", Whole, "transitions of the net"),
    ("explored", Whole, "configurations that were looked at"),
    ("kept", Whole, "configurations that were kept"),
    ("threads", Whole, "threads of the trace"),
    ("steps", Whole, "steps of the trace"),
    ("instance", Category, "the file of the instance"),
    ("expected", Category, "the answer that is known by construction"),
    ("answer", Category, "the answer that was given"),
    ("status", Category, "how the row ended: ok, timeout, memory, crash, open, failed or skipped"),
    ("check", Category, "what the independent check said: accepted, rejected or none"),
    ("obvious", Flag, "whether the states differ in a count that is read off"),
    ("build_ns", Whole, "wall time of building the backend's structure, in nanoseconds"),
    ("decide_ns", Whole, "wall time of deciding, in nanoseconds"),
    ("wall_ns", Whole, "wall time of building and deciding, in nanoseconds"),
    (
        "cpu_ns",
        Whole,
        "CPU time of building and deciding, in nanoseconds; reading the clock takes some hundred of them",
    ),
    ("clock", Category, "whose CPU time it is"),
    ("generate_ns", Whole, "CPU time of making the input, in nanoseconds; first row of a pair"),
    ("check_ns", Whole, "wall time of checking the answer, in nanoseconds"),
    ("peak_kib", Whole, "high-water mark of the worker's memory so far, in KiB"),
    ("pair", Whole, "hash of the input: equal on every machine for the same seed"),
    ("machine", Category, "where the row was measured: processor and cores"),
    ("message", Text, "why the row failed or crashed"),
    ("set_family", Parameter, "the hard family of the states"),
    ("set_vectors_per_pid", Parameter, "vectors for each pid"),
    ("set_pid_share", Parameter, "share of components that are pids"),
    ("set_locations", Parameter, "locations of the states"),
    ("set_depth", Parameter, "depth of the tree of pids"),
    ("set_model", Parameter, "the model"),
    ("set_file", Parameter, "the file of the instance, as the experiment names it"),
    ("transformation_kinds", Parameter, "kinds of the transformation's steps, joined by +"),
    ("transformation_strength", Parameter, "least strength of the transformation's steps"),
];

/// The type of a column; a name that is not known is that of another version.
pub fn type_of(name: &str) -> Option<ColumnType> {
    let known = COLUMNS.iter().find(|(known, ..)| *known == name).map(|(_, kind, _)| *kind);
    let parameter = name.starts_with("set_") || name.starts_with("transformation_");
    known.or(parameter.then_some(Parameter))
}

/// The documentation of a column; `is_number` says of a parameter whether all its values are numbers.
pub fn describe(name: &str, is_number: bool) -> ColumnDoc {
    let known = COLUMNS.iter().find(|(known, ..)| *known == name).map(|(.., about)| *about);
    let parameter = || {
        let (entry, field) = name.split_once('_').unwrap_or(("", name));
        format!("`{field}` of the {entry}, as the experiment file has it")
    };
    ColumnDoc {
        name: name.to_string(),
        kind: match type_of(name) {
            Some(Whole) => "integer",
            Some(Flag) => "boolean",
            Some(Parameter) if is_number => "number",
            _ => "string",
        },
        description: known.map_or_else(parameter, String::from),
    }
}

/// All columns as a page to read.
pub fn page(columns: &[ColumnDoc]) -> String {
    let mut out = String::from(
        "# Columns of rows.parquet and rows.csv\n\nOne line a row, sorted by number.\n\n| column | type | meaning |\n|---|---|---|\n",
    );
    for ColumnDoc { name, kind, description } in columns {
        out.push_str(&format!("| `{name}` | {kind} | {} |\n", description.replace('|', "\\|")));
    }
    out
}
