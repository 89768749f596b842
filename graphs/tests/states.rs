//! A graph and its state: isomorphic iff equivalent, by trying all bijections of small graphs, and against nauty and Traces
//! on a corpus of 500 generated ones.

use pidlab_backends::{Backend, Budget, Problem, Verdict, registry};
use pidlab_core::Relations;
use pidlab_core::datum::Datum;
use pidlab_core::graph::{ColoredGraph, dimacs};
use pidlab_graphs::{Format, Graph, GraphBuilder, Source};
use pidlab_random::Rng;

/// What a graph is: colours, and how many edges of which kind lead from where to where.
fn contents(graph: &Graph, names: &[u32]) -> (Vec<Datum>, Vec<String>) {
    let mut colors = vec![Datum::Int(0); names.len()];
    for vertex in 0..names.len() as u32 {
        colors[names[vertex as usize] as usize] = graph.color(vertex).clone();
    }
    let mut edges: Vec<String> = graph
        .edges()
        .map(|(from, to, kind)| {
            let (x, y) = (names[from as usize], names[to as usize]);
            let (x, y) = if kind.directed { (x, y) } else { (x.min(y), x.max(y)) };
            format!("{x} {y} {kind:?}")
        })
        .collect();
    edges.sort();
    (colors, edges)
}

/// Whether some bijection makes one graph the other.
fn by_force(one: &Graph, other: &Graph) -> bool {
    let mut names: Vec<u32> = (0..one.vertex_count() as u32).collect();
    let wanted = contents(other, &(0..other.vertex_count() as u32).collect::<Vec<_>>());
    one.vertex_count() == other.vertex_count()
        && any_permutation(&mut names, 0, &mut |names| contents(one, names) == wanted)
}

fn any_permutation(items: &mut [u32], from: usize, found: &mut impl FnMut(&[u32]) -> bool) -> bool {
    if from == items.len() {
        return found(items);
    }
    (from..items.len()).any(|i| {
        items.swap(from, i);
        let yes = any_permutation(items, from + 1, found);
        items.swap(from, i);
        yes
    })
}

fn random_graph(rng: &mut Rng, n: usize) -> Graph {
    let mut builder = GraphBuilder::new(n);
    for vertex in 0..n as u32 {
        if rng.below(4) == 0 {
            builder.paint(vertex, if rng.below(2) == 0 { Datum::Int(1) } else { "1".into() });
        }
    }
    for _ in 0..rng.below(2 * n as u64) {
        let (x, y) = (rng.below(n as u64) as u32, rng.below(n as u64) as u32);
        let color = (rng.below(4) == 0).then_some(Datum::Int(3));
        let kind = builder.kind(rng.below(3) == 0, color);
        builder.edge(x, y, kind);
    }
    builder.finish(rng.below(2) == 0)
}

fn shuffled(graph: &Graph, rng: &mut Rng) -> Graph {
    let names: Vec<u32> =
        rng.permutation(graph.vertex_count()).into_iter().map(|name| name as u32).collect();
    graph.renamed(&names)
}

fn equivalent(backend: &dyn Backend, one: &Graph, other: &Graph, relations: Relations) -> bool {
    let (q, r) = (one.to_state().unwrap(), other.to_state().unwrap());
    let problem = Problem { q: &q, r: &r, relations, graph: Default::default() };
    match backend.decide(problem, &Budget::unlimited()).verdict {
        Verdict::Equivalent(_) => true,
        Verdict::NotEquivalent => false,
        Verdict::Undecided(why) => panic!("{why:?}"),
    }
}

#[test]
fn isomorphic_iff_equivalent_by_trying_all_bijections() {
    let canon = registry::find("canon").unwrap();
    let mut found = [0; 2];
    for row in 0..1_500 {
        let mut rng = Rng::new(11, row);
        let n = 1 + rng.below(5) as usize;
        let one = random_graph(&mut rng, n);
        let other = match row % 3 {
            0 => random_graph(&mut rng, n),
            _ => shuffled(&one, &mut rng),
        };
        let expected = by_force(&one, &other);
        assert!(row % 3 == 0 || expected);
        let blind: Relations = "parent,ancestor".parse().unwrap();
        for relations in [Relations::NONE, blind] {
            assert_eq!(equivalent(&*canon, &one, &other, relations), expected, "{one:?} {other:?}");
        }
        found[usize::from(expected)] += 1;
    }
    assert!(found.iter().all(|&count| count > 100), "{found:?}");
}

/// A plain graph with many symmetries or none, and one that differs from it in little.
fn corpus_pair(row: u64, largest: u64) -> (Graph, Graph) {
    let mut rng = Rng::new(500, row);
    let n = 4 + rng.below(largest) as usize;
    let mut edges: Vec<(u32, u32)> = Vec::new();
    match row % 5 {
        // a circulant: vertex-transitive
        0 => {
            let steps =
                [1, 1 + rng.below(n as u64 / 2) as usize, 1 + rng.below(n as u64 / 2) as usize];
            edges
                .extend((0..n).flat_map(|v| steps.map(|step| (v as u32, ((v + step) % n) as u32))));
        }
        // equal parts
        1 => edges.extend((0..n / 4 * 4).map(|v| (v as u32, (v / 4 * 4 + (v + 1) % 4) as u32))),
        // a tree
        2 => edges.extend((1..n).map(|v| (rng.below(v as u64) as u32, v as u32))),
        // random, sparse and dense
        kind => {
            let share = if kind == 3 { 4 } else { n as u64 / 2 };
            let pairs = (0..n * share as usize / 2)
                .map(|_| (rng.below(n as u64) as u32, rng.below(n as u64) as u32));
            edges.extend(pairs);
        }
    }
    let build = |edges: &[(u32, u32)]| {
        let mut builder = GraphBuilder::new(n);
        let kind = builder.kind(false, None);
        (0..n as u32).step_by(7).for_each(|v| builder.paint(v, Datum::Int((row % 2).into())));
        edges.iter().filter(|(x, y)| x != y).for_each(|&(x, y)| builder.edge(x, y, kind));
        builder.finish(true)
    };
    let one = build(&edges);
    if rng.below(2) == 0 && !edges.is_empty() {
        // one edge ends elsewhere
        let at = rng.index(edges.len());
        edges[at].1 = rng.below(n as u64) as u32;
    }
    let other = shuffled(&build(&edges), &mut rng);
    (one, other)
}

fn corpus_agrees(rows: impl Iterator<Item = u64>, largest: u64) {
    let names = ["canon", "nauty", "traces"];
    let backends: Vec<_> = names.iter().map(|name| registry::find(name)).collect();
    if let Some(Err(missing)) = backends.iter().find(|backend| backend.is_err()) {
        eprintln!("SKIPPED: {missing}");
        return;
    }
    let mut found = [0; 2];
    for row in rows {
        let (one, other) = corpus_pair(row, largest);
        let said: Vec<bool> = backends
            .iter()
            .flatten()
            .map(|backend| equivalent(&**backend, &one, &other, Relations::NONE))
            .collect();
        assert!(said.iter().all(|&verdict| verdict == said[0]), "{row}: {said:?}");
        found[usize::from(said[0])] += 1;
    }
    assert!(found.iter().all(|&count| count > 0), "{found:?}");
}

#[test]
fn verdicts_on_a_corpus_are_those_of_nauty_and_traces() {
    corpus_agrees(0..500, 40);
}

#[test]
#[ignore = "long"]
fn verdicts_on_a_corpus_of_large_graphs_are_those_of_nauty_and_traces() {
    corpus_agrees(0..500, 600);
}

/// Our own files come back as they were.
#[test]
fn what_is_written_is_read() {
    for row in 0..200 {
        let mut rng = Rng::new(9, row);
        let n = 1 + rng.below(12) as usize;
        let colors: Vec<u32> = (0..n).map(|_| rng.below(3) as u32).collect();
        let edges: Vec<(u32, u32)> = (0..rng.below(20))
            .map(|_| (rng.below(n as u64) as u32, rng.below(n as u64) as u32))
            .filter(|(x, y)| x != y)
            .collect();
        let graph = ColoredGraph::new(colors.clone(), edges).unwrap();
        let read = Format::Dimacs.read_one(&Source::new("a.col", dimacs::write(&graph))).unwrap();
        let ends: Vec<(u32, u32)> = read.edges().map(|(x, y, _)| (x, y)).collect();
        assert_eq!(ends, graph.edges());
        assert!((0..n).all(|v| *read.color(v as u32) == Datum::Int(colors[v].into())));
        // the same in graph6 and sparse6, written here bit by bit
        let mut plain = GraphBuilder::new(n);
        let kind = plain.kind(false, None);
        graph.edges().iter().for_each(|&(x, y)| plain.edge(x, y, kind));
        let plain = plain.finish(true);
        for text in [graph6(n, graph.edges()), sparse6(n, graph.edges())] {
            let read = Format::Graph6.read_one(&Source::new("a.g6", text.clone())).unwrap();
            assert_eq!(read, plain, "{text}");
        }
    }
}

fn packed(prefix: String, bits: &[bool], fill: bool) -> String {
    let byte = |six: &[bool]| {
        let bit = |at: usize| u8::from(six.get(at).copied().unwrap_or(fill));
        char::from(63 + (0..6).fold(0, |byte, at| byte << 1 | bit(at)))
    };
    prefix + &bits.chunks(6).map(byte).collect::<String>()
}

fn graph6(n: usize, edges: &[(u32, u32)]) -> String {
    let bits: Vec<bool> = (0..n as u32)
        .flat_map(|y| (0..y).map(move |x| (x, y)))
        .map(|edge| edges.contains(&edge))
        .collect();
    packed(char::from(63 + n as u8).to_string(), &bits, false)
}

/// Edges by their larger end, as formats.txt describes it.
fn sparse6(n: usize, edges: &[(u32, u32)]) -> String {
    let width = (1..).find(|&width| n <= 1 << width).unwrap_or(1);
    let width = if n == 1 { 0 } else { width };
    let mut sorted: Vec<(u32, u32)> = edges.iter().map(|&(x, y)| (y, x)).collect();
    sorted.sort_unstable();
    let mut bits: Vec<bool> = Vec::new();
    let number = |value: u32, bits: &mut Vec<bool>| {
        bits.extend((0..width).rev().map(|bit| value >> bit & 1 == 1));
    };
    let mut current = 0;
    for (large, small) in sorted {
        if large > current + 1 {
            bits.push(true);
            number(large, &mut bits);
            current = large;
            bits.push(false);
        } else {
            bits.push(large == current + 1);
            current = large;
        }
        number(small, &mut bits);
    }
    // a zero first where ones alone would be an edge
    let free = (6 - bits.len() % 6) % 6;
    if [2, 4, 8, 16].contains(&n) && free > width && current == n as u32 - 2 {
        bits.push(false);
    }
    packed(format!(":{}", char::from(63 + n as u8)), &bits, true)
}
