//! An ordered partition of the vertices that can be refined and taken back.
//!
//! Cells are intervals of one array of vertices, named by where they start. Splits are logged;
//! undoing costs no more than the splitting did. The order of vertices within a cell means nothing.

/// Ordered partition with a log of its splits.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    /// Vertices, cell after cell.
    pub order: Vec<u32>,
    /// Where each vertex stands in `order`.
    pub position: Vec<u32>,
    /// Start of the cell of each vertex.
    pub cell: Vec<u32>,
    /// Length of the cell that starts at an index.
    pub length: Vec<u32>,
    pub cells: usize,
    log: Vec<(u32, u32)>,
}

/// A point in the log to return to.
#[derive(Clone, Copy, Debug)]
pub struct UndoMark(usize);

impl Partition {
    /// Cells by colour, smaller colours first.
    pub fn by_color(colors: &[u64]) -> Partition {
        let n = colors.len();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_unstable_by_key(|&v| colors[v as usize]);
        let mut partition = Partition {
            position: vec![0; n],
            cell: vec![0; n],
            length: vec![0; n],
            ..Partition::default()
        };
        let mut start = 0;
        for (i, &v) in order.iter().enumerate() {
            if i == 0 || colors[order[i - 1] as usize] != colors[v as usize] {
                start = i;
                partition.cells += 1;
            }
            partition.position[v as usize] = i as u32;
            partition.cell[v as usize] = start as u32;
            partition.length[start] += 1;
        }
        partition.order = order;
        partition
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn is_discrete(&self) -> bool {
        self.cells == self.order.len()
    }

    #[inline]
    pub fn members(&self, start: u32) -> &[u32] {
        &self.order[start as usize..(start + self.length[start as usize]) as usize]
    }

    /// Starts of all cells, in order.
    pub fn starts(&self) -> impl Iterator<Item = u32> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at;
            at += *self.length.get(start as usize)?;
            Some(start)
        })
    }

    #[inline]
    pub fn place(&mut self, vertex: u32, index: u32) {
        self.order[index as usize] = vertex;
        self.position[vertex as usize] = index;
    }

    #[inline]
    pub fn swap(&mut self, i: u32, j: u32) {
        let (a, b) = (self.order[i as usize], self.order[j as usize]);
        self.place(a, j);
        self.place(b, i);
    }

    /// Cuts `[at, end)` off the tail of the cell that starts at `start`.
    #[inline]
    pub fn split(&mut self, start: u32, at: u32) {
        let end = start + self.length[start as usize];
        self.length[start as usize] = at - start;
        self.length[at as usize] = end - at;
        for i in at..end {
            self.cell[self.order[i as usize] as usize] = at;
        }
        self.cells += 1;
        self.log.push((start, at));
    }

    /// Makes `vertex` a cell of its own, after the rest of its cell; returns where it starts.
    pub fn individualise(&mut self, vertex: u32) -> u32 {
        let start = self.cell[vertex as usize];
        let last = start + self.length[start as usize] - 1;
        self.swap(self.position[vertex as usize], last);
        self.split(start, last);
        last
    }

    pub fn mark(&self) -> UndoMark {
        UndoMark(self.log.len())
    }

    /// Takes back every split since the mark.
    pub fn undo(&mut self, mark: UndoMark) {
        while self.log.len() > mark.0 {
            let (start, at) = self.log.pop().expect("the log is longer than the mark");
            let tail = self.length[at as usize];
            for i in at..at + tail {
                self.cell[self.order[i as usize] as usize] = start;
            }
            self.length[start as usize] += tail;
            self.length[at as usize] = 0;
            self.cells -= 1;
        }
    }
}
