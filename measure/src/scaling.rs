//! How a search by several processes scales: costs measured on one machine, a discrete simulation of the
//! levels of a breadth-first search, and what it predicts for machines that are not here.
//!
//! A level is expanded by all processes at once: each does the work of its own states, sends the
//! successors that others own, and then three rounds of messages find the end of the level. The slowest process of
//! a level is the one that all wait for, so the simulation draws how the states of each level fall on the processes.
//!
//! | cost | meaning | measured by |
//! |---|---|---|
//! | `work` | seconds a state that never leaves its process | one process |
//! | `travel` | seconds more for a state whose successors all go to other processes | two processes |
//! | `round` | seconds of a round however many take part | searches with hardly any states |
//! | `greeting` | seconds a process spends in a round on each of the others | the same, more processes |
//!
//! Known weakness: what two busy cores take from each other (caches, memory) is counted as `travel`, so that
//! machines with more memory channels do better than predicted.

use pidlab_random::Rng;
use serde::Serialize;

/// Rounds of messages at the end of a level.
const ROUNDS: f64 = 3.0;
/// States of a process from which on their number is drawn from a normal distribution.
const MANY: f64 = 64.0;

/// What a search costs, in seconds and bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Costs {
    /// Seconds a state in one process.
    pub work: f64,
    /// Seconds more for a state whose successors all go to other processes.
    pub travel: f64,
    /// Seconds of a round.
    pub round: f64,
    /// Seconds that a process spends in a round on each of the others.
    pub greeting: f64,
    /// Bytes of a state in the memory of its owner.
    pub bytes_stored: f64,
    /// Bytes on the network for a state whose successors all go to other processes.
    pub bytes_sent: f64,
}

/// Where the processes are.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Site {
    /// Processes, with one thread each.
    pub processes: usize,
    /// Cores of the one machine that all are on; none if each has a machine of its own.
    pub shared_cores: Option<usize>,
    /// Seconds that a message takes from machine to machine, beyond what it takes within one.
    pub latency: f64,
    /// Bytes a second that each machine can send.
    pub bandwidth: f64,
}

impl Site {
    /// All processes on one machine.
    pub fn here(processes: usize, cores: usize) -> Site {
        Site { processes, shared_cores: Some(cores), latency: 0.0, bandwidth: f64::INFINITY }
    }

    /// How many processes have to share a core.
    fn crowding(&self) -> f64 {
        self.shared_cores.map_or(1.0, |cores| (self.processes as f64 / cores as f64).max(1.0))
    }

    /// Share of the successors that belong to another process.
    fn away(&self) -> f64 {
        1.0 - 1.0 / self.processes as f64
    }
}

/// One measured search.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// Processes, with one thread each, on this machine.
    pub processes: usize,
    /// States of each level.
    pub levels: Vec<u64>,
    /// Seconds.
    pub seconds: f64,
    /// Bytes of a state in memory.
    pub bytes_stored: f64,
    /// Bytes sent a state.
    pub bytes_sent: f64,
}

impl Sample {
    /// States of all levels.
    pub fn states(&self) -> f64 {
        self.levels.iter().sum::<u64>() as f64
    }

    fn rounds(&self) -> f64 {
        ROUNDS * self.levels.len() as f64
    }
}

/// Costs from searches with one and two processes, and for each number of processes a pair of searches with hardly
/// any states, a shallow and a deep one. `None` where a kind of sample is missing.
pub fn costs(large: &[Sample], small: &[[Sample; 2]], cores: usize) -> Option<Costs> {
    let of = |processes| large.iter().find(|sample| sample.processes == processes);
    let (one, two) = (of(1)?, of(2)?);
    // what a first look gives is good enough for the work in the small searches
    let rough = one.seconds / one.states();
    let (round, greeting) = rounds(small, rough, cores)?;
    let round_of = |site: Site| round_seconds(round, greeting, &site);
    let work = (one.seconds - one.rounds() * round_of(Site::here(1, cores))) / one.states();
    let pair = Site::here(2, cores);
    let each = two.states() / 2.0 * pair.crowding();
    let busy = two.seconds - two.rounds() * round_of(pair);
    Some(Costs {
        work,
        travel: ((busy / each - work) / pair.away()).max(0.0),
        round,
        greeting,
        bytes_stored: one.bytes_stored,
        bytes_sent: two.bytes_sent / pair.away(),
    })
}

/// Seconds of a round, and of each other process in it, by least squares.
fn rounds(small: &[[Sample; 2]], work: f64, cores: usize) -> Option<(f64, f64)> {
    let points: Vec<(f64, f64)> = small
        .iter()
        .map(|[shallow, deep]| {
            let site = Site::here(deep.processes, cores);
            let states = (deep.states() - shallow.states()) / site.processes as f64;
            let seconds = deep.seconds - shallow.seconds - states * work * site.crowding();
            (others(&site), seconds / (deep.rounds() - shallow.rounds()))
        })
        .collect();
    let count = points.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    if spread == 0.0 || points.is_empty() {
        return None;
    }
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
    let slope = slope.max(0.0);
    Some(((y - slope * x).max(0.0), slope))
}

/// Other processes that one has to deal with in a round, as often as it shares its core.
fn others(site: &Site) -> f64 {
    (site.processes as f64 - 1.0) * site.crowding()
}

fn round_seconds(round: f64, greeting: f64, site: &Site) -> f64 {
    let latency = if site.processes > 1 { site.latency } else { 0.0 };
    round + greeting * others(site) + latency
}

/// What a simulated search takes.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Forecast {
    /// Seconds from beginning to end.
    pub seconds: f64,
    /// Share of them in which the average process works on states.
    pub efficiency: f64,
    /// Share of the seconds that go to rounds of messages.
    pub round_share: f64,
    /// Bytes of the states of the process that has the most.
    pub most_bytes: f64,
}

/// Simulates a search with levels of these sizes, level by level.
pub fn simulate(levels: &[f64], costs: &Costs, site: &Site, seed: u64) -> Forecast {
    let mut rng = Rng::for_analysis(seed, site.processes as u64);
    let each = costs.work + costs.travel * site.away();
    let sent = costs.bytes_sent * site.away() / site.bandwidth;
    let round = ROUNDS * round_seconds(costs.round, costs.greeting, site);
    let mut owned = vec![0.0; site.processes];
    let (mut seconds, mut useful) = (0.0, 0.0);
    for &states in levels {
        let most = share_out(states, &mut owned, &mut rng);
        // on one machine a process that is done leaves its core to another
        let even = states / site.processes as f64;
        let waited_for = if site.crowding() > 1.0 { even * site.crowding() } else { most };
        seconds += waited_for.max(most) * each.max(sent) + round;
        useful += even * costs.work;
    }
    let rounds = round * levels.len() as f64;
    let most_bytes = owned.iter().copied().fold(0.0, f64::max) * costs.bytes_stored;
    let efficiency = useful * site.crowding() / seconds;
    Forecast { seconds, efficiency, round_share: rounds / seconds, most_bytes }
}

/// Gives each state of a level to a process at random; the largest share.
fn share_out(states: f64, owned: &mut [f64], rng: &mut Rng) -> f64 {
    let processes = owned.len();
    let mean = states / processes as f64;
    let mut shares = vec![0.0; processes];
    if mean < MANY {
        (0..states as u64).for_each(|_| shares[rng.index(processes)] += 1.0);
    } else {
        let deviation = (mean * (1.0 - 1.0 / processes as f64)).sqrt();
        shares.iter_mut().for_each(|share| *share = mean + deviation * rng.normal());
    }
    owned.iter_mut().zip(&shares).for_each(|(owned, share)| *owned += share);
    shares.into_iter().fold(0.0, f64::max)
}

/// States of N(k,m) of ICTAC'08 by level, under {parent}, without exploring it.
///
/// After the first step a state is a multiset of k servers, a server a multiset of m handlers, and a handler is
/// in one of six phases; the shortest way to a state lets every handler go straight to its phase. So the level of a
/// state is the sum of its phases, and counting multisets by sum is a product of polynomials.
pub fn nkm_levels(servers: usize, handlers: usize) -> Vec<f64> {
    let phases = vec![1.0; 6];
    let of_server = multisets(&phases, handlers);
    let mut levels = vec![1.0];
    levels.extend(multisets(&of_server, servers));
    levels
}

/// How many multisets of a size there are, by sum, of things of which there are `kinds[s]` with sum s.
fn multisets(kinds: &[f64], size: usize) -> Vec<f64> {
    let most = size * (kinds.len() - 1);
    let mut counts = vec![vec![0.0; most + 1]; size + 1];
    counts[0][0] = 1.0;
    for (value, &kinds) in kinds.iter().enumerate().filter(|(_, kinds)| **kinds > 0.0) {
        // larger multisets first: those without this value are still there to be extended
        for length in (1..=size).rev() {
            for sum in 0..=most {
                let with = |taken: usize| match sum.checked_sub(taken * value) {
                    Some(rest) => choices(kinds, taken) * counts[length - taken][rest],
                    None => 0.0,
                };
                let more: f64 = (1..=length).map(with).sum();
                counts[length][sum] += more;
            }
        }
    }
    counts.swap_remove(size)
}

/// Multisets of a size out of so many kinds.
fn choices(kinds: f64, size: usize) -> f64 {
    let of: f64 = (0..size).map(|i| (kinds + i as f64) / (i as f64 + 1.0)).product();
    of.round()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs {
        work: 1e-6,
        travel: 5e-7,
        round: 1e-5,
        greeting: 1e-5,
        bytes_stored: 50.0,
        bytes_sent: 40.0,
    };

    #[test]
    fn levels_add_up_to_the_closed_form() {
        for (k, m) in [(1, 1), (2, 2), (4, 3), (5, 3)] {
            let servers = choices(6.0, m);
            let all = choices(servers, k) + 1.0;
            assert_eq!(nkm_levels(k, m).iter().sum::<f64>(), all, "N({k},{m})");
        }
        assert_eq!(nkm_levels(5, 3).iter().sum::<f64>(), 5_461_513.0);
    }

    #[test]
    fn costs_are_found_again_in_simulated_searches() {
        let cores = 2;
        let sample = |processes: usize, levels: Vec<u64>| {
            let sizes: Vec<f64> = levels.iter().map(|&n| n as f64).collect();
            let site = Site::here(processes, cores);
            let seconds = simulate(&sizes, &COSTS, &site, 7).seconds;
            let bytes_sent = COSTS.bytes_sent * site.away();
            Sample { processes, levels, seconds, bytes_stored: 50.0, bytes_sent }
        };
        let large = [1, 2].map(|processes| sample(processes, vec![100_000; 20]));
        let small = [1, 2, 4, 8].map(|p| [sample(p, vec![1; 5]), sample(p, vec![1; 50])]);
        let found = costs(&large, &small, cores).unwrap();
        for (found, true_cost) in [
            (found.work, COSTS.work),
            (found.travel, COSTS.travel),
            (found.greeting, COSTS.greeting),
            (found.bytes_sent, COSTS.bytes_sent),
        ] {
            assert!((found / true_cost - 1.0).abs() < 0.2, "{found:e} for {true_cost:e}");
        }
    }

    #[test]
    fn rounds_end_what_machines_can_gain() {
        let levels = nkm_levels(4, 3);
        let far =
            |processes| Site { processes, shared_cores: None, latency: 5e-5, bandwidth: 1.25e9 };
        let seconds = |processes| simulate(&levels, &COSTS, &far(processes), 1).seconds;
        assert!(seconds(10) < seconds(1) / 4.0);
        assert!(seconds(1000) > seconds(30));
    }

    #[test]
    fn two_processes_on_one_core_take_turns() {
        let levels = vec![10_000.0; 10];
        let alone = simulate(&levels, &COSTS, &Site::here(2, 2), 3).seconds;
        let crowded = simulate(&levels, &COSTS, &Site::here(4, 2), 3).seconds;
        assert!(crowded > alone);
    }
}
