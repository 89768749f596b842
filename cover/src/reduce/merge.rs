//! Forgetting places the targets do not depend on, and merging local states that behave alike
//! (bisimulation).
//!
//! Merging applies to machines: nets in which a transition takes one token from the shared states and at
//! most one more. Two local states are alike if in every shared state they can do the same up to
//! the merge; a run of the smaller machine can then be followed in the original, token by token. The
//! proof side needs no argument of ours: the image of a net under any map of places can do whatever
//! the net can, and the checker builds that image itself.

use crate::answer::Run;
use crate::budget::Budget;
use crate::config::{Config, Entry, OMEGA, count_of};
use crate::error::Stop;
use crate::invariants::control::Control;
use crate::net::{Net, Transition, collect_entries};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Transitions looked at until merging is given up: a large machine must not spend its time here.
const MAX_REFINEMENT: usize = 4_000_000;

/// The image of a net under a map of its places, and the way back.
pub struct Merged {
    pub net: Net,
    /// Per place of the original: its image.
    image: Vec<Option<u32>>,
    /// Per transition of the reduced net: the originals it stands for.
    preimages: Vec<Vec<u32>>,
}

impl Merged {
    pub fn new(
        net: &Net,
        control: &Control,
        driving: &[u32],
        budget: &Budget,
    ) -> Result<Option<Merged>, Stop> {
        let mut useful = useful_places(net, |_| false, budget)?;
        driving.iter().for_each(|&p| useful[p as usize] = true);
        let classes = bisimulation(net, &useful, control, budget)?;
        let image: Vec<Option<u32>> = (0..net.places.len())
            .map(|p| useful[p].then(|| classes.as_ref().map_or(p as u32, |c| c[p])))
            .collect();
        let kept = image.iter().flatten().collect::<FxHashSet<_>>().len();
        (kept < net.places.len()).then(|| Merged::build(net, image, budget)).transpose()
    }

    /// The image net. Places keep their numbers and names; a class goes by its first place.
    fn build(net: &Net, image: Vec<Option<u32>>, budget: &Budget) -> Result<Merged, Stop> {
        budget.reserve::<[u64; 8]>(net.places.len())?;
        let map = |entries: &[Entry]| map_entries(entries, &image);
        let mut numbers: FxHashMap<(Vec<Entry>, Vec<Entry>), usize> = FxHashMap::default();
        let mut transitions = Vec::new();
        let mut preimages: Vec<Vec<u32>> = Vec::new();
        for (i, t) in net.transitions.iter().enumerate() {
            budget.steps(1 + t.pre.len() + t.post.len())?;
            let (pre, post) = (map(&t.pre), map(&t.post));
            // A step that only loses tokens never helps to cover anything.
            if crate::config::leq(&post, &pre) {
                continue;
            }
            let number = *numbers.entry((pre.clone(), post.clone())).or_insert_with(|| {
                transitions.push(Transition { pre, post, transfers: Vec::new(), line: t.line });
                preimages.push(Vec::new());
                transitions.len() - 1
            });
            preimages[number].push(i as u32);
        }
        let reduced = Net {
            places: net.places.clone(),
            transitions,
            initial: Config::from_sorted(map(net.initial.entries())),
            at_least: map(&net.at_least),
            targets: net.targets.iter().map(|t| Config::from_sorted(map(t.entries()))).collect(),
            ..Net::default()
        };
        Ok(Merged { net: reduced, image, preimages })
    }

    pub fn merge_map(&self, net: &Net) -> BTreeMap<String, Option<String>> {
        let name = |p: u32| net.places[p as usize].to_string();
        let moved = self.image.iter().enumerate().filter(|(p, to)| **to != Some(*p as u32));
        moved.map(|(p, to)| (name(p as u32), to.map(name))).collect()
    }

    /// Fires, for each reduced step, an original that is enabled: alike states can do alike steps.
    pub fn lift(&self, net: &Net, run: &Run, budget: &Budget) -> Result<Run, Stop> {
        let bounds = net.lower_bounds();
        let bound = |p: u32| bounds.get(&p).copied().unwrap_or(0);
        let start = |&(p, n): &Entry| match (n, self.image[p as usize]) {
            (OMEGA, Some(to)) => (p, run.initial.get(to).max(bound(p))),
            (OMEGA, None) => (p, bound(p)),
            (n, _) => (p, n),
        };
        let initial = Config::new(net.initial.entries().iter().map(start).collect());
        let mut marking = initial.clone();
        let mut steps = Vec::new();
        for &step in &run.steps {
            budget.steps(1 + marking.entries().len() + self.preimages[step as usize].len())?;
            let fits = |&&t: &&u32| {
                crate::config::leq(&net.transitions[t as usize].pre, marking.entries())
            };
            let Some(&t) = self.preimages[step as usize].iter().find(fits) else { break };
            let Ok(next) = net.fire(&marking, &net.transitions[t as usize]) else { break };
            marking = next;
            steps.push(t);
        }
        Ok(Run { steps, ..Run::new(initial) })
    }
}

/// Sums entries over the image; ω absorbs.
fn map_entries(entries: &[Entry], image: &[Option<u32>]) -> Vec<Entry> {
    let mut any: FxHashSet<u32> = FxHashSet::default();
    let mut finite = Vec::new();
    for &(place, count) in entries {
        match (image[place as usize], count) {
            (None, _) => {}
            (Some(to), OMEGA) => {
                any.insert(to);
            }
            (Some(to), count) => finite.push((to, count)),
        }
    }
    finite.retain(|e| !any.contains(&e.0));
    let mut sums = collect_entries(finite).unwrap_or_default();
    sums.extend(any.into_iter().map(|p| (p, OMEGA)));
    sums.sort_unstable();
    sums
}

/// Places on which covering a target can depend: those of the targets, and the inputs of every
/// transition that raises one; nothing is asked about how the `given` ones come by their tokens.
pub fn useful_places(
    net: &Net,
    given: impl Fn(u32) -> bool,
    budget: &Budget,
) -> Result<Vec<bool>, Stop> {
    budget.reserve::<Vec<u32>>(net.places.len())?;
    let mut producers = vec![Vec::new(); net.places.len()];
    for (i, t) in net.transitions.iter().enumerate() {
        budget.steps(1 + t.post.len())?;
        t.post.iter().for_each(|e| producers[e.0 as usize].push(i as u32));
    }
    let mut useful = vec![false; net.places.len()];
    let targets = net.targets.iter().flat_map(|t| t.entries().iter().map(|e| e.0));
    let mut stack: Vec<u32> = targets.collect();
    while let Some(place) = stack.pop() {
        if std::mem::replace(&mut useful[place as usize], true) || given(place) {
            continue;
        }
        for &t in &producers[place as usize] {
            let t = &net.transitions[t as usize];
            budget.steps(1 + t.pre.len())?;
            if count_of(&t.post, place) > count_of(&t.pre, place) {
                stack.extend(t.pre.iter().map(|e| e.0).filter(|&p| !useful[p as usize]));
            }
        }
    }
    Ok(useful)
}

/// For each place the first place of its class, or `None` if the net is not a machine or nothing
/// merges. Partition refinement: states of one class must offer the same moves into classes.
fn bisimulation(
    net: &Net,
    useful: &[bool],
    control: &Control,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Stop> {
    budget.reserve::<Vec<u32>>(net.places.len())?;
    let Some(locals) = local_moves(net, control) else {
        return Ok(None);
    };
    let mut class = start_classes(net, useful, control);
    let mut work = 0;
    loop {
        work += net.transitions.len() + net.places.len();
        if work > MAX_REFINEMENT {
            return Ok(None);
        }
        let count = class.iter().collect::<FxHashSet<_>>().len();
        class = refine(net, useful, control, &locals, &class, budget)?;
        if class.iter().collect::<FxHashSet<_>>().len() == count {
            break;
        }
    }
    let mut firsts: FxHashMap<u32, u32> = FxHashMap::default();
    let places = 0..class.len() as u32;
    Ok(Some(places.map(|p| *firsts.entry(class[p as usize]).or_insert(p)).collect()))
}

/// Per place that is not a control state, the transitions that take its token; `None` if some
/// transition takes more than one token besides control states.
fn local_moves(net: &Net, control: &Control) -> Option<Vec<Vec<u32>>> {
    let mut moves = vec![Vec::new(); net.places.len()];
    for (i, t) in net.transitions.iter().enumerate() {
        let mut locals = t.pre.iter().filter(|e| !control.is_control(e.0));
        match (locals.next(), locals.next()) {
            (None, _) => {}
            (Some(&(place, 1)), None) => moves[place as usize].push(i as u32),
            _ => return None,
        }
    }
    Some(moves)
}

/// Control states and places that targets or the start tell apart stand alone.
fn start_classes(net: &Net, useful: &[bool], control: &Control) -> Vec<u32> {
    let special: FxHashSet<u32> = net
        .targets
        .iter()
        .chain([&net.initial])
        .flat_map(|c| c.entries().iter().map(|e| e.0))
        .collect();
    let alone = |p: u32| control.is_control(p) || special.contains(&p) || !useful[p as usize];
    (0..net.places.len() as u32).map(|p| if alone(p) { p + 1 } else { 0 }).collect()
}

fn refine(
    net: &Net,
    useful: &[bool],
    control: &Control,
    moves: &[Vec<u32>],
    class: &[u32],
    budget: &Budget,
) -> Result<Vec<u32>, Stop> {
    type Signature = (u32, Vec<(Vec<Entry>, Vec<Entry>)>);
    let mut numbers: FxHashMap<Signature, u32> = FxHashMap::default();
    let image: Vec<Option<u32>> = (0..class.len()).map(|p| useful[p].then_some(class[p])).collect();
    (0..class.len())
        .map(|p| {
            budget.steps(1 + 8 * moves[p].len())?;
            let mut offers: Vec<(Vec<Entry>, Vec<Entry>)> = moves[p]
                .iter()
                .map(|&t| {
                    let t = &net.transitions[t as usize];
                    let shared: Vec<Entry> =
                        t.pre.iter().copied().filter(|e| control.is_control(e.0)).collect();
                    (shared, map_entries(&t.post, &image))
                })
                .collect();
            offers.sort_unstable();
            offers.dedup();
            let fresh = numbers.len() as u32;
            Ok(*numbers.entry((class[p], offers)).or_insert(fresh))
        })
        .collect()
}
