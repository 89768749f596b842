//! Vertices without edges: matched by colour, so that no program has to find out that they are alike.
//!
//! nauty takes a level of its search tree for each of a thousand equal vertices; here they are taken
//! out of both graphs before, and paired off in order. Cost: O(vertices + edges).

use super::Encoded;

/// Two graphs without isolated vertices, and what is needed to put them back.
pub struct Connected {
    pub q: Encoded,
    pub r: Encoded,
    /// Old numbers of the vertices that are left, on either side; `None` if all are.
    kept: Option<[Vec<u32>; 2]>,
    /// Isolated vertices, each with its partner.
    paired: Vec<(u32, u32)>,
    same_isolated: bool,
}

/// Takes out isolated vertices that have a partner; those without stay, and show that the sides differ.
pub fn take_out(q: Encoded, r: Encoded) -> Connected {
    let [in_q, in_r] = [&q, &r].map(isolated);
    let (of_q, of_r) = (in_q.len(), in_r.len());
    let paired = pair_off(&q, &r, in_q, in_r);
    let same_isolated = of_q == paired.len() && of_r == paired.len();
    if paired.is_empty() {
        return Connected { q, r, kept: None, paired, same_isolated };
    }
    let (q, q_kept) = without(&q, paired.iter().map(|&(v, _)| v));
    let (r, r_kept) = without(&r, paired.iter().map(|&(_, w)| w));
    Connected { q, r, kept: Some([q_kept, r_kept]), paired, same_isolated }
}

impl Connected {
    /// Whether every isolated vertex found its partner.
    pub fn same_isolated(&self) -> bool {
        self.same_isolated
    }

    /// The graphs, and what makes an isomorphism of them one of the whole graphs.
    pub fn into_parts(self) -> ([Encoded; 2], impl FnOnce(Vec<u32>) -> Vec<u32>) {
        let (kept, paired) = (self.kept, self.paired);
        let complete = move |image: Vec<u32>| {
            let Some([q_kept, r_kept]) = kept else { return image };
            let mut whole = vec![0; q_kept.len() + paired.len()];
            for (&old, &new) in q_kept.iter().zip(&image) {
                whole[old as usize] = r_kept[new as usize];
            }
            for &(v, w) in &paired {
                whole[v as usize] = w;
            }
            whole
        };
        ([self.q, self.r], complete)
    }
}

fn isolated(graph: &Encoded) -> Vec<u32> {
    let mut touched = vec![false; graph.colors.len()];
    for &(x, y) in &graph.edges {
        touched[x as usize] = true;
        touched[y as usize] = true;
    }
    (0..touched.len() as u32).filter(|&v| !touched[v as usize]).collect()
}

/// Vertices of the same colour in order, as far as there is one on either side.
fn pair_off(q: &Encoded, r: &Encoded, mut in_q: Vec<u32>, mut in_r: Vec<u32>) -> Vec<(u32, u32)> {
    in_q.sort_by_key(|&v| q.colors[v as usize]);
    in_r.sort_by_key(|&v| r.colors[v as usize]);
    let mut paired = Vec::with_capacity(in_q.len().min(in_r.len()));
    let (mut i, mut j) = (0, 0);
    while let (Some(&v), Some(&w)) = (in_q.get(i), in_r.get(j)) {
        let order = q.colors[v as usize].cmp(&r.colors[w as usize]);
        if order.is_eq() {
            paired.push((v, w));
        }
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
    paired
}

/// The graph without some vertices that have no edges, and the old numbers of the others.
fn without(graph: &Encoded, out: impl Iterator<Item = u32>) -> (Encoded, Vec<u32>) {
    let mut leave = vec![false; graph.colors.len()];
    out.for_each(|v| leave[v as usize] = true);
    let kept: Vec<u32> = (0..leave.len() as u32).filter(|&v| !leave[v as usize]).collect();
    let mut number = vec![0; leave.len()];
    for (new, &old) in kept.iter().enumerate() {
        number[old as usize] = new as u32;
    }
    let colors = kept.iter().map(|&v| graph.colors[v as usize]).collect();
    let edges =
        graph.edges.iter().map(|&(x, y)| (number[x as usize], number[y as usize])).collect();
    (Encoded { colors, edges }, kept)
}
