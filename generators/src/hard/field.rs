//! Finite fields of small order, by a table of powers of a primitive element.

/// GF(q); elements are 0..q, written in base p as polynomials over GF(p).
pub struct FiniteField {
    /// q, a prime power.
    pub order: usize,
    prime: usize,
    power: Vec<usize>,
    log: Vec<usize>,
}

/// The prime and the exponent if `n` is a prime power.
pub fn prime_power(n: usize) -> Option<(usize, u32)> {
    let prime = (2..=n).find(|d| n.is_multiple_of(*d))?;
    let mut exponent = 0;
    let mut rest = n;
    while rest.is_multiple_of(prime) {
        rest /= prime;
        exponent += 1;
    }
    (rest == 1).then_some((prime, exponent))
}

impl FiniteField {
    /// The field of the given order; `None` unless it is a prime power.
    pub fn new(order: usize) -> Option<FiniteField> {
        let (prime, degree) = prime_power(order)?;
        (0..order)
            .find_map(|reduction| FiniteField::with_reduction(order, prime, degree, reduction))
    }

    /// Tries x^degree = `reduction` and, for prime fields, every number as the primitive element.
    fn with_reduction(
        order: usize,
        prime: usize,
        degree: u32,
        reduction: usize,
    ) -> Option<FiniteField> {
        let mut field =
            FiniteField { order, prime, power: Vec::new(), log: vec![usize::MAX; order] };
        let mut element = 1;
        for exponent in 0..order - 1 {
            if element == 0 || field.log[element] != usize::MAX {
                return None;
            }
            field.power.push(element);
            field.log[element] = exponent;
            element = if degree == 1 {
                element * reduction % prime
            } else {
                field.times_x(element, reduction)
            };
        }
        (element == 1).then_some(field)
    }

    fn times_x(&self, element: usize, reduction: usize) -> usize {
        let top = self.order / self.prime;
        let (leading, rest) = (element / top, element % top);
        (0..leading).fold(rest * self.prime, |sum, _| self.add(sum, reduction))
    }

    /// The sum of two elements.
    pub fn add(&self, a: usize, b: usize) -> usize {
        let (mut a, mut b, mut sum, mut place) = (a, b, 0, 1);
        while a > 0 || b > 0 {
            sum += (a + b) % self.prime * place;
            // digits are added without carry: take both last digits off
            (a, b) = (a / self.prime, b / self.prime);
            place *= self.prime;
        }
        sum
    }

    /// The product of two elements.
    pub fn multiply(&self, a: usize, b: usize) -> usize {
        if a == 0 || b == 0 {
            return 0;
        }
        self.power[(self.log[a] + self.log[b]) % (self.order - 1)]
    }

    /// The elements of the subfield of the given order, 0 first.
    pub fn subfield(&self, order: usize) -> Vec<usize> {
        let step = (self.order - 1) / (order - 1);
        std::iter::once(0).chain(self.power.iter().copied().step_by(step)).collect()
    }

    /// One element of each class of non-zero elements modulo those of a subfield.
    pub fn classes(&self, subfield: usize) -> Vec<usize> {
        let count = (self.order - 1) / (subfield - 1);
        self.power[..count].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_fields() {
        for order in [2, 3, 4, 5, 7, 8, 9, 11, 16, 25, 27, 32, 49, 64] {
            let field = FiniteField::new(order).unwrap();
            for a in 0..order {
                assert!((0..order).any(|b| field.add(a, b) == 0));
                assert!(a == 0 || (0..order).any(|b| field.multiply(a, b) == 1));
                for b in 0..order {
                    let c = (a * 7 + b) % order;
                    let left = field.multiply(c, field.add(a, b));
                    assert_eq!(left, field.add(field.multiply(c, a), field.multiply(c, b)));
                }
            }
        }
        assert!(FiniteField::new(6).is_none() && FiniteField::new(12).is_none());
        let subfield = FiniteField::new(16).unwrap().subfield(4);
        assert_eq!(subfield.len(), 4);
    }
}
