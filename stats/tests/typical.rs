//! Times with a long tail and a limit that cuts it off: the growth of the typical state is found beyond where the first
//! states meet the limit.

use pidlab_random::Rng;
use pidlab_stats::sample::typical_cut;
use pidlab_stats::{
    Interval, Law, Observation, Sample, exponent, growth_of, regression_of_medians,
};

const LIMIT: f64 = 5.0;
const RUNS: u64 = 60;

/// A time around `typical`; one in ten takes up to 100,000 times as long, and what is above the limit has no time.
fn time(typical: f64, draws: &mut Rng) -> f64 {
    let tail = if draws.index(10) == 0 { 10f64.powf(5.0 * draws.unit()) } else { 1.0 };
    let time = typical * (0.6 * draws.normal()).exp() * tail;
    if time > LIMIT { f64::INFINITY } else { time }
}

/// 24 states of each of twelve sizes from 10 to 400.
fn states(law: Law, run: u64) -> Vec<Observation> {
    let mut draws = Rng::for_analysis(8000 + run, 1);
    let sizes = (0..12).map(|i| (10.0 * 40f64.powf(f64::from(i) / 11.0)).round());
    sizes
        .flat_map(|size| (0..24).map(move |_| size))
        .map(|size| Observation { size, time: time(2e-4 + 3e-5 * law.at(size), &mut draws) })
        .collect()
}

fn typical(law: Law, run: u64) -> Interval {
    growth_of(&Sample::of_medians(&states(law, run)).unwrap(), &Law::PAPERS, "p", run).exponent
}

#[test]
fn the_exponent_of_the_typical_state_is_in_its_interval() {
    for (law, truth) in [(Law::LINEAR, 1.0), (Law::THREE_HALVES, 1.5), (Law::SQUARE, 2.0)] {
        let hits = (0..RUNS).filter(|&run| typical(law, run).contains(truth)).count();
        assert!(hits >= 54, "{law}: {hits} of {RUNS} intervals hold the truth");
    }
}

#[test]
fn sizes_beyond_the_first_limit_count() {
    let all = states(Law::THREE_HALVES, 3);
    let first = all.iter().filter(|o| !o.time.is_finite()).map(|o| o.size).fold(1e9, f64::min);
    let below: Vec<Observation> = all.iter().filter(|o| o.size < first).copied().collect();
    let found = growth_of(&Sample::of_medians(&all).unwrap(), &Law::PAPERS, "p", 3);
    assert!(found.largest >= 2.0 * first, "limits from {first}, sizes to {}", found.largest);
    let short = exponent(&below, 400, 3).map_or(f64::INFINITY, |e| e.half_width());
    assert!(found.exponent.half_width() < 0.5 * short, "{:?} beside {short}", found.exponent);
}

#[test]
fn sizes_whose_states_mostly_meet_the_limit_do_not() {
    let mut all = states(Law::LINEAR, 4);
    assert_eq!(typical_cut(&all), None);
    let late = all.iter_mut().filter(|o| o.size > 200.0).step_by(3);
    late.for_each(|o| o.time = f64::INFINITY);
    let cut = typical_cut(&all).unwrap();
    assert!(cut > 200.0, "{cut}");
    let found = growth_of(&Sample::of_medians(&all).unwrap(), &Law::PAPERS, "p", 4);
    assert!(found.largest < cut && found.states == all.iter().filter(|o| o.size < cut).count());
    all.iter_mut().for_each(|o| o.time = f64::INFINITY);
    assert!(Sample::of_medians(&all).is_none());
}

#[test]
fn exponents_of_crossed_sizes_are_found_below_the_limit() {
    let crossed = |run: u64| {
        let mut draws = Rng::for_analysis(8100 + run, 2);
        let mut groups = Vec::new();
        for pids in [10.0, 20.0, 40.0, 80.0, 160.0f64] {
            for factor in [1.0, 2.0, 4.0, 8.0] {
                let typical = 1e-5 * pids.powf(1.5) * (factor * pids).powf(0.4);
                let times = (0..16).map(|_| time(typical, &mut draws)).collect();
                groups.push((vec![pids, factor * pids], times));
            }
        }
        regression_of_medians(&groups, run).unwrap()
    };
    let found: Vec<_> = (0..RUNS).map(crossed).collect();
    for (at, truth) in [1.5, 0.4].into_iter().enumerate() {
        let hits = found.iter().filter(|found| found.exponents[at].contains(truth)).count();
        assert!(hits >= 54, "exponent {at}: {hits} of {RUNS} intervals hold {truth}");
    }
}

/// One state drawn anew is the same state: an interval would have no width.
#[test]
fn groups_of_single_states_have_no_exponents() {
    let mut draws = Rng::for_analysis(8200, 3);
    let of_states = |states: usize, draws: &mut Rng| {
        let mut groups = Vec::new();
        for pids in [10.0, 20.0, 40.0, 80.0f64] {
            for factor in [1.0, 2.0, 3.0, 4.0] {
                let times = (0..states).map(|_| time(1e-5 * pids * factor, draws)).collect();
                groups.push((vec![pids, factor * pids], times));
            }
        }
        regression_of_medians(&groups, 1)
    };
    assert!(of_states(1, &mut draws).is_none() && of_states(2, &mut draws).is_none());
    let found = of_states(8, &mut draws).unwrap();
    assert!(found.exponents.iter().all(|interval| interval.low < interval.high));
}
