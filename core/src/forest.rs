//! The pids of one state as a forest in lexicographic order.
//!
//! Pid number `i` is the i-th smallest pid listed. It stores only what leads to it from its nearest
//! listed ancestor, so a chain of pids 10,000 deep takes 10,000 words and not fifty million, and the
//! four relations within the state are carried by two links a pid (spec: "quadratic arcs are
//! avoidable"): the nearest listed ancestor, flagged when it is the parent, and the next younger
//! listed sibling, flagged when it is adjacent. Building: O(total length of the pids), plus sorting
//! of siblings.

use crate::pid::Pid;
use pidlab_budget::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// Number of a pid within a state: its rank in lexicographic order.
pub type PidId = u32;

/// "No such pid" in the link arrays.
pub const NONE: PidId = u32::MAX;

/// Sorted pids with their ancestor and sibling links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forest {
    ancestor: Vec<PidId>,
    sibling: Vec<PidId>,
    adjacent: Vec<bool>,
    /// Whether the nearest listed ancestor is the parent.
    child: Vec<bool>,
    /// `steps[step_start[i]..step_start[i + 1]]` leads from the nearest listed ancestor to pid i.
    step_start: Vec<u32>,
    steps: Vec<u64>,
}

impl Forest {
    /// Number of listed pids.
    #[inline]
    pub fn len(&self) -> usize {
        self.ancestor.len()
    }

    /// Whether no pid is listed.
    pub fn is_empty(&self) -> bool {
        self.ancestor.is_empty()
    }

    /// Nearest listed proper ancestor, or [`NONE`].
    #[inline]
    pub fn ancestor(&self, pid: PidId) -> PidId {
        self.ancestor[pid as usize]
    }

    /// Whether the nearest listed ancestor is the parent.
    #[inline]
    pub fn is_child(&self, pid: PidId) -> bool {
        self.child[pid as usize]
    }

    /// Next listed younger sibling, or [`NONE`].
    #[inline]
    pub fn sibling(&self, pid: PidId) -> PidId {
        self.sibling[pid as usize]
    }

    /// Whether that sibling was created immediately after this pid.
    #[inline]
    pub fn is_adjacent(&self, pid: PidId) -> bool {
        self.adjacent[pid as usize]
    }

    /// The last integer of the pid: which child of its parent it is.
    #[inline]
    pub fn index(&self, pid: PidId) -> u64 {
        self.steps[self.step_start[pid as usize + 1] as usize - 1]
    }

    /// The integers that lead from the nearest listed ancestor to the pid.
    #[inline]
    pub fn steps_of(&self, pid: PidId) -> &[u64] {
        let i = pid as usize;
        &self.steps[self.step_start[i] as usize..self.step_start[i + 1] as usize]
    }

    /// All integers of the pid, written over `out`.
    pub fn segments(&self, pid: PidId, out: &mut Vec<u64>) {
        out.clear();
        let mut at = pid;
        while at != NONE {
            out.extend(self.steps_of(at).iter().rev());
            at = self.ancestor(at);
        }
        out.reverse();
    }

    /// The pid written out; O(its length).
    pub fn pid(&self, pid: PidId) -> Pid {
        let mut segments = Vec::new();
        self.segments(pid, &mut segments);
        Pid::new(&segments).expect("a listed pid has positive integers")
    }

    /// The number of a pid, by walking down from the roots; O(pids). For messages and small states.
    pub fn find(&self, pid: &Pid) -> Option<PidId> {
        let mut segments = Vec::new();
        (0..self.len() as PidId).find(|&i| {
            self.segments(i, &mut segments);
            segments == pid.segments()
        })
    }
}

/// Collects pids, each prefix stored once, and numbers them in lexicographic order at the end.
#[derive(Clone, Debug, Default)]
pub struct Trie {
    edges: FxHashMap<(u32, u64), u32>,
    parent: Vec<u32>,
    step: Vec<u64>,
    listed: Vec<bool>,
}

/// A pid entered into a [`Trie`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrieNode(u32);

const ROOT: u32 = u32::MAX;

/// Units of a budget that one node of a trie takes.
const NODE: u64 = 4;

impl Trie {
    /// Enters a pid and marks it as listed; `segments` must not be empty.
    pub fn list(&mut self, segments: &[u64]) -> TrieNode {
        let node = segments.iter().fold(ROOT, |at, &step| self.descend(at, step));
        self.listed[node as usize] = true;
        TrieNode(node)
    }

    /// The pid that was entered as `node`.
    pub fn name(&self, node: TrieNode) -> Pid {
        let mut segments = Vec::new();
        let mut at = node.0;
        while at != ROOT {
            segments.push(self.step[at as usize]);
            at = self.parent[at as usize];
        }
        segments.reverse();
        Pid::new(&segments).expect("an entered pid has positive integers")
    }

    fn descend(&mut self, parent: u32, step: u64) -> u32 {
        let fresh = self.parent.len() as u32;
        let node = *self.edges.entry((parent, step)).or_insert(fresh);
        if node == fresh {
            self.parent.push(parent);
            self.step.push(step);
            self.listed.push(false);
        }
        node
    }

    /// The forest of the listed pids, and the number that each trie node got ([`NONE`] if unlisted).
    pub fn into_forest(self) -> (Forest, PidNumbering) {
        let forest = self.into_forest_within(&Budget::unlimited());
        forest.expect("nothing is limited")
    }

    /// The same within limits.
    pub fn into_forest_within(self, budget: &Budget) -> Result<(Forest, PidNumbering), Exhausted> {
        let order = self.preorder(budget)?;
        let mut forest = Forest { step_start: vec![0], ..Forest::default() };
        let mut number = vec![NONE; self.parent.len()];
        let mut above_node = vec![NONE; self.parent.len()];
        let mut path = Vec::new();
        let mut last_listed_child = FxHashMap::default();
        for &node in &order {
            budget.spend(NODE)?;
            let parent = self.parent[node as usize];
            // `above_node` holds the nearest listed ancestor of every node seen, listed or not
            let above = if parent == ROOT {
                NONE
            } else if self.listed[parent as usize] {
                number[parent as usize]
            } else {
                above_node[parent as usize]
            };
            above_node[node as usize] = above;
            if !self.listed[node as usize] {
                continue;
            }
            let id = forest.ancestor.len() as PidId;
            number[node as usize] = id;
            forest.ancestor.push(above);
            forest.sibling.push(NONE);
            forest.adjacent.push(false);
            self.push_steps(node, &mut path, &mut forest);
            forest.child.push(above != NONE && path.len() == 1);
            if let Some((elder, step)) =
                last_listed_child.insert(parent, (id, self.step[node as usize]))
            {
                let elder: PidId = elder;
                let step: u64 = step;
                forest.sibling[elder as usize] = id;
                forest.adjacent[elder as usize] =
                    step.checked_add(1) == Some(self.step[node as usize]);
            }
        }
        Ok((forest, PidNumbering(number)))
    }

    /// Appends the steps from the nearest listed ancestor down to `node`.
    fn push_steps(&self, node: u32, path: &mut Vec<u64>, forest: &mut Forest) {
        path.clear();
        let mut at = node;
        loop {
            path.push(self.step[at as usize]);
            at = self.parent[at as usize];
            if at == ROOT || self.listed[at as usize] {
                break;
            }
        }
        forest.steps.extend(path.iter().rev());
        forest.step_start.push(forest.steps.len() as u32);
    }

    /// All nodes, parents before children, children in the order of their integers.
    fn preorder(&self, budget: &Budget) -> Result<Vec<u32>, Exhausted> {
        let nodes = self.parent.len();
        let slot = |node: u32| {
            if self.parent[node as usize] == ROOT {
                0
            } else {
                self.parent[node as usize] as usize + 1
            }
        };
        let mut start = vec![0u32; nodes + 2];
        for node in 0..nodes as u32 {
            start[slot(node) + 1] += 1;
        }
        for i in 0..=nodes {
            start[i + 1] += start[i];
        }
        let mut fill = start.clone();
        let mut children = vec![0u32; nodes];
        for node in 0..nodes as u32 {
            budget.spend(NODE)?;
            let at = &mut fill[slot(node)];
            children[*at as usize] = node;
            *at += 1;
        }
        let range = |slot: usize| start[slot] as usize..start[slot + 1] as usize;
        for parent in 0..=nodes {
            // largest first: the stack below hands them out smallest first
            children[range(parent)]
                .sort_unstable_by_key(|&c| std::cmp::Reverse(self.step[c as usize]));
        }
        let mut stack: Vec<u32> = children[range(0)].to_vec();
        let mut order = Vec::with_capacity(nodes);
        while let Some(node) = stack.pop() {
            budget.spend(NODE)?;
            order.push(node);
            stack.extend_from_slice(&children[range(node as usize + 1)]);
        }
        Ok(order)
    }
}

/// What number each pid of a [`Trie`] got in its [`Forest`].
pub struct PidNumbering(Vec<PidId>);

impl PidNumbering {
    /// The number of a pid that was entered as this node.
    pub fn of(&self, node: TrieNode) -> PidId {
        self.0[node.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forest(pids: &[&str]) -> Forest {
        let mut trie = Trie::default();
        for pid in pids {
            trie.list(Pid::parse(pid).unwrap().segments());
        }
        trie.into_forest().0
    }

    #[test]
    fn numbers_are_ranks_and_links_are_nearest() {
        let f = forest(&["2", "1.3", "1.1.4.4", "1", "1.4", "1.1.4.5.1", "10"]);
        let names: Vec<String> = (0..f.len() as u32).map(|i| f.pid(i).to_string()).collect();
        assert_eq!(names, ["1", "1.1.4.4", "1.1.4.5.1", "1.3", "1.4", "2", "10"]);
        assert_eq!(
            (0..7).map(|i| f.ancestor(i)).collect::<Vec<_>>(),
            [NONE, 0, 0, 0, 0, NONE, NONE]
        );
        assert_eq!(
            (0..7).map(|i| f.is_child(i)).collect::<Vec<_>>(),
            [false, false, false, true, true, false, false]
        );
        assert_eq!(
            (0..7).map(|i| f.sibling(i)).collect::<Vec<_>>(),
            [5, NONE, NONE, 4, NONE, 6, NONE]
        );
        assert!(f.is_adjacent(0) && f.is_adjacent(3) && !f.is_adjacent(5));
    }

    #[test]
    fn a_chain_ten_thousand_deep_is_linear() {
        let mut trie = Trie::default();
        let chain: Vec<u64> = vec![1; 10_000];
        for depth in 1..=chain.len() {
            trie.list(&chain[..depth]);
        }
        let (f, _) = trie.into_forest();
        assert_eq!(f.len(), 10_000);
        assert_eq!(f.steps.len(), 10_000);
        assert_eq!(f.pid(9_999).segments().len(), 10_000);
    }
}
