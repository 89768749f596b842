//! The pids of a draft as a tree of integers, for transformations that work on names.

use crate::draft::Draft;
use rustc_hash::FxHashMap;

/// "No node", "no pid".
pub const NOTHING: u32 = u32::MAX;

/// The node above all roots.
pub const TOP: u32 = u32::MAX;

/// Every prefix of every entered name, each once; parents have smaller numbers than children.
#[derive(Default)]
pub struct NameTree {
    edges: FxHashMap<(u32, u64), u32>,
    pub parent: Vec<u32>,
    pub step: Vec<u64>,
    /// The pid that a node stands for; [`NOTHING`] if it is only a prefix or a next-pid.
    pub pid: Vec<u32>,
    /// Whether the node is a pid or a next-pid.
    pub element: Vec<bool>,
    /// Whether the node is a pid whose next-pid was entered.
    pub active: Vec<bool>,
}

impl NameTree {
    /// The pids for which `wanted` holds, without their next-pids.
    pub fn of_pids(draft: &Draft, wanted: impl Fn(usize) -> bool) -> (NameTree, Vec<u32>) {
        let mut tree = NameTree::default();
        let mut nodes = vec![NOTHING; draft.pids.len()];
        for (pid, segments) in draft.pids.iter().enumerate() {
            if wanted(pid) {
                nodes[pid] = tree.list(pid, segments);
            }
        }
        (tree, nodes)
    }

    /// Enters a pid under a name.
    pub fn list(&mut self, pid: usize, segments: &[u64]) -> u32 {
        let node = segments.iter().fold(TOP, |at, &step| self.child(at, step));
        self.pid[node as usize] = pid as u32;
        self.element[node as usize] = true;
        node
    }

    /// All pids and next-pids; also the node of each pid and of its next-pid.
    pub fn of_elements(draft: &Draft) -> (NameTree, Vec<u32>, Vec<u32>) {
        let (mut tree, nodes) = NameTree::of_pids(draft, |_| true);
        let mut next = vec![NOTHING; nodes.len()];
        for (pid, created) in draft.eta.iter().enumerate() {
            if let Some(created) = created {
                next[pid] = tree.child(nodes[pid], created + 1);
                tree.element[next[pid] as usize] = true;
                tree.active[nodes[pid] as usize] = true;
            }
        }
        (tree, nodes, next)
    }

    fn child(&mut self, parent: u32, step: u64) -> u32 {
        let fresh = self.parent.len() as u32;
        let node = *self.edges.entry((parent, step)).or_insert(fresh);
        if node == fresh {
            self.parent.push(parent);
            self.step.push(step);
            self.pid.push(NOTHING);
            self.element.push(false);
            self.active.push(false);
        }
        node
    }

    /// The child of a node, if it is there.
    pub fn find(&self, parent: u32, step: u64) -> Option<u32> {
        self.edges.get(&(parent, step)).copied()
    }

    /// The nodes on the way to a name, as far as they exist.
    pub fn path<'t>(&'t self, segments: &'t [u64]) -> impl Iterator<Item = u32> + 't {
        let mut at = TOP;
        segments.iter().map_while(move |&step| {
            at = self.find(at, step)?;
            Some(at)
        })
    }

    /// Groups of siblings, each in the order of their integers.
    pub fn sibling_groups(&self) -> Vec<Vec<u32>> {
        let mut order: Vec<u32> = (0..self.parent.len() as u32).collect();
        // a child of TOP sorts first: its parent's number wraps around to 0
        order.sort_unstable_by_key(|&node| {
            (self.parent[node as usize].wrapping_add(1), self.step[node as usize])
        });
        let same_parent = |a: &u32, b: &u32| self.parent[*a as usize] == self.parent[*b as usize];
        order.chunk_by(same_parent).map(<[u32]>::to_vec).collect()
    }
}
