//! The documentation as a site: every page is in it, every link leads somewhere in it, and it builds where there is mdbook
//! (`ci/docs.sh` brings it) to pages that load nothing from elsewhere.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        Scratch(std::env::temp_dir().join(format!("pidlab-{name}-{}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.extension().and_then(|ending| ending.to_str()) {
            _ if path.is_dir() => pages(&path, found),
            Some("md") if !path.ends_with("SUMMARY.md") => found.push(path),
            _ => {}
        }
    }
}

/// What follows every `](` of a page, code left out.
fn links(page: &str) -> Vec<String> {
    let mut text = String::new();
    let mut is_code = false;
    for line in page.lines() {
        match line.trim_start().starts_with("```") {
            true => is_code = !is_code,
            false if !is_code => text.extend(line.split('`').step_by(2).chain(["\n"])),
            false => {}
        }
    }
    let ends = |rest: &str| rest.split([')', ' ']).next().map(String::from);
    text.split("](").skip(1).filter_map(ends).collect()
}

/// The anchors of a page's headings, as mdbook and GitHub make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let letter = |c: char| match c {
        c if c.is_alphanumeric() || "_-".contains(c) => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    };
    headings
        .map(|line| line.trim_start_matches('#').trim().chars().filter_map(letter).collect())
        .collect()
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(plain.pop(), "{} leaves the site", path.display()),
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn every_page_is_in_the_book() {
    let summary = std::fs::read_to_string("docs/SUMMARY.md").unwrap();
    let mut found = Vec::new();
    pages(Path::new("docs"), &mut found);
    for page in found {
        let page = page.display().to_string();
        assert!(summary.contains(&format!("({page})")), "docs/SUMMARY.md has no {page}");
    }
}

/// On the site, where only the copy of `ci/docs.sh` is: pages, headings, figures and files.
#[test]
fn every_link_leads_somewhere() {
    let book = Scratch::new("book");
    let copied = Command::new("sh").args(["ci/docs.sh", "--sources"]).arg(&book.0).output();
    assert!(copied.as_ref().unwrap().status.success(), "{copied:?}");
    let source = book.0.join("src");
    let summary = links(&std::fs::read_to_string(source.join("SUMMARY.md")).unwrap());
    assert!(summary.len() > 30, "{summary:?}");
    let mut checked = 0;
    for page in &summary {
        let text = std::fs::read_to_string(source.join(page)).unwrap();
        for link in links(&text).into_iter().filter(|link| !link.contains(':')) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => PathBuf::from(page),
                file => plain(&Path::new(page).parent().unwrap().join(file)),
            };
            assert!(source.join(&target).is_file(), "{page}: {link} is not a file of the site");
            if target.extension().is_some_and(|ending| ending == "md") {
                assert!(
                    summary.iter().any(|page| Path::new(page) == target),
                    "{page}: {link} is not in the book"
                );
                let there = anchors(&std::fs::read_to_string(source.join(&target)).unwrap());
                assert!(
                    anchor.is_empty() || there.contains(anchor),
                    "{page}: {link}: no such heading"
                );
            }
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} links");
}

/// Whether mdbook is installed or `ci/docs.sh` has built it, so that the test does not have to.
fn has_mdbook() -> bool {
    let runs = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
    };
    runs("mdbook") || runs("target/tools/bin/mdbook")
}

#[test]
fn the_book_builds_and_loads_nothing_from_elsewhere() {
    if !has_mdbook() {
        return eprintln!(
            "SKIPPED: there is no mdbook (ci/docs.sh brings it); the site is not built"
        );
    }
    let site = Scratch::new("site");
    let output = Command::new("sh").arg("ci/docs.sh").arg(&site.0).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    for page in ["index.html", "docs/commands.html", "docs/guide/index.html", "results/index.html"]
    {
        let text = std::fs::read_to_string(site.0.join(page)).unwrap_or_default();
        assert!(text.contains("search"), "{page}: {said}");
        for loads in ["src=\"http", "src=\"//", "<link rel=\"stylesheet\" href=\"http"] {
            assert!(!text.contains(loads), "{page} loads something from elsewhere: {loads}");
        }
    }
    assert!(!said.contains("ERROR") && !said.contains("WARN"), "{said}");
}
