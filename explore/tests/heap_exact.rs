//! The exact form: against nauty on graphs built here, under random renaming, and against the
//! heuristics.

mod numbers;
mod support;

use numbers::Random;
use pidlab_explore::heap::layout::*;
use pidlab_explore::heap::{Compression, Exact, HeapModel, Numbering, ThreadSymmetry};
use pidlab_nauty::{Labeler, LabelingLimits, SparseGraph, canonical_labeling, unavailable};
use std::collections::HashMap;

/// A coloured undirected graph for a state, made without the product's shape graphs: a vertex per
/// thread and object; a reference is a path of two vertices that carry its label, one for each end.
#[derive(Default)]
struct Graph {
    colors: Vec<String>,
    edges: Vec<(u32, u32)>,
}

impl Graph {
    fn vertex(&mut self, color: String) -> u32 {
        self.colors.push(color);
        self.colors.len() as u32 - 1
    }

    fn arc(&mut self, from: u32, label: String, to: u32) {
        let tail = self.vertex(format!("tail {label}"));
        let head = self.vertex(format!("head {label}"));
        self.edges.extend([(from, tail), (tail, head), (head, to)]);
    }

    fn of_state(model: &HeapModel, words: &[Word]) -> Graph {
        let (program, layout) = (&model.program, &model.layout);
        let mut graph = Graph::default();
        let threads: Vec<usize> = layout.threads(words).collect();
        let objects: Vec<usize> = layout.objects(words).collect();
        for _ in 0..threads.len() + objects.len() {
            graph.vertex(String::new());
        }
        let target = |word: Word| {
            let at = heap_start(words) + word as usize - 1;
            (threads.len() + objects.iter().position(|&object| object == at).unwrap()) as u32
        };
        let globals = graph.vertex("globals".into());
        for (at, &word) in words[..layout.first_thread()].iter().enumerate().skip(HEAD) {
            match layout.global_references.contains(&(at as u32)) && word != 0 {
                true => graph.arc(globals, format!("global {at}"), target(word)),
                false => graph.colors[globals as usize] += &format!(" {at}={word}"),
            }
        }
        for (vertex, &start) in threads.iter().enumerate() {
            // frames until one is a thread's own; a vertex each, in a row from the thread's
            let (mut frame, mut at, mut depth) = (vertex as u32, start, 0);
            loop {
                let pc = words[at] as usize;
                let mut color = format!("frame {depth} {pc}");
                for offset in 1..layout.frame_size[pc] {
                    let word = words[at + offset as usize];
                    match layout.frame_references[pc].contains(&offset) && word != 0 {
                        true => graph.arc(frame, format!("local {offset}"), target(word)),
                        false => color += &format!(" {offset}={word}"),
                    }
                }
                graph.colors[frame as usize] = color;
                if !layout.has_caller[pc] {
                    break;
                }
                let below = graph.vertex(String::new());
                graph.arc(frame, "called from".into(), below);
                at += layout.frame_size[pc] as usize;
                (frame, depth) = (below, depth + 1);
            }
        }
        for (number, &start) in objects.iter().enumerate() {
            let vertex = (threads.len() + number) as u32;
            let mut color = program.object_name(words[start]).to_string();
            match &layout.objects[words[start] as usize] {
                ObjectLayout::Record { size, references, locks } => {
                    for offset in 1..*size as u32 {
                        let word = words[start + offset as usize];
                        let (holder, count) = lock_parts(word);
                        if locks.contains(&offset) && word != 0 {
                            color += &format!(" {offset} held {count}");
                            graph.arc(vertex, format!("lock {offset}"), holder.unwrap());
                        } else if references.contains(&offset) && word != 0 {
                            graph.arc(vertex, format!("field {offset}"), target(word));
                        } else {
                            color += &format!(" {offset}={word}");
                        }
                    }
                }
                &ObjectLayout::Sequence { stride, references, ordered } => {
                    for index in 0..words[start + SIZE] as usize {
                        let place = if ordered { index.to_string() } else { "any".into() };
                        let member = graph.vertex(String::new());
                        graph.edges.push((vertex, member));
                        let mut text = format!("member {place}");
                        for part in 0..stride {
                            let word = words[start + ELEMENTS + stride * index + part];
                            match references[part] && word != 0 {
                                true => graph.arc(member, format!("part {part}"), target(word)),
                                false => text += &format!(" {part}={word}"),
                            }
                        }
                        graph.colors[member as usize] = text;
                    }
                }
            }
            graph.colors[vertex as usize] = color;
        }
        graph
    }

    /// Equal for isomorphic graphs and only for them, by nauty.
    fn certificate(&self) -> (Vec<String>, Vec<(u32, u32)>) {
        let mut known: Vec<&String> = self.colors.iter().collect();
        known.sort();
        known.dedup();
        let number = |color| known.binary_search(&color).unwrap() as u32;
        let colors: Vec<u32> = self.colors.iter().map(number).collect();
        let mut sparse = SparseGraph::new(colors, &self.edges).unwrap();
        let order =
            canonical_labeling(Labeler::Nauty, &mut sparse, LabelingLimits::default()).unwrap();
        let mut position = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&vertex, at)| position[vertex as usize] = at);
        let moved = |&(a, b): &(u32, u32)| {
            let (a, b) = (position[a as usize], position[b as usize]);
            (a.min(b), a.max(b))
        };
        let mut edges: Vec<(u32, u32)> = self.edges.iter().map(moved).collect();
        edges.sort_unstable();
        (order.iter().map(|&vertex| self.colors[vertex as usize].clone()).collect(), edges)
    }
}

#[test]
fn agrees_with_nauty_on_every_reached_state() {
    if let Some(why) = unavailable() {
        eprintln!("SKIPPED: nauty is not available: {why}");
        return;
    }
    for (name, constants) in support::SMALL {
        let model = support::model(name, constants);
        let states = support::reachable(&model);
        let mut exact = Exact::default();
        let mut by_form = HashMap::new();
        let mut by_certificate = HashMap::new();
        for words in &states {
            let mut form = Vec::new();
            exact.canonical(&model.layout, words, &mut form).unwrap();
            let certificate = Graph::of_state(&model, words).certificate();
            let known = by_form.entry(form.clone()).or_insert_with(|| certificate.clone());
            assert_eq!(*known, certificate, "{name}: one form for two classes");
            let known = by_certificate.entry(certificate).or_insert_with(|| form.clone());
            assert_eq!(*known, form, "{name}: two forms for one class");
        }
        assert!(by_form.len() < states.len(), "{name}: no symmetry at all");
    }
}

impl Random {
    fn shuffled(&mut self, count: u32) -> Vec<u32> {
        let mut items: Vec<u32> = (0..count).collect();
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
        items
    }
}

#[test]
fn renaming_threads_and_objects_does_not_change_the_form() {
    let mut random = Random(2003);
    for (name, constants) in support::SMALL {
        let model = support::model(name, constants);
        // two memories: what one has seen of shapes must not matter
        let (mut first, mut second) = (Exact::default(), Exact::default());
        let mut numbering = Numbering::default();
        for words in support::reachable(&model) {
            let objects = model.layout.objects(&words).count() as u32;
            let (threads, objects) = (random.shuffled(words[0]), random.shuffled(objects));
            let (mut renamed, mut form, mut other) = (Vec::new(), Vec::new(), Vec::new());
            numbering.rewrite_as(&model.layout, &words, &threads, &objects, &mut renamed);
            first.canonical(&model.layout, &words, &mut form).unwrap();
            second.canonical(&model.layout, &renamed, &mut other).unwrap();
            assert_eq!(form, other, "{name}: {words:?} renamed to {renamed:?}");
        }
    }
}

#[test]
fn never_more_states_than_a_heuristic() {
    for (name, constants) in support::SMALL {
        let states = |symmetry: &str| {
            let program = support::program(name, constants);
            let found = support::counts(program, symmetry.parse().unwrap(), Compression::Bytes);
            (found.report.counters.states, found.stuck())
        };
        let (exact, stuck) = states("exact");
        for heuristic in ["none", "pc", "kbots:0", "kbots:1", "kbots:2", "kbots:inf"] {
            let (more, also_stuck) = states(heuristic);
            assert!(exact <= more, "{name}: exact {exact}, {heuristic} {more}");
            assert_eq!(stuck > 0, also_stuck > 0, "{name}: {heuristic} disagrees on deadlocks");
        }
    }
}

#[test]
fn classes_are_those_of_all_states() {
    for (name, constants) in support::SMALL {
        let model = support::model(name, constants);
        let mut exact = Exact::default();
        let mut classes = std::collections::HashSet::new();
        for words in support::reachable(&model) {
            let mut form = Vec::new();
            exact.canonical(&model.layout, &words, &mut form).unwrap();
            classes.insert(form);
        }
        let program = support::program(name, constants);
        let found = support::counts(program, ThreadSymmetry::Exact, Compression::Tree);
        assert_eq!(found.report.counters.states, classes.len() as u64, "{name}");
    }
}
