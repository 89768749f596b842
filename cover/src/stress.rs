//! Is the printed algorithm complete? A search for machines on which it is not.
//!
//! Random small machines, each run to the end under several schedules of Beacon's worklist; the set
//! of vertices is then tested for closure, and against the coverability set for shared states that
//! were lost. `docs/coverability.md` has the proof for the depth-first schedule and the reason why
//! others fail.

use crate::algorithms::beacon::{self, WorklistOrder};
use crate::algorithms::karp_miller;
use crate::answer::{Finding, Stats};
use crate::budget::Budget;
use crate::config::{Config, OMEGA};
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::{Net, Transition, collect_entries};
use pidlab_random::split_mix;
use serde::Serialize;
use std::fmt::Write;

/// What to search.
pub struct StressOptions {
    /// Number of the first machine.
    pub first: u64,
    /// How many machines.
    pub machines: u64,
    /// What they are drawn from: a machine is a function of seed and number.
    pub seed: u64,
    /// What the search may use.
    pub budget: Budget,
}

/// The outcome of a search.
#[derive(Clone, Debug, Serialize)]
pub struct StressReport {
    /// Name and version of the report.
    pub format: String,
    /// As in [`StressOptions`].
    pub seed: u64,
    /// Number of the first machine.
    pub first: u64,
    /// Machines that were run.
    pub machines: u64,
    /// One row for each schedule.
    pub schedules: Vec<ScheduleReport>,
    /// Schedules of the worklist on the net of Finkel et al. 2005, all of which were tried.
    pub finkel_schedules: u64,
    /// Schedules of that net that end with a set that is not closed.
    pub finkel_incomplete: u64,
}

/// One schedule over all machines.
#[derive(Clone, Debug, Serialize)]
pub struct ScheduleReport {
    /// Its name.
    pub schedule: String,
    /// Runs whose final set is not closed under steps.
    pub incomplete: u64,
    /// Among them: runs whose final set misses a reachable shared state.
    pub lost_shared_state: u64,
    /// Among these: runs that did not even reach that shared state on the way.
    pub never_met: u64,
    /// The smallest machine found, as an `.lgfsm` file whose error state is one that was lost.
    pub example: Option<String>,
    /// The number of that machine, which [`random_machine`] builds again.
    pub example_machine: Option<u64>,
}

/// The net of Finkel, Geeraerts, Raskin, Van Begin 2005.
pub const FINKEL_NET: &str = "\
vars p1 p2 p3 p4 p5 p6 p7
rules
p1 >= 1 -> p1' = p1 - 1, p2' = p2 + 1;
p2 >= 1 -> p2' = p2 - 1, p3' = p3 + 1;
p3 >= 1 -> p3' = p3 - 1, p4' = p4 + 1;
p4 >= 1 -> p4' = p4 - 1, p3' = p3 + 1, p5' = p5 + 1;
p1 >= 1 -> p1' = p1 - 1, p6' = p6 + 1;
p1 >= 1 -> p1' = p1 - 1, p7' = p7 + 1;
p7 >= 1 -> p7' = p7 - 1, p2' = p2 + 1, p5' = p5 + 1;
p6 >= 1 -> p6' = p6 - 1, p4' = p4 + 1, p5' = p5 + 1;
init p1 = 1, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0
target p3 >= 1, p5 >= 3
";

/// Runs the search. The machine of a given number is the same for every total.
pub fn stress(options: &StressOptions) -> Result<StressReport, Stop> {
    let mut tallies = [
        Tally::new("depth-first (LIFO)", |_| WorklistOrder::DepthFirst),
        Tally::new("breadth-first (FIFO)", |_| WorklistOrder::BreadthFirst),
        Tally::new("random", |number| WorklistOrder::Random(split_mix(number ^ 0xBEAC_0201, 1))),
    ];
    for number in (options.first..).take(usize::try_from(options.machines).unwrap_or(usize::MAX)) {
        let machine = RandomMachine::new(options.seed, number);
        let net = machine.net();
        let pairs = PairInvariant::analyze(&net, &options.budget)?;
        for tally in &mut tallies {
            tally.run(&machine, &net, &pairs, number, &options.budget)?;
        }
    }
    let (finkel_schedules, finkel_incomplete) = finkel(&options.budget)?;
    Ok(StressReport {
        format: "pidlab-cover-stress/1".into(),
        seed: options.seed,
        first: options.first,
        machines: options.machines,
        schedules: tallies.into_iter().map(|t| t.report).collect(),
        finkel_schedules,
        finkel_incomplete,
    })
}

fn finkel(budget: &Budget) -> Result<(u64, u64), Stop> {
    let net = crate::parse::spec::parse(FINKEL_NET).map_err(|e| Stop::Incomplete(e.to_string()))?;
    beacon::all_schedules(&net, &PairInvariant::analyze(&net, budget)?, 10_000_000, budget)
}

/// One schedule's results so far.
struct Tally {
    order: fn(u64) -> WorklistOrder,
    report: ScheduleReport,
    /// Worst failure first, then fewest steps.
    example_size: Option<(std::cmp::Reverse<u8>, usize)>,
}

impl Tally {
    fn new(name: &str, order: fn(u64) -> WorklistOrder) -> Tally {
        let report = ScheduleReport {
            schedule: name.into(),
            incomplete: 0,
            lost_shared_state: 0,
            never_met: 0,
            example: None,
            example_machine: None,
        };
        Tally { order, report, example_size: None }
    }

    fn run(
        &mut self,
        machine: &RandomMachine,
        net: &Net,
        pairs: &PairInvariant,
        number: u64,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let order = (self.order)(number);
        let failure = failure(machine, net, pairs, order, budget)?;
        if failure == Failure::None {
            return Ok(());
        }
        self.report.incomplete += 1;
        self.report.lost_shared_state += u64::from(failure >= Failure::Lost(0));
        self.report.never_met += u64::from(failure >= Failure::NeverMet(0));
        let (small, failure) = shrink(machine, failure, order, budget)?;
        let size = (std::cmp::Reverse(failure.severity()), small.steps.len());
        if self.example_size.is_none_or(|best| size < best) {
            self.example_size = Some(size);
            self.report.example = Some(small.to_lgfsm(failure.shared_state()));
            self.report.example_machine = Some(number);
        }
        Ok(())
    }
}

/// How a schedule fails on a machine, mildest first; the number is a shared state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Failure {
    None,
    NotClosed,
    Lost(u32),
    NeverMet(u32),
}

impl Failure {
    fn severity(self) -> u8 {
        match self {
            Failure::None => 0,
            Failure::NotClosed => 1,
            Failure::Lost(_) => 2,
            Failure::NeverMet(_) => 3,
        }
    }

    fn shared_state(self) -> u32 {
        match self {
            Failure::None | Failure::NotClosed => 0,
            Failure::Lost(s) | Failure::NeverMet(s) => s,
        }
    }
}

fn failure(
    machine: &RandomMachine,
    net: &Net,
    pairs: &PairInvariant,
    order: WorklistOrder,
    budget: &Budget,
) -> Result<Failure, Stop> {
    let end = beacon::final_set(net, pairs, order, budget)?;
    if end.closed {
        return Ok(Failure::None);
    }
    if let Some(shared) = missing(machine, net, pairs, &end.reached, budget)? {
        return Ok(Failure::NeverMet(shared));
    }
    let lost = missing(machine, net, pairs, &end.vertices, budget)?;
    Ok(lost.map_or(Failure::NotClosed, Failure::Lost))
}

/// Leaves steps out while the machine still fails as badly.
fn shrink(
    machine: &RandomMachine,
    failed: Failure,
    order: WorklistOrder,
    budget: &Budget,
) -> Result<(RandomMachine, Failure), Stop> {
    let (mut best, mut worst) = (machine.clone(), failed);
    let mut at = 0;
    while at < best.steps.len() {
        let mut smaller = best.clone();
        smaller.steps.remove(at);
        let net = smaller.net();
        let outcome =
            failure(&smaller, &net, &PairInvariant::analyze(&net, budget)?, order, budget)?;
        if outcome.severity() >= worst.severity() {
            (best, worst, at) = (smaller, outcome, 0);
        } else {
            at += 1;
        }
    }
    Ok((best, worst))
}

/// A shared state that is reachable but occurs in none of the configurations.
fn missing(
    machine: &RandomMachine,
    net: &Net,
    pairs: &PairInvariant,
    configs: &[Config],
    budget: &Budget,
) -> Result<Option<u32>, Stop> {
    for shared in 0..machine.shared {
        if configs.iter().any(|c| c.get(shared) != 0) {
            continue;
        }
        let question = Net { targets: vec![Config::new(vec![(shared, 1)])], ..net.clone() };
        let answer = karp_miller::run(&question, pairs, budget, &mut Stats::default())?;
        if matches!(answer, Finding::Unsafe(_)) {
            return Ok(Some(shared));
        }
    }
    Ok(None)
}

/// The random machine of a number: as a net without target, and as text.
pub fn random_machine(seed: u64, number: u64) -> (Net, String) {
    let machine = RandomMachine::new(seed, number);
    (machine.net(), machine.to_lgfsm(0))
}

/// A machine drawn from a seed and its number.
#[derive(Clone)]
struct RandomMachine {
    shared: u32,
    local: u32,
    steps: Vec<[u32; 4]>,
}

impl RandomMachine {
    fn new(seed: u64, number: u64) -> RandomMachine {
        let own_seed = split_mix(seed, 1).wrapping_add(split_mix(number, 1));
        // from the second number on: the machines of published runs were drawn so
        let mut step = 1;
        let mut draw = |bound: u32| {
            step += 1;
            (split_mix(own_seed, step) % u64::from(bound)) as u32
        };
        let (shared, local) = (4 + draw(4), 4 + draw(4));
        let count = 8 + draw(14);
        // Steps start from states that earlier steps lead to, so that most of them can be taken.
        let (mut seen_shared, mut seen_local) = (vec![0], vec![0]);
        let mut steps = Vec::new();
        for _ in 0..count {
            let s = seen_shared[draw(seen_shared.len() as u32) as usize];
            let l = seen_local[draw(seen_local.len() as u32) as usize];
            let (s2, l2) = (draw(shared), draw(local));
            seen_shared.push(s2);
            seen_local.push(l2);
            steps.push([s, l, s2, l2]);
        }
        RandomMachine { shared, local, steps }
    }

    fn net(&self) -> Net {
        let entries =
            |s: u32, l: u32| collect_entries([(s, 1), (self.shared + l, 1)]).unwrap_or_default();
        let names = (0..self.shared).map(|s| format!("s{s}"));
        Net {
            places: names.chain((0..self.local).map(|l| format!("l{l}"))).collect(),
            transitions: self
                .steps
                .iter()
                .map(|&[s, l, s2, l2]| Transition {
                    pre: entries(s, l),
                    post: entries(s2, l2),
                    ..Transition::default()
                })
                .collect(),
            initial: Config::new(vec![(0, 1), (self.shared, OMEGA)]),
            at_least: vec![(self.shared, 1)],
            ..Net::default()
        }
    }

    fn to_lgfsm(&self, error: u32) -> String {
        let mut text = format!("lgfsm 1\nshared {}\nlocal {}\ninit 0 0\n", self.shared, self.local);
        for [s, l, s2, l2] in &self.steps {
            let _ = writeln!(text, "{s} {l} -> {s2} {l2}");
        }
        let _ = writeln!(text, "error {error}");
        text
    }
}
