//! The loop on small models with known answers.

use super::*;
use pidlab_budget::Budget;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// `n` counters modulo `m`; any may step, one transition label each.
struct Counting {
    n: usize,
    m: u8,
}

impl Model for Counting {
    type State = Vec<u8>;
    type Worker = ();
    fn worker(&self) {}
    fn initial(&self, _: &mut (), out: &mut Successors<Vec<u8>>) -> Result<(), Failure> {
        *out.push(0) = vec![0; self.n];
        Ok(())
    }
    fn successors(
        &self,
        _: &mut (),
        state: &Vec<u8>,
        out: &mut Successors<Vec<u8>>,
    ) -> Result<(), Failure> {
        for i in (0..self.n).filter(|&i| state[i] + 1 < self.m) {
            let next = out.push(i as Label);
            next.clone_from(state);
            next[i] += 1;
        }
        Ok(())
    }
    fn inspect(&self, _: &mut (), state: &Vec<u8>) -> Result<u64, Failure> {
        Ok(u64::from(state.iter().map(|&c| u32::from(c)).sum::<u32>() == 3))
    }
}

/// Keys are the bytes, sorted (exact: the counters are alike) or as they are.
struct Bytes {
    sorted: bool,
}

impl Canonizer<Vec<u8>> for Bytes {
    type Worker = ();
    fn worker(&self) {}
    fn key(&self, _: &mut (), state: &Vec<u8>, key: &mut Vec<u8>) -> Result<(), Failure> {
        key.clone_from(state);
        if self.sorted {
            key.sort_unstable();
        }
        Ok(())
    }
    fn decode(&self, _: &mut (), key: &[u8], state: &mut Vec<u8>) {
        state.clear();
        state.extend_from_slice(key);
    }
}

fn run(n: usize, m: u8, sorted: bool, options: &Options<'_>) -> SearchReport {
    search(&Counting { n, m }, &Bytes { sorted }, &mut ArenaStore::new(), options).unwrap()
}

fn all_ways() -> Vec<Options<'static>> {
    let mut ways = Vec::new();
    for from in [Continue::Representative, Continue::Concrete] {
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            ways.push(Options { order, from, record_edges: true, ..Options::default() });
        }
        let order = Order::DepthFirst;
        ways.push(Options {
            order,
            from,
            one_per_level: true,
            record_edges: true,
            ..Options::default()
        });
    }
    for threads in 2..5 {
        for from in [Continue::Representative, Continue::Concrete] {
            ways.push(Options { threads, from, record_edges: true, ..Options::default() });
        }
    }
    ways
}

#[test]
fn every_way_counts_the_same() {
    for options in all_ways() {
        let plain = run(4, 6, false, &options);
        assert_eq!(plain.counters.states, 6u64.pow(4));
        assert_eq!(plain.counters.edges, 4 * 5 * 6u64.pow(3));
        assert_eq!(plain.counters.seen, plain.counters.edges - plain.counters.states + 1);
        assert_eq!(plain.counters.deadlocks, 1);
        assert_eq!(plain.edges.len() as u64, plain.counters.edges);
        let sorted = run(4, 6, true, &options);
        // multisets of 4 out of 6
        assert_eq!(sorted.counters.states, 126);
        assert!(sorted.complete());
    }
}

/// A search that is stopped counts the edges of states that it has not finished.
#[test]
fn a_stopped_search_counts_what_it_has_seen() {
    for options in all_ways() {
        let limits = Limits { states: Some(200), ..Limits::default() };
        let found = run(4, 6, false, &Options { limits, ..options });
        assert_eq!((found.counters.states, found.complete()), (200, false));
        // each state but the first was reached by an edge of its own
        assert!(found.counters.edges >= 199, "{:?}", found.counters);
        assert_eq!(found.edges.len() as u64, found.counters.edges);
    }
}

#[test]
fn threads_do_not_change_numbers_or_traces() {
    let one = run(5, 7, false, &Options { record_edges: true, ..Options::default() });
    let mut edges = one.edges.clone();
    edges.sort_unstable();
    for (threads, from) in
        (2..5).flat_map(|n| [(n, Continue::Representative), (n, Continue::Concrete)])
    {
        let options = Options { threads, from, record_edges: true, ..Options::default() };
        let many = run(5, 7, false, &options);
        let mut same = many.edges.clone();
        same.sort_unstable();
        assert_eq!(edges, same);
        assert_eq!(one.counters, many.counters);
        assert_eq!(one.found, many.found);
        for id in [1, 77, 16_000] {
            assert_eq!(one.parents.path(id), many.parents.path(id));
        }
    }
}

#[test]
fn breadth_first_paths_are_shortest_and_lead_there() {
    let report = run(3, 5, false, &Options { stop_at: 1, ..Options::default() });
    assert_eq!(report.stopped, Some(StopReason::Found));
    let (start, steps) = report.parents.path(report.found(0).unwrap());
    assert_eq!((start, steps.len()), (0, 3));
}

#[test]
fn the_state_limit_is_exact() {
    for options in all_ways() {
        let limits = Limits { states: Some(100), ..Limits::default() };
        let report = run(4, 6, false, &Options { limits, ..options.clone() });
        assert_eq!(report.counters.states, 100);
        assert_eq!(report.stopped, Some(StopReason::MaxStates));
        let enough = Limits { states: Some(1296), ..Limits::default() };
        assert!(run(4, 6, false, &Options { limits: enough, ..options }).complete());
    }
}

#[test]
fn time_memory_and_the_user_end_a_search() {
    for options in all_ways() {
        let stopped = |limits| run(12, 200, false, &Options { limits, ..options.clone() }).stopped;
        let time = Limits {
            budget: Budget::new(Some(Duration::from_millis(20)), None),
            ..Limits::default()
        };
        assert_eq!(stopped(time), Some(StopReason::Time));
        let memory = Limits { budget: Budget::new(None, Some(1 << 20)), ..Limits::default() };
        assert_eq!(stopped(memory), Some(StopReason::Memory));
        static FLAG: AtomicBool = AtomicBool::new(true);
        let budget = Budget::unlimited().interrupted_by(&FLAG);
        let report = run(
            12,
            200,
            false,
            &Options { limits: Limits { budget, ..Limits::default() }, ..options.clone() },
        );
        assert_eq!(report.stopped, Some(StopReason::Interrupted));
        assert!(report.counters.states > 1);
    }
}

/// s →a t, s →b u, t → u: the recursive order reaches u through t.
#[test]
fn depth_first_asks_for_membership_when_a_turn_comes() {
    struct Triangle;
    impl Model for Triangle {
        type State = u8;
        type Worker = ();
        fn worker(&self) {}
        fn initial(&self, _: &mut (), out: &mut Successors<u8>) -> Result<(), Failure> {
            *out.push(0) = 0;
            Ok(())
        }
        fn successors(&self, _: &mut (), s: &u8, out: &mut Successors<u8>) -> Result<(), Failure> {
            let next: &[u8] = [&[1, 2][..], &[2], &[]][*s as usize];
            next.iter().for_each(|&to| *out.push(u32::from(to)) = to);
            Ok(())
        }
    }
    struct Byte;
    impl Canonizer<u8> for Byte {
        type Worker = ();
        fn worker(&self) {}
        fn key(&self, _: &mut (), state: &u8, key: &mut Vec<u8>) -> Result<(), Failure> {
            key.clear();
            key.push(*state);
            Ok(())
        }
        fn decode(&self, _: &mut (), key: &[u8], state: &mut u8) {
            *state = key[0];
        }
    }
    let path = |order| {
        let options = Options { order, ..Options::default() };
        let mut store = ArenaStore::new();
        let report = search(&Triangle, &Byte, &mut store, &options).unwrap();
        let last = store.find(&[2], key_hash(&[2])).unwrap();
        report.parents.path(last).1.len()
    };
    assert_eq!(path(Order::DepthFirst), 2);
    assert_eq!(path(Order::BreadthFirst), 1);
}

#[test]
fn a_combination_that_would_be_ignored_is_refused() {
    let depth = Options { threads: 2, order: Order::DepthFirst, ..Options::default() };
    assert!(depth.check().is_err());
}

/// A canonical form that takes longer than the limit ends the search, and what was found stays.
#[test]
fn a_state_too_hard_to_canonise_ends_a_search_like_a_limit() {
    struct Hard;
    impl Canonizer<Vec<u8>> for Hard {
        type Worker = Budget;
        fn worker(&self) -> Budget {
            Budget::unlimited()
        }
        fn allow(&self, worker: &mut Budget, budget: &Budget) {
            *worker = budget.clone();
        }
        fn key(
            &self,
            worker: &mut Budget,
            state: &Vec<u8>,
            key: &mut Vec<u8>,
        ) -> Result<(), Failure> {
            while state.iter().map(|&c| u32::from(c)).sum::<u32>() > 2 {
                worker.step()?;
            }
            key.clone_from(state);
            Ok(())
        }
        fn decode(&self, _: &mut Budget, key: &[u8], state: &mut Vec<u8>) {
            state.clone_from(&key.to_vec());
        }
    }
    for options in all_ways() {
        let limits = Limits {
            budget: Budget::new(Some(Duration::from_millis(20)), None),
            ..Limits::default()
        };
        let options = Options { limits, ..options };
        let counting = Counting { n: 3, m: 9 };
        let report = search(&counting, &Hard, &mut ArenaStore::new(), &options).unwrap();
        assert_eq!(report.stopped, Some(StopReason::Time));
        assert!(report.counters.states > 1);
    }
}
