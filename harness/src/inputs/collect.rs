//! From an entry of the experiment to the list of its pairs: every input is read, checked, measured and hashed.

use super::file::{self, FileKind, Material};
use super::{InputFile, Item, Known, Partner, Piece, SetInputs};
use crate::experiment::states::StateSet;
use crate::plan::fnv;
use anyhow::{Context, anyhow, bail};
use pidlab_core::pairs::{expected_of, relations_of};
use pidlab_core::{Relation, Relations};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The pairs of an entry; `None` if it takes none from files.
pub fn of_set(set: &StateSet, base: &Path) -> anyhow::Result<Option<SetInputs>> {
    let found = match (&set.pairs, &set.folder, &set.manifest) {
        (Some(pairs), ..) => lines(base, pairs)?,
        (_, Some(folder), _) => in_folder(set, base, folder)?,
        (.., Some(manifest)) => listed(set, base, manifest)?,
        _ => return Ok(None),
    };
    match found.items.is_empty() {
        true => bail!("there is not a single pair in it"),
        false => Ok(Some(found)),
    }
}

/// A file of pairs, line by line.
fn lines(base: &Path, path: &Path) -> anyhow::Result<SetInputs> {
    let name = base.join(path);
    let cannot = || format!("cannot read {}", name.display());
    let mut reader = BufReader::new(File::open(&name).with_context(cannot)?);
    let mut set = SetInputs {
        files: vec![InputFile { path: path.to_path_buf(), kind: FileKind::Pairs }],
        items: Vec::new(),
    };
    let (mut start, mut number) = (0, 0);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).with_context(cannot)? > 0 {
        number += 1;
        let read = line.len() as u64;
        if !line.trim_ascii().is_empty() {
            set.items.push(line_item(&name, number, &line, start)?);
        }
        start += read;
        line.clear();
    }
    Ok(set)
}

fn line_item(path: &Path, number: usize, line: &[u8], start: u64) -> anyhow::Result<Item> {
    let pair = file::pair_of_line(path, number, line)?;
    let wrong = |problem| anyhow!("{}:{number}: {problem}", path.display());
    let relations = pair.relations(Relations::default()).map_err(wrong)?;
    let expected = pair.expected().map_err(wrong)?;
    let name = match &pair.id {
        Value::Null => format!("line {number}"),
        Value::String(id) => id.clone(),
        other => other.to_string(),
    };
    Ok(Item {
        name,
        size: size(pair.q.pid_count())?,
        q: Piece { file: 0, start, length: line.len() as u64, hash: fnv(line) },
        r: Partner::Line,
        known: expected.map(|equivalent| Known { equivalent, relations }),
    })
}

/// An instance on its way into pairs.
struct Found {
    name: String,
    piece: Piece,
    size: u32,
    is_graph: bool,
}

/// Reads files and keeps what is known of their instances.
struct Reader<'b> {
    base: &'b Path,
    kind: Option<FileKind>,
    set: SetInputs,
    known: BTreeMap<PathBuf, Vec<usize>>,
    found: Vec<Found>,
}

impl<'b> Reader<'b> {
    fn new(set: &StateSet, base: &'b Path) -> anyhow::Result<Reader<'b>> {
        let kind = set.format.as_deref().map(FileKind::named).transpose();
        Ok(Reader {
            base,
            kind: kind.map_err(anyhow::Error::msg)?,
            set: SetInputs::default(),
            known: BTreeMap::new(),
            found: Vec::new(),
        })
    }

    fn kind_of(&self, path: &Path) -> Option<FileKind> {
        self.kind.or_else(|| FileKind::of_file(&self.base.join(path)))
    }

    /// The instances of a file, by their places in `found`; read once.
    fn file(&mut self, path: &Path, shown: &str) -> anyhow::Result<Vec<usize>> {
        if let Some(known) = self.known.get(path) {
            return Ok(known.clone());
        }
        let full = self.base.join(path);
        if !full.exists() {
            bail!("{}: there is no such file", full.display());
        }
        let Some(kind) = self.kind_of(path) else {
            bail!(
                "{}: neither a state nor a graph by its ending; say `format = …` (docs/graphs.md)",
                full.display()
            );
        };
        let bytes =
            std::fs::read(&full).with_context(|| format!("cannot read {}", full.display()))?;
        let file = u32::try_from(self.set.files.len())?;
        self.set.files.push(InputFile { path: path.to_path_buf(), kind });
        let instances = file::parse_all(&full, kind, &bytes)?;
        let several = instances.len() > 1;
        let mut places = Vec::with_capacity(instances.len());
        for (number, (range, material)) in (1..).zip(instances) {
            let (start, length) = (range.start as u64, range.len() as u64);
            places.push(self.found.len());
            self.found.push(Found {
                name: if several { format!("{shown}:{number}") } else { shown.to_string() },
                piece: Piece { file, start, length, hash: fnv(&bytes[range]) },
                size: size(material.size())?,
                is_graph: matches!(material, Material::Graph(_)),
            });
        }
        self.known.insert(path.to_path_buf(), places.clone());
        Ok(places)
    }

    /// Two files as pairs, instance by instance.
    fn pair(
        &mut self,
        (first, second): (&Path, &Path),
        name: &str,
        known: impl Fn(bool) -> Option<Known>,
    ) -> anyhow::Result<()> {
        let [first, second] = [first, second].map(|path| (path, path.display().to_string()));
        let (q, r) = (self.file(first.0, &first.1)?, self.file(second.0, &second.1)?);
        if q.len() != r.len() {
            bail!("{} holds {} instances, {} holds {}", first.1, q.len(), second.1, r.len());
        }
        let several = q.len() > 1;
        for (number, (q, r)) in (1..).zip(q.into_iter().zip(r)) {
            let (q, r) = (&self.found[q], &self.found[r]);
            if q.is_graph != r.is_graph {
                bail!("{} and {}: one is a graph and the other a state", first.1, second.1);
            }
            let item = Item {
                name: if several { format!("{name}:{number}") } else { name.to_string() },
                size: q.size,
                q: q.piece,
                r: Partner::At(r.piece),
                known: known(q.is_graph),
            };
            self.set.items.push(item);
        }
        Ok(())
    }
}

/// For which relations a verdict holds if nothing is said: `parent`, as everywhere; of graphs all that say nothing
/// about roots.
fn known(equivalent: Option<bool>, relations: Option<Relations>, is_graph: bool) -> Option<Known> {
    let unsaid = match (is_graph, equivalent) {
        (false, _) => Relations::default(),
        (true, Some(false)) => Relations::NONE,
        (true, _) => Relations::NONE.with(Relation::Parent).with(Relation::Ancestor),
    };
    equivalent.map(|equivalent| Known { equivalent, relations: relations.unwrap_or(unsaid) })
}

/// Every state or graph below a folder, on its own or in pairs by name.
fn in_folder(set: &StateSet, base: &Path, folder: &Path) -> anyhow::Result<SetInputs> {
    let names = files_below(&base.join(folder))?;
    let wanted =
        |name: &&String| set.files.as_deref().is_none_or(|pattern| fits(pattern, name).is_some());
    let names: Vec<&String> = names.iter().filter(wanted).collect();
    let mut reader = Reader::new(set, base)?;
    match &set.names {
        Some(patterns) => by_name(&mut reader, set, folder, &names, patterns)?,
        None => alone(&mut reader, folder, &names)?,
    }
    Ok(reader.set)
}

fn alone(reader: &mut Reader<'_>, folder: &Path, names: &[&String]) -> anyhow::Result<()> {
    let mut others = Vec::new();
    for &name in names {
        let path = folder.join(name);
        if reader.kind_of(&path).is_none() {
            others.push(name.as_str());
            continue;
        }
        for at in reader.file(&path, name)? {
            let Found { name, piece, size, .. } = &reader.found[at];
            let item =
                Item { name: name.clone(), size: *size, q: *piece, r: Partner::Made, known: None };
            reader.set.items.push(item);
        }
    }
    if let [first, ..] = others.as_slice() {
        note!(
            "{}: {} files are neither states nor graphs by their endings and are left out, {first} among them",
            folder.display(),
            others.len()
        );
    }
    Ok(())
}

/// A file that fits the first pattern is compared with the one that the second makes of its name.
fn by_name(
    reader: &mut Reader<'_>,
    set: &StateSet,
    folder: &Path,
    names: &[&String],
    [first, second]: &[String; 2],
) -> anyhow::Result<()> {
    let expect = set.expect.as_deref().map(|text| expected_of(&text.into())).transpose();
    let expect = expect.map_err(anyhow::Error::msg)?.flatten();
    for name in names {
        let Some(middle) = fits(first, name) else { continue };
        let other = second.replacen('*', middle, 1);
        if other == **name {
            continue;
        }
        if !names.iter().any(|name| **name == other) {
            bail!("{name} fits `{first}`, but there is no {other}",);
        }
        let paths = (folder.join(name), folder.join(&other));
        reader.pair((&paths.0, &paths.1), name, |is_graph| known(expect, None, is_graph))?;
    }
    Ok(())
}

/// What the `*` of a pattern stands for in a name; the whole name if there is no `*` and the two are equal.
fn fits<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    let Some((before, after)) = pattern.split_once('*') else {
        return (pattern == name).then_some(name);
    };
    let rest = name.strip_prefix(before)?;
    rest.strip_suffix(after)
}

/// Names of all files below a folder, relative to it, in order; hidden ones are left out.
fn files_below(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut open = vec![(folder.to_path_buf(), String::new())];
    let mut names = Vec::new();
    while let Some((path, prefix)) = open.pop() {
        let entries = std::fs::read_dir(&path)
            .with_context(|| format!("cannot read the folder {}", path.display()))?;
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                bail!("{}: the name of a file is not UTF-8", entry.path().display());
            };
            if name.starts_with('.') {
                continue;
            }
            let name = format!("{prefix}{name}");
            // a link to a folder is not followed: it may lead back here
            match entry.file_type()?.is_dir() {
                true => open.push((entry.path(), format!("{name}/"))),
                false => names.push(name),
            }
        }
    }
    names.sort();
    Ok(names)
}

/// A line of a manifest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestLine {
    #[serde(default)]
    id: Option<String>,
    q: PathBuf,
    r: PathBuf,
    #[serde(default)]
    expected: Value,
    relations: Option<Vec<String>>,
}

/// Pairs that a manifest lists; names in it are relative to it.
fn listed(set: &StateSet, base: &Path, path: &Path) -> anyhow::Result<SetInputs> {
    let name = base.join(path);
    let text = std::fs::read_to_string(&name)
        .with_context(|| format!("cannot read {}", name.display()))?;
    let beside = path.parent().unwrap_or(Path::new(""));
    let mut reader = Reader::new(set, base)?;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let line = file::of_line(&name, number, line.as_bytes())?;
        list_line(&mut reader, beside, line)
            .with_context(|| format!("{}:{number}", name.display()))?;
    }
    Ok(reader.set)
}

fn list_line(reader: &mut Reader<'_>, beside: &Path, line: ManifestLine) -> anyhow::Result<()> {
    let expected = expected_of(&line.expected).map_err(anyhow::Error::msg)?;
    let relations = line.relations.as_deref();
    let named = relations.map(|names| relations_of(Some(names), Relations::NONE)).transpose();
    let named = named.map_err(anyhow::Error::msg)?;
    let paths = (beside.join(&line.q), beside.join(&line.r));
    let name = line.id.unwrap_or_else(|| line.q.display().to_string());
    reader.pair((&paths.0, &paths.1), &name, |is_graph| known(expected, named, is_graph))
}

fn size(pids: usize) -> anyhow::Result<u32> {
    u32::try_from(pids).context("more pids than 32 bits can count")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_one_star() {
        assert_eq!(fits("*-1.col", "cfi-20-1.col"), Some("cfi-20"));
        assert_eq!(fits("*-1.col", "cfi-20-2.col"), None);
        assert_eq!(fits("a*a", "a"), None);
        assert_eq!(fits("x", "x"), Some("x"));
    }
}
