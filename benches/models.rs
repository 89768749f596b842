//! `cargo bench --bench models`: successor generation of nets and heap programs, canonical keys of
//! markings, one step of coverability; each over a fixed sample of states.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pidlab_core::Relations;
use pidlab_cover::{Budget, Config, EnabledIndex};
use pidlab_explore::heap::{HeapModel, HeapOrder};
use pidlab_explore::net::{NetCanonizer, NetModel};
use pidlab_explore::search::{Canonizer, Model, Successors};
use pidlab_explore::source::Source;
use std::collections::VecDeque;

const SAMPLE: usize = 1_000;

/// The first states that a breadth-first walk meets, equal ones included.
fn sample<M: Model>(model: &M) -> Vec<M::State> {
    let mut worker = model.worker();
    let mut out = Successors::new();
    model.initial(&mut worker, &mut out).expect("the model has a start");
    let mut open: VecDeque<M::State> = (0..out.len()).map(|i| out.state(i).clone()).collect();
    let mut found = Vec::new();
    while let Some(state) = open.pop_front().filter(|_| found.len() < SAMPLE) {
        out.clear();
        model.successors(&mut worker, &state, &mut out).expect("the model runs");
        open.extend((0..out.len()).map(|i| out.state(i).clone()));
        found.push(state);
    }
    found
}

fn successors<M: Model>(c: &mut Criterion, name: &str, model: &M) {
    let states = sample(model);
    let mut worker = model.worker();
    let mut out = Successors::new();
    let mut group = c.benchmark_group("successors");
    group.throughput(Throughput::Elements(states.len() as u64));
    group.bench_function(name, |b| {
        b.iter(|| {
            let mut total = 0;
            for state in &states {
                out.clear();
                model.successors(&mut worker, state, &mut out).expect("the model runs");
                total += out.len();
            }
            total
        });
    });
    group.finish();
}

fn nets(c: &mut Criterion) {
    let text = include_str!("../models/nkm.tnet");
    let settings = [("k".to_string(), "3".to_string()), ("m".to_string(), "3".to_string())];
    let net = pidlab_explore::net::compile(Source::new("nkm.tnet", text), &settings, &[])
        .expect("the model compiles");
    let relations = Relations::default();
    let model = NetModel::new(&net, relations);
    successors(c, "net nkm(3,3)", &model);
    let canoniser = NetCanonizer::new(&net, relations);
    let states = sample(&model);
    let mut worker = Canonizer::worker(&canoniser);
    let mut key = Vec::new();
    let mut group = c.benchmark_group("key");
    group.throughput(Throughput::Elements(states.len() as u64));
    group.bench_function("net nkm(3,3)", |b| {
        b.iter(|| {
            for state in &states {
                canoniser.key(&mut worker, state, &mut key).expect("every marking has a key");
            }
            key.len()
        });
    });
    group.finish();
}

fn heap_programs(c: &mut Criterion) {
    let text = include_str!("../models/philosophers.bir");
    let settings = [("N".to_string(), 8)];
    let source = Source::new("philosophers.bir", text);
    let program = pidlab_explore::heap::compile(&source, &settings).expect("the model compiles");
    successors(c, "heap philosophers(8)", &HeapModel::new(program, HeapOrder::DepthFirst));
}

/// Enabled transitions of a configuration with ω, and their successors.
fn coverability(c: &mut Criterion) {
    let text = include_str!("../models/rockall.bp");
    let net = pidlab_cover::parse::bp::parse(text).expect("the model compiles");
    let unlimited = Budget::unlimited();
    let index = EnabledIndex::new(&net, |_| true, &unlimited).expect("there is no limit");
    let step = |config: &Config| -> Vec<Config> {
        let enabled = index.enabled(&net, config);
        let fired = enabled.iter().map(|&t| net.fire(config, &net.transitions[t as usize]));
        fired.filter_map(Result::ok).collect()
    };
    let mut open = VecDeque::from([net.initial.clone()]);
    let mut configs = Vec::new();
    while let Some(config) = open.pop_front().filter(|_| configs.len() < SAMPLE) {
        open.extend(step(&config));
        configs.push(config);
    }
    let mut group = c.benchmark_group("coverability");
    group.throughput(Throughput::Elements(configs.len() as u64));
    group.bench_function("step rockall", |b| {
        b.iter(|| configs.iter().map(|config| step(config).len()).sum::<usize>());
    });
    group.finish();
}

criterion_group!(benches, nets, heap_programs, coverability);
criterion_main!(benches);
