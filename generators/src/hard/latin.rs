//! Latin squares, as ternary vectors ⟨row, column, symbol⟩ and as graphs of cells.
//!
//! Random squares by the Markov chain of Jacobson and Matthews (1996, "Generating uniformly
//! distributed random Latin squares"), 20 n² moves from the cyclic square. Twins are squares with
//! another number of intercalates (2 × 2 subsquares), which equivalent squares share; from order 5
//! on the lines of a square can be read off its graph, so the same number tells the graphs apart.

use super::graph::{PlainGraph, RowStructure};
use super::{Family, HardError, Request};
use pidlab_random::Rng;

/// A Latin square; `symbols[row * order + column]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatinSquare {
    /// Number of rows, columns and symbols.
    pub order: usize,
    /// The symbols row by row.
    pub symbols: Vec<u32>,
}

pub(super) fn square(request: &Request, rng: &mut Rng) -> Result<RowStructure, HardError> {
    let n = request.size;
    let base = match request.family {
        Family::LatinCyclic => LatinSquare::cyclic(n),
        _ => LatinSquare::random(n, rng),
    };
    let chosen = if request.is_twin() { twin_of(&base, request, rng)? } else { base };
    let row = |cell: usize| {
        let (row, column) = ((cell / n) as u32, (cell % n) as u32);
        (0, vec![row, n as u32 + column, 2 * n as u32 + chosen.symbols[cell]])
    };
    Ok(RowStructure { points: 3 * n, locations: vec!["S"], rows: (0..n * n).map(row).collect() })
}

/// Cells joined if they share row, column or symbol.
pub(super) fn graph(request: &Request, rng: &mut Rng) -> Result<RowStructure, HardError> {
    let base = LatinSquare::random(request.size, rng);
    let square = if request.is_twin() { twin_of(&base, request, rng)? } else { base };
    let n = request.size as u32;
    let symbol = |x: u32| square.symbols[x as usize];
    let joined = |x: u32, y: u32| x / n == y / n || x % n == y % n || symbol(x) == symbol(y);
    Ok(PlainGraph::by(square.symbols.len(), joined).structure())
}

/// A square with another number of intercalates: by a small change where one does it, else random.
fn twin_of(base: &LatinSquare, request: &Request, rng: &mut Rng) -> Result<LatinSquare, HardError> {
    let count = base.intercalates();
    let mut draw = |attempt| match attempt {
        0..200 => base.with_rows_switched(rng),
        _ => LatinSquare::random(base.order, rng),
    };
    (0..220)
        .map(&mut draw)
        .find(|twin| twin.intercalates() != count)
        .ok_or_else(|| request.not_found())
}

impl LatinSquare {
    /// Symbol row + column modulo the order.
    pub fn cyclic(order: usize) -> LatinSquare {
        let cells = (0..order * order).map(|cell| ((cell / order + cell % order) % order) as u32);
        LatinSquare { order, symbols: cells.collect() }
    }

    /// A nearly uniform square.
    pub fn random(order: usize, rng: &mut Rng) -> LatinSquare {
        let mut cube = Cube::of(&LatinSquare::cyclic(order));
        let mut moves = 0;
        while moves < 20 * order * order || cube.improper.is_some() {
            cube.step(rng);
            moves += 1;
        }
        cube.square()
    }

    fn at(&self, row: usize, column: usize) -> u32 {
        self.symbols[row * self.order + column]
    }

    /// Number of 2 × 2 subsquares.
    pub fn intercalates(&self) -> usize {
        let n = self.order;
        let mut column_of = vec![0; n * n];
        for row in 0..n {
            (0..n).for_each(|c| column_of[row * n + self.at(row, c) as usize] = c);
        }
        let mut found = 0;
        for row in 0..n {
            for other in row + 1..n {
                for column in 0..n {
                    let partner = column_of[row * n + self.at(other, column) as usize];
                    let closes = self.at(other, partner) == self.at(row, column);
                    found += usize::from(closes && partner > column);
                }
            }
        }
        found
    }

    /// Two rows exchange their symbols in the columns of one cycle: again a Latin square.
    fn with_rows_switched(&self, rng: &mut Rng) -> LatinSquare {
        let n = self.order;
        let rows = rng.sample(n, 2);
        let (a, b) = (rows[0], rows[1]);
        let mut result = self.clone();
        let start = rng.index(n);
        let mut column = start;
        loop {
            result.symbols.swap(a * n + column, b * n + column);
            let lost = self.at(b, column);
            column = (0..n).find(|&c| self.at(a, c) == lost).unwrap_or(start);
            if column == start {
                return result;
            }
        }
    }
}

/// The incidence cube of a square: 1 where a cell holds a symbol; an improper one has one -1.
struct Cube {
    order: usize,
    cells: Vec<i8>,
    improper: Option<[usize; 3]>,
}

impl Cube {
    fn of(square: &LatinSquare) -> Cube {
        let n = square.order;
        let mut cube = Cube { order: n, cells: vec![0; n * n * n], improper: None };
        for (cell, &symbol) in square.symbols.iter().enumerate() {
            cube.cells[cell * n + symbol as usize] = 1;
        }
        cube
    }

    fn index(&self, at: [usize; 3]) -> usize {
        (at[0] * self.order + at[1]) * self.order + at[2]
    }

    /// One ±1 move on the corners of a subcube.
    fn step(&mut self, rng: &mut Rng) {
        let from = match self.improper {
            Some(cell) => cell,
            None => loop {
                let cell = [0; 3].map(|_: usize| rng.index(self.order));
                if self.cells[self.index(cell)] == 0 {
                    break cell;
                }
            },
        };
        let to = [0, 1, 2].map(|axis| self.one_on_line(from, axis, rng));
        for corner in 0..8u32 {
            let at =
                [0, 1, 2].map(|axis| if corner >> axis & 1 == 1 { to[axis] } else { from[axis] });
            let index = self.index(at);
            self.cells[index] += if corner.count_ones() % 2 == 0 { 1 } else { -1 };
        }
        self.improper = (self.cells[self.index(to)] == -1).then_some(to);
    }

    /// Where the line through a cell has a 1; one of two at random where the cell is improper.
    fn one_on_line(&self, cell: [usize; 3], axis: usize, rng: &mut Rng) -> usize {
        let skip = if self.improper.is_some() { rng.index(2) } else { 0 };
        let is_one = |&place: &usize| {
            let mut at = cell;
            at[axis] = place;
            self.cells[self.index(at)] == 1
        };
        (0..self.order).filter(is_one).nth(skip).unwrap_or(cell[axis])
    }

    fn square(&self) -> LatinSquare {
        let symbol = |line: &[i8]| line.iter().position(|&value| value == 1).unwrap_or(0) as u32;
        LatinSquare {
            order: self.order,
            symbols: self.cells.chunks_exact(self.order).map(symbol).collect(),
        }
    }
}
