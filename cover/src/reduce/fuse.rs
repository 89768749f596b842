//! Fusing steps through shared states that are only passed through.
//!
//! Translations of nets into thread transition systems chop a transition into several steps that
//! meet in shared states of their own. Let every transition take its one token from a control set.
//! While the token is on a state q of that set only the transitions that take it from there can
//! fire, so a run passes q by some t1 that puts it there immediately followed by some t2 that takes
//! it; if q is neither initial nor wanted, t1 t2 may be one transition (agglomeration; Berthelot
//! 1986). States are passed over one after the other as long as that does not multiply transitions.

use crate::budget::Budget;
use crate::config::{Config, Entry};
use crate::error::Stop;
use crate::invariants::control::Control;
use crate::net::{Net, Transition, collect_entries};
use rustc_hash::{FxHashMap, FxHashSet};

/// A net with fewer control states and the way back.
pub struct Fusion {
    pub net: Net,
    /// The control set, and the states passed over, in order.
    pub control: Vec<u32>,
    pub eliminated: Vec<u32>,
    /// Per transition: those of the input net it stands for, in order.
    pub sequences: Vec<Vec<u32>>,
}

/// Transitions with this many inputs are not fused further.
const MAX_INPUTS: usize = 12;

/// The first control set that every transition moves, if there is one.
pub fn driving_set(
    net: &Net,
    control: &Control,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Stop> {
    for set in &control.sets {
        if drives(net, set, budget)? {
            return Ok(Some(set.clone()));
        }
    }
    Ok(None)
}

/// Fuses what can be fused along a control set that drives the whole net.
pub fn fuse(net: &Net, set: &[u32], budget: &Budget) -> Result<Option<Fusion>, Stop> {
    if !drives(net, set, budget)? {
        return Ok(None);
    }
    let mut fuser = Fuser::new(net, set, budget)?;
    fuser.run(net, set, budget)?;
    if fuser.eliminated.is_empty() {
        return Ok(None);
    }
    fuser.finish(net, set, budget).map(Some)
}

/// Whether every transition moves the token of the set and every target says where it is.
pub fn drives(net: &Net, set: &[u32], budget: &Budget) -> Result<bool, Stop> {
    let members: FxHashSet<u32> = set.iter().copied().collect();
    let tokens = |entries: &[Entry]| -> u64 {
        entries.iter().filter(|e| members.contains(&e.0)).map(|e| u64::from(e.1)).sum()
    };
    let named = tokens(net.initial.entries()) == 1
        && net.targets.iter().all(|target| tokens(target.entries()) >= 1);
    if !named {
        return Ok(false);
    }
    for t in &net.transitions {
        budget.steps(1 + t.pre.len() + t.post.len())?;
        if !t.transfers.is_empty() || tokens(&t.pre) != 1 || tokens(&t.post) != 1 {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Step {
    pre: Vec<Entry>,
    post: Vec<Entry>,
    sequence: Vec<u32>,
    from: u32,
    to: u32,
}

struct Fuser {
    steps: Vec<Option<Step>>,
    into: FxHashMap<u32, Vec<usize>>,
    out_of: FxHashMap<u32, Vec<usize>>,
    eliminated: Vec<u32>,
}

impl Fuser {
    fn new(net: &Net, set: &[u32], budget: &Budget) -> Result<Fuser, Stop> {
        let members: FxHashSet<u32> = set.iter().copied().collect();
        let place = |entries: &[Entry]| {
            entries.iter().map(|e| e.0).find(|p| members.contains(p)).unwrap_or_default()
        };
        let mut fuser = Fuser {
            steps: Vec::new(),
            into: FxHashMap::default(),
            out_of: FxHashMap::default(),
            eliminated: Vec::new(),
        };
        for (number, t) in net.transitions.iter().enumerate() {
            budget.steps(1 + t.pre.len() + t.post.len())?;
            fuser.push(Step {
                pre: t.pre.clone(),
                post: t.post.clone(),
                sequence: vec![number as u32],
                from: place(&t.pre),
                to: place(&t.post),
            });
        }
        Ok(fuser)
    }

    fn push(&mut self, step: Step) {
        let number = self.steps.len();
        self.out_of.entry(step.from).or_default().push(number);
        self.into.entry(step.to).or_default().push(number);
        self.steps.push(Some(step));
    }

    fn run(&mut self, net: &Net, set: &[u32], budget: &Budget) -> Result<(), Stop> {
        let named = net.targets.iter().chain([&net.initial]);
        let named: FxHashSet<u32> = named.flat_map(|c| c.entries().iter().map(|e| e.0)).collect();
        let mut left: Vec<u32> = set.iter().copied().filter(|s| !named.contains(s)).collect();
        loop {
            let mut kept = Vec::new();
            for &state in &left {
                if !self.pass_over(state, budget)? {
                    kept.push(state);
                }
            }
            if kept.len() == left.len() {
                return Ok(());
            }
            left = kept;
        }
    }

    fn live(&self, list: Option<&Vec<usize>>) -> Vec<usize> {
        let live = |number: &&usize| self.steps[**number].is_some();
        list.map_or_else(Vec::new, |list| list.iter().filter(live).copied().collect())
    }

    /// Whether the state is gone. A state nothing leaves, or nothing enters, just goes.
    fn pass_over(&mut self, state: u32, budget: &Budget) -> Result<bool, Stop> {
        let before = self.live(self.into.get(&state));
        let after = self.live(self.out_of.get(&state));
        budget.steps(1 + before.len() + after.len())?;
        let grows = before.len() * after.len() > before.len() + after.len();
        if grows || before.iter().any(|number| after.contains(number)) {
            return Ok(false);
        }
        let mut fused = Vec::new();
        for &a in &before {
            for &b in &after {
                match self.join(a, b, state) {
                    Some(step) => {
                        budget.steps(1 + step.sequence.len())?;
                        fused.push(step);
                    }
                    None => return Ok(false),
                }
            }
        }
        before.iter().chain(&after).for_each(|&number| self.steps[number] = None);
        fused.into_iter().for_each(|step| self.push(step));
        self.eliminated.push(state);
        Ok(true)
    }

    fn join(&self, a: usize, b: usize, state: u32) -> Option<Step> {
        let (a, b) = (self.steps[a].as_ref()?, self.steps[b].as_ref()?);
        let given: Vec<Entry> = a.post.iter().copied().filter(|e| e.0 != state).collect();
        let asked: Vec<Entry> = b.pre.iter().copied().filter(|e| e.0 != state).collect();
        let pre = collect_entries(a.pre.iter().copied().chain(beyond(&asked, &given)))?;
        let post = collect_entries(b.post.iter().copied().chain(beyond(&given, &asked)))?;
        let sequence = a.sequence.iter().chain(&b.sequence).copied().collect();
        (pre.len() <= MAX_INPUTS).then_some(Step { pre, post, sequence, from: a.from, to: b.to })
    }

    fn finish(self, net: &Net, set: &[u32], budget: &Budget) -> Result<Fusion, Stop> {
        let mut transitions = Vec::new();
        let mut sequences = Vec::new();
        let mut seen = FxHashSet::default();
        for step in self.steps.into_iter().flatten() {
            budget.steps(1 + step.pre.len() + step.post.len())?;
            let helps = !crate::config::leq(&step.post, &step.pre);
            if helps && seen.insert((step.pre.clone(), step.post.clone())) {
                let line = net.transitions[step.sequence[0] as usize].line;
                let (pre, post) = (step.pre, step.post);
                transitions.push(Transition { pre, post, transfers: Vec::new(), line });
                sequences.push(step.sequence);
            }
        }
        budget.reserve::<[u64; 8]>(net.places.len())?;
        let net = Net {
            places: net.places.clone(),
            transitions,
            initial: net.initial.clone(),
            at_least: net.at_least.clone(),
            targets: net.targets.clone(),
            ..Net::default()
        };
        Ok(Fusion { net, control: set.to_vec(), eliminated: self.eliminated, sequences })
    }
}

/// What `a` has beyond `b`.
fn beyond(a: &[Entry], b: &[Entry]) -> Vec<Entry> {
    let other = Config::new(b.to_vec());
    let rest = a.iter().map(|&(p, n)| (p, n.saturating_sub(other.get(p))));
    rest.filter(|e| e.1 != 0).collect()
}
