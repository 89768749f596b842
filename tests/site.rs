//! The documentation as a site: every page is in it, and it builds where mdbook is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

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

#[test]
fn every_page_is_in_the_book() {
    let summary = std::fs::read_to_string("docs/SUMMARY.md").unwrap();
    let mut found = Vec::new();
    pages(Path::new("docs"), &mut found);
    for page in found {
        let page = page.display().to_string();
        assert!(summary.contains(&format!("({page})")), "docs/SUMMARY.md has no {page}");
    }
    for link in summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(Path::new(link).exists(), "docs/SUMMARY.md: there is no {link}");
    }
}

#[test]
fn the_book_builds_without_a_network() {
    if !Command::new("mdbook").arg("--version").output().is_ok_and(|o| o.status.success()) {
        return eprintln!("SKIPPED: mdbook is not installed; the site is not built");
    }
    let site = std::env::temp_dir().join(format!("pidlab-site-{}", std::process::id()));
    let output = Command::new("sh").arg("ci/docs.sh").arg(&site).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    for page in ["index.html", "docs/commands.html", "docs/guide/first-steps.html"] {
        assert!(site.join(page).exists(), "{page}: {said}");
    }
    assert!(!said.contains("ERROR"), "{said}");
    std::fs::remove_dir_all(&site).ok();
}
