//! The user guide, the background and the README do what they say: every command of every page is run,
//! in order, in a folder with the examples, models and experiments of the repository; files of a page
//! are written first, Rust code is the code of `examples/`, which is compiled and run here. Where a page
//! shows what a command prints, that is what it prints.

mod page;
mod shell;

#[path = "../../examples/embed.rs"]
mod embed;
#[path = "../../examples/own_backend.rs"]
mod own_backend;
#[path = "../../examples/own_generator.rs"]
mod own_generator;

use page::Page;
use shell::Folder;

/// Commands of the README that take minutes, and what is run in their place.
const SHORTER: [(&str, &str); 16] = [
    ("cargo run --release -- reproduce", "pidlab reproduce relations --scale smoke"),
    // this very test is part of it
    ("cargo test --release --workspace", "true"),
    // `tests/first_hour.rs` installs where it is asked to
    ("cargo install --path .", "true"),
    ("cargo install --path . --no-default-features --features engine", "true"),
    ("pidlab bench engine", "pidlab bench engine --sizes 50 --pairs 1 --timeout 1s"),
    ("pidlab bench hard", "pidlab bench hard --family cubic --most-pids 100 --timeout 1s"),
    ("pidlab reproduce all --scale smoke", "pidlab reproduce sacs10 --scale smoke"),
    (
        "pidlab run experiments/sacs10.toml --out mine",
        "pidlab run experiments/sacs10.toml --scale smoke --out mine",
    ),
    (
        "pidlab explore models/nkm.tnet --set k=4 --set m=3",
        "pidlab explore models/nkm.tnet --set k=3 --set m=2",
    ),
    ("pidlab reproduce bogor-table1", "pidlab reproduce bogor-table1 --scale smoke"),
    // two commits would have to be built
    ("pidlab compare HEAD~1 HEAD", "pidlab compare --help"),
    (
        "pidlab compare --base-binary old/pidlab",
        "pidlab compare --base-binary bin/pidlab --scale smoke --rounds 1 --budget 2s --no-rerun --instructions off --threshold 90%",
    ),
    (
        "pidlab track results/local/regression-small",
        "pidlab run regression --scale smoke --out regression && pidlab track regression",
    ),
    ("pidlab cover --stress", "pidlab cover --stress --machines 200"),
    ("pidlab reproduce beacon-rockall", "pidlab reproduce beacon-rockall --scale smoke"),
    ("pidlab tournament", "pidlab tournament --scale smoke --backend canon,refine --family cubic"),
];

/// Longest matching entry, so that `pidlab tournament --scale smoke …` of a guide page is left alone.
fn shortened(command: &str, page: &str) -> String {
    if page != "README.md" {
        return command.to_string();
    }
    let program = command.split('#').next().unwrap_or("").trim();
    let words = program.split(" && ").next().unwrap_or("");
    match SHORTER.iter().find(|(long, _)| *long == words) {
        Some((long, short)) => command.replacen(long, short, 1),
        None => command.to_string(),
    }
}

fn check(path: &str) {
    let page = Page::read(path);
    let folder = Folder::new(path);
    let mut commands = 0;
    for block in &page.blocks {
        match (block.language.as_str(), &block.file) {
            ("rust", Some(file)) => page::assert_same_as(block, file),
            (_, Some(file)) => folder.write(file, &block.text),
            ("sh" | "console", None) => {
                for command in block.commands() {
                    let at = format!("{path}:{}", block.line);
                    let printed = folder.run(&shortened(&command.line, path), &at);
                    page::assert_prints(&command, &printed, &at);
                    commands += 1;
                }
            }
            _ => {}
        }
    }
    eprintln!("{path}: {commands} commands");
}

macro_rules! pages {
    ($($name:ident: $path:literal),* $(,)?) => {
        $(#[test]
        fn $name() {
            check($path);
        })*

        #[test]
        fn no_page_is_forgotten() {
            let tested = [$($path),*];
            for entry in std::fs::read_dir("docs/guide").unwrap() {
                let path = format!("docs/guide/{}", entry.unwrap().file_name().to_str().unwrap());
                assert!(tested.contains(&path.as_str()), "{path} is not tested");
            }
        }
    };
}

pages! {
    readme: "README.md",
    background: "docs/background.md",
    index: "docs/guide/README.md",
    first_steps: "docs/guide/first-steps.md",
    first_experiment: "docs/guide/first-experiment.md",
    own_generator_page: "docs/guide/own-generator.md",
    own_backend_page: "docs/guide/own-backend.md",
    own_model: "docs/guide/own-model.md",
    python: "docs/guide/python.md",
    reading_the_report: "docs/guide/reading-the-report.md",
    statistics_explained: "docs/guide/statistics-explained.md",
    tournament: "docs/guide/tournament.md",
    benches: "docs/guide/benches.md",
    output: "docs/guide/output.md",
    file_formats: "docs/guide/file-formats.md",
}

#[test]
fn the_examples_run() {
    embed::main().unwrap();
    own_backend::main();
    own_generator::main();
}

#[test]
fn every_shortened_command_is_in_the_readme() {
    let page = Page::read("README.md");
    let commands: Vec<_> = page.blocks.iter().flat_map(|block| block.commands()).collect();
    for (long, short) in SHORTER {
        let found = commands.iter().any(|command| {
            let done = shortened(&command.line, "README.md");
            command.line.starts_with(long) && done.starts_with(short)
        });
        assert!(found, "the README has no `{long}`");
    }
}

/// Links between pages lead somewhere.
#[test]
fn links_lead_to_files() {
    let folders =
        [".", "docs", "docs/guide", "results"].map(|name| std::fs::read_dir(name).unwrap());
    for entry in folders.into_iter().flatten() {
        let path = entry.unwrap().path();
        // links of the book's contents start at its root: see `tests/site.rs`
        if path.extension().is_none_or(|ending| ending != "md") || path.ends_with("SUMMARY.md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or("");
            if file.is_empty() || file.contains("://") {
                continue;
            }
            assert!(path.with_file_name(file).exists(), "{}: {link}", path.display());
        }
    }
}
