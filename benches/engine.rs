//! `cargo bench --bench engine`: the hot paths of the engine on random states, one input each.
//!
//! Criterion repeats one input and watches for regressions of a path; it does not compare backends
//! over many pairs, which is what `pidlab bench engine` and the experiments are for.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pidlab_backends::canon::canonical_form;
use pidlab_backends::{Backend, Budget, GraphKind, Problem, registry};
use pidlab_core::graph::build::build;
use pidlab_core::graph::{Form, PaperGraph, Recipe};
use pidlab_core::state::StateBuilder;
use pidlab_core::structure::{NextPids, Structure};
use pidlab_core::{Relations, State, json};
use pidlab_generators::hard::{Family, Variant, instance};
use pidlab_generators::transform::TransformKind;
use pidlab_generators::{RandomParams, Rng, Transformation, apply, random_state};

const SIZES: [usize; 3] = [50, 1_800, 10_000];

/// A random state and an equivalent one.
fn pair(pids: usize) -> (State, State) {
    let mut rng = Rng::new(1, pids as u64);
    let params = RandomParams { pids, vectors: Some(2 * pids), ..RandomParams::default() };
    let q = random_state(&params, &mut rng).expect("the parameters are in range");
    let rename = Transformation { kind: TransformKind::Rename, strength: 1.0 };
    let r = apply(&[rename], &q, &mut rng).expect("every state can be renamed").state;
    let r = r.with_shuffled_vectors(|bound| rng.index(bound));
    (q, r)
}

fn stages(c: &mut Criterion) {
    let relations = Relations::default();
    for size in SIZES {
        let (q, _) = pair(size);
        let text = json::state_to_string(&q);
        let mut group = c.benchmark_group("stage");
        group.throughput(Throughput::Elements(size as u64));
        group.bench_with_input(BenchmarkId::new("parse", size), &text, |b, text| {
            b.iter(|| json::parse_state(text).expect("the state was just written"));
        });
        let mut structure = Structure::default();
        group.bench_with_input(BenchmarkId::new("build", size), &q, |b, q| {
            b.iter(|| structure.fill(q, relations, NextPids::Folded));
        });
        let recipe = Recipe { kind: PaperGraph::Corrected, relations, form: Form::Full };
        group.bench_with_input(BenchmarkId::new("build graph", size), &q, |b, q| {
            b.iter(|| build(q, recipe).map(|graph| graph.vertices().count()));
        });
        group.bench_with_input(BenchmarkId::new("form", size), &q, |b, q| {
            b.iter(|| canonical_form(q, relations, &Budget::unlimited()));
        });
        group.finish();
    }
}

/// Graphs in which many vertices look alike, so that hashing leaves all of them to the solver.
fn forms_of_graphs(c: &mut Criterion) {
    let mut group = c.benchmark_group("form of a graph");
    for size in [50_u64, 200] {
        let complete = complete_graph(size);
        group.bench_with_input(BenchmarkId::new("complete", size), &complete, |b, q| {
            b.iter(|| canonical_form(q, Relations::NONE, &Budget::unlimited()));
        });
    }
    for size in [101, 401] {
        let paley = instance(Family::Paley, size, Variant::Base, 1);
        let paley = paley.expect("the size is a prime").state;
        group.bench_with_input(BenchmarkId::new("paley", size), &paley, |b, q| {
            b.iter(|| canonical_form(q, Relations::NONE, &Budget::unlimited()));
        });
    }
    group.finish();
}

/// ⟨x⟩ for every vertex, ⟨x, y⟩ and ⟨y, x⟩ for every edge, as graph files become states.
fn complete_graph(vertices: u64) -> State {
    let mut builder = StateBuilder::new();
    let [own, edges] = ["V", "E"].map(|name| builder.location(name));
    let pids: Vec<_> = (1..=vertices).map(|name| builder.pid(&[name])).collect();
    for (at, x) in pids.iter().enumerate() {
        builder.vector(own, [x.clone()]);
        for y in pids[..at].iter().chain(&pids[at + 1..]) {
            builder.vector(edges, [x.clone(), y.clone()]);
        }
    }
    builder.finish().expect("the graph is small")
}

fn decisions(c: &mut Criterion) {
    for size in SIZES {
        let (q, r) = pair(size);
        let mut group = c.benchmark_group("decide");
        group.throughput(Throughput::Elements(size as u64));
        for name in ["canon", "refine", "nauty", "traces"] {
            let Ok(backend) = registry::find(name) else { continue };
            group.bench_function(BenchmarkId::new(name, size), |b| {
                b.iter(|| decide(&*backend, &q, &r));
            });
        }
        group.bench_function(BenchmarkId::new("check", size), |b| {
            let witness: Vec<u32> = canonical_image(&q, &r);
            b.iter(|| pidlab_check::verify(&q, &r, Relations::default(), &witness));
        });
        group.finish();
    }
}

fn decide(backend: &dyn Backend, q: &State, r: &State) -> pidlab_backends::Decision {
    let problem = Problem { q, r, relations: Relations::default(), graph: GraphKind::Corrected };
    backend.decide(problem, &Budget::unlimited())
}

/// The witness that `canon` gives.
fn canonical_image(q: &State, r: &State) -> Vec<u32> {
    match decide(&pidlab_backends::canon::Canon, q, r).verdict {
        pidlab_backends::Verdict::Equivalent(witness) => witness.0,
        other => panic!("the states are equivalent by construction: {other:?}"),
    }
}

criterion_group!(benches, stages, forms_of_graphs, decisions);
criterion_main!(benches);
