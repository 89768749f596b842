//! Projective planes as vectors ⟨point, line⟩: PG(2,q), and for square orders from 9 on the Hall plane
//! by derivation (Ostrom 1964; Hughes and Piper 1973, "Projective Planes", chapter X).
//!
//! Lines of the affine plane whose slope lies in a subfield or is infinite are replaced by the
//! translates of the Baer subplanes a·K². The result is a plane with the same counts everywhere, but
//! not Desarguesian, so not equivalent.

use super::field::{FiniteField, prime_power};
use super::graph::RowStructure;
use super::{HardError, Request};

pub(super) fn structure(request: &Request) -> Result<RowStructure, HardError> {
    let order = (2..=request.size).rev().find(|&q| prime_power(q).is_some());
    let field = order.and_then(FiniteField::new).ok_or_else(|| request.not_found())?;
    let lines = if request.is_twin() {
        let root = field.order.isqrt();
        if root * root != field.order || root < 3 {
            return Err(request.no_twin("a Hall plane needs a square order from 9 on"));
        }
        hall_lines(&field, root)
    } else {
        desarguesian_lines(&field)
    };
    Ok(incidence(field.order, &lines))
}

/// Vectors ⟨point, line⟩ of location `I`; lines are numbered after the points.
fn incidence(order: usize, lines: &[Vec<usize>]) -> RowStructure {
    let points = order * order + order + 1;
    let rows = lines.iter().enumerate().flat_map(|(line, on)| {
        on.iter().map(move |&point| (0, vec![point as u32, (points + line) as u32]))
    });
    RowStructure { points: points + lines.len(), locations: vec!["I"], rows: rows.collect() }
}

/// Point (x, y) is x·q + y, the points at infinity follow.
fn affine(field: &FiniteField, x: usize, y: usize) -> usize {
    x * field.order + y
}

fn infinite(field: &FiniteField, direction: usize) -> usize {
    field.order * field.order + direction
}

fn line_at_infinity(field: &FiniteField) -> Vec<usize> {
    (0..=field.order).map(|direction| infinite(field, direction)).collect()
}

/// y = m·x + b, with its point at infinity.
fn sloped(field: &FiniteField, m: usize, b: usize) -> Vec<usize> {
    let on = (0..field.order).map(|x| affine(field, x, field.add(field.multiply(m, x), b)));
    on.chain([infinite(field, m)]).collect()
}

/// x = c.
fn vertical(field: &FiniteField, c: usize) -> Vec<usize> {
    let on = (0..field.order).map(|y| affine(field, c, y));
    on.chain([infinite(field, field.order)]).collect()
}

/// The lines of PG(2,q).
pub fn desarguesian_lines(field: &FiniteField) -> Vec<Vec<usize>> {
    let q = field.order;
    let sloped = (0..q * q).map(|line| sloped(field, line / q, line % q));
    let vertical = (0..q).map(|c| vertical(field, c));
    sloped.chain(vertical).chain([line_at_infinity(field)]).collect()
}

/// The lines of the Hall plane of order q = root².
pub fn hall_lines(field: &FiniteField, root: usize) -> Vec<Vec<usize>> {
    let q = field.order;
    let subfield = field.subfield(root);
    let kept = (0..q).filter(|m| !subfield.contains(m));
    let mut lines: Vec<Vec<usize>> =
        kept.flat_map(|m| (0..q).map(move |b| sloped(field, m, b))).collect();
    // the freed points at infinity: the slopes of the subfield, and infinity
    let freed = subfield.iter().copied().chain([q]);
    for (a, direction) in field.classes(root).into_iter().zip(freed) {
        lines.extend(translates(field, &subfield, a, infinite(field, direction)));
    }
    lines.push(line_at_infinity(field));
    lines
}

/// The translates of a·K² in the affine plane, each with one point at infinity.
fn translates(field: &FiniteField, subfield: &[usize], a: usize, end: usize) -> Vec<Vec<usize>> {
    let q = field.order;
    let stretched: Vec<usize> = subfield.iter().map(|&u| field.multiply(a, u)).collect();
    let mut covered = vec![false; q * q];
    let mut lines = Vec::new();
    for start in 0..q * q {
        if covered[start] {
            continue;
        }
        let (b, c) = (start / q, start % q);
        let mut line: Vec<usize> = stretched
            .iter()
            .flat_map(|&u| stretched.iter().map(move |&v| (u, v)))
            .map(|(u, v)| affine(field, field.add(u, b), field.add(v, c)))
            .collect();
        line.iter().for_each(|&point| covered[point] = true);
        line.push(end);
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any two points lie on exactly one line; with the right counts this makes a projective plane.
    fn check_plane(order: usize, lines: &[Vec<usize>]) {
        let points = order * order + order + 1;
        assert_eq!(lines.len(), points);
        let mut joined = vec![0u8; points * points];
        for line in lines {
            assert_eq!(line.len(), order + 1);
            for &x in line {
                line.iter().for_each(|&y| joined[x * points + y] += 1);
            }
        }
        for x in 0..points {
            for y in 0..points {
                assert!(x == y || joined[x * points + y] == 1);
            }
        }
    }

    #[test]
    fn planes_are_planes() {
        for order in [2, 3, 4, 5, 8, 9, 16] {
            check_plane(order, &desarguesian_lines(&FiniteField::new(order).unwrap()));
        }
        for root in [3, 4, 5] {
            let field = FiniteField::new(root * root).unwrap();
            check_plane(root * root, &hall_lines(&field, root));
        }
    }

    /// Quadrangles whose diagonal points lie on a line (Fano subplanes): PG(2,q) has none for odd q,
    /// the Hall plane of order 9 does.
    #[test]
    fn the_hall_plane_of_order_nine_is_another_plane() {
        let field = FiniteField::new(9).unwrap();
        let count = |lines: &[Vec<usize>]| {
            let points = 91;
            let mut line_of = vec![usize::MAX; points * points];
            for (number, line) in lines.iter().enumerate() {
                for &x in line {
                    line.iter().for_each(|&y| line_of[x * points + y] = number);
                }
            }
            let meet =
                |l: usize, m: usize| *lines[l].iter().find(|p| lines[m].contains(p)).unwrap();
            let line = |x: usize, y: usize| line_of[x * points + y];
            let mut fano = 0;
            for quad in 0..60_000usize {
                let [a, b, c, d] = [quad % 91, quad / 7 % 91, quad / 31 % 91, quad * 13 % 89];
                let all = [line(a, b), line(a, c), line(a, d), line(b, c), line(b, d), line(c, d)];
                let general = (0..6).all(|i| (0..i).all(|j| all[i] != all[j]))
                    && a != b
                    && a != c
                    && a != d
                    && b != c
                    && b != d
                    && c != d;
                if general {
                    let (x, y, z) =
                        (meet(all[0], all[5]), meet(all[1], all[4]), meet(all[2], all[3]));
                    fano += usize::from(line(x, y) == line(y, z));
                }
            }
            fano
        };
        assert_eq!(count(&desarguesian_lines(&field)), 0);
        assert!(count(&hall_lines(&field, 3)) > 0);
    }
}
