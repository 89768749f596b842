//! Which nets are local: a transition binds threads of one tree only, and looks at no other.
//!
//! Where Ω* makes markings forests, a guard `x parent y` or `x ancestor y` keeps both threads in one
//! tree, and so does an equal pid. If such comparisons connect all pids that a transition takes,
//! reads or counts, its firing depends on one tree and changes that tree alone.

use super::canon::forest::sees_siblings;
use super::canon::is_forest;
use super::compiled::{Net, Origin, Transition};
use super::expr::{Arg, Count, Expr, Link, Pattern, Slot};
use super::syntax::tree::Operator;
use pidlab_core::{Relation, Relations};

/// Whether every transition of the net is local under Ω*.
pub fn is_local(net: &Net, relations: Relations) -> bool {
    is_forest(net, relations)
        && !sees_siblings(relations)
        && net.places.iter().all(|place| place.pids.len() == 1)
        && net.transitions.iter().all(|t| stays_in_one_tree(net, t, relations))
}

fn stays_in_one_tree(net: &Net, transition: &Transition, relations: Relations) -> bool {
    let inputs: Option<Vec<Slot>> =
        transition.inputs.iter().map(|input| pid_of_input(net, &input.from)).collect();
    let Some(bound @ [first, ..]) = inputs.as_deref() else { return false };
    let mut trees = Trees::new(transition, relations);
    let guards: Vec<&Expr> = transition.guards.iter().map(|(guard, _)| guard).collect();
    guards.iter().for_each(|guard| trees.join(guard));
    bound.iter().all(|&slot| trees.same(slot, *first))
        && guards.iter().all(|guard| trees.counts_nearby(net, guard, *first))
        && !transition.outputs.iter().flat_map(|output| &output.args).any(counts)
}

/// The variable of an input's pid; `None` also if its data are counted.
fn pid_of_input(net: &Net, from: &Origin) -> Option<Slot> {
    match from {
        Origin::Token { pattern, .. } => {
            let counted = |arg: &Arg| matches!(arg, Arg::Match(expr) if counts(expr));
            pid_of(net, pattern).filter(|_| !pattern.args.iter().any(counted))
        }
        Origin::Active(slot) => Some(*slot),
    }
}

/// The variable that stands for the pid of a token; `None` if there is none.
fn pid_of(net: &Net, pattern: &Pattern) -> Option<Slot> {
    let pid = *net.places[pattern.place].pids.first()?;
    match pattern.args.get(pid)? {
        Arg::Bind(slot) | Arg::Match(Expr::Slot(slot)) => Some(*slot),
        Arg::Match(_) | Arg::Any => None,
    }
}

fn counts(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |e| found |= matches!(e, Expr::Count(_)));
    found
}

/// Variables known to be of one tree.
#[derive(Clone)]
struct Trees {
    /// For every variable one of its tree; roots point to themselves.
    up: Vec<Slot>,
    relations: Relations,
}

impl Trees {
    fn new(transition: &Transition, relations: Relations) -> Trees {
        Trees { up: (0..transition.slots).collect(), relations }
    }

    fn root(&self, mut slot: Slot) -> Slot {
        while self.up[slot] != slot {
            slot = self.up[slot];
        }
        slot
    }

    fn same(&self, a: Slot, b: Slot) -> bool {
        self.root(a) == self.root(b)
    }

    /// Learns from a condition that holds.
    fn join(&mut self, condition: &Expr) {
        condition.each_conjunct(&mut |first, links| match (first, links) {
            (Expr::Related(relation, a, b), []) if self.keeps_together(*relation) => {
                self.unite(a, b);
            }
            // of data too, which connects no pids
            (a, [Link { operator: Operator::Equal, right, .. }]) => self.unite(a, right),
            _ => {}
        });
    }

    fn keeps_together(&self, relation: Relation) -> bool {
        matches!(relation, Relation::Parent | Relation::Ancestor)
            && self.relations.contains(relation)
    }

    fn unite(&mut self, a: &Expr, b: &Expr) {
        if let (Expr::Slot(a), Expr::Slot(b)) = (a, b) {
            let (a, b) = (self.root(*a), self.root(*b));
            self.up[a] = b;
        }
    }

    /// Whether everything that an expression counts is in the tree of `of`.
    fn counts_nearby(&self, net: &Net, expr: &Expr, of: Slot) -> bool {
        let mut nearby = true;
        expr.walk(&mut |e| {
            if let Expr::Count(count) = e {
                nearby &= self.is_nearby(net, count, of);
            }
        });
        nearby
    }

    fn is_nearby(&self, net: &Net, count: &Count, of: Slot) -> bool {
        let mut trees = self.clone();
        count.condition.iter().for_each(|condition| trees.join(condition));
        count
            .patterns
            .iter()
            .all(|pattern| pid_of(net, pattern).is_some_and(|slot| trees.same(slot, of)))
    }
}
