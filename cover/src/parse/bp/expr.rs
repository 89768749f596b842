//! Boolean expressions in which some values are open.
//!
//! An expression has a set of possible values, as `*` may be either and `schoose[a, b]` is open where
//! neither argument decides. Occurrences of `*` are independent of each other, so the set is computed
//! from the sets of the parts. Cost: one walk; the depth is bounded by the parser.

/// An expression over variables of type `V`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr<V = String> {
    Constant(bool),
    /// Either value.
    Any,
    Variable(V),
    /// The value that a variable has after an assignment; in constraints only.
    Next(V),
    Not(Box<Expr<V>>),
    And(Box<Expr<V>>, Box<Expr<V>>),
    Or(Box<Expr<V>>, Box<Expr<V>>),
    Equal(Box<Expr<V>>, Box<Expr<V>>),
    /// Condition, value if it holds, value if not.
    If(Box<[Expr<V>; 3]>),
    /// True if the first holds, else false if the second holds, else either.
    Choose(Box<[Expr<V>; 2]>),
}

/// The values an expression can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    pub no: bool,
    pub yes: bool,
}

impl From<bool> for Values {
    fn from(value: bool) -> Values {
        Values { no: !value, yes: value }
    }
}

impl Values {
    const EITHER: Values = Values { no: true, yes: true };
    const NONE: Values = Values { no: false, yes: false };

    fn union(self, other: Values) -> Values {
        Values { no: self.no || other.no, yes: self.yes || other.yes }
    }

    /// What `then` and `otherwise` give, of which the values that can be chosen count.
    fn choose(self, then: Values, otherwise: Values) -> Values {
        let kept = |use_it: bool, values: Values| if use_it { values } else { Values::NONE };
        kept(self.yes, then).union(kept(self.no, otherwise))
    }
}

impl<V> Expr<V> {
    pub fn negated(self) -> Expr<V> {
        match self {
            Expr::Not(inner) => *inner,
            other => Expr::Not(Box::new(other)),
        }
    }

    pub fn and(self, other: Expr<V>) -> Expr<V> {
        Expr::And(Box::new(self), Box::new(other))
    }

    pub fn or(self, other: Expr<V>) -> Expr<V> {
        Expr::Or(Box::new(self), Box::new(other))
    }

    pub fn equal(self, other: Expr<V>) -> Expr<V> {
        Expr::Equal(Box::new(self), Box::new(other))
    }

    /// The same expression over other variables.
    pub fn try_map<W, E>(&self, f: &mut impl FnMut(&V) -> Result<W, E>) -> Result<Expr<W>, E> {
        Ok(match self {
            Expr::Constant(value) => Expr::Constant(*value),
            Expr::Any => Expr::Any,
            Expr::Variable(v) => Expr::Variable(f(v)?),
            Expr::Next(v) => Expr::Next(f(v)?),
            Expr::Not(e) => Expr::Not(Box::new(e.try_map(f)?)),
            Expr::And(a, b) => a.try_map(f)?.and(b.try_map(f)?),
            Expr::Or(a, b) => a.try_map(f)?.or(b.try_map(f)?),
            Expr::Equal(a, b) => a.try_map(f)?.equal(b.try_map(f)?),
            Expr::If(parts) => {
                let [a, b, c] = parts.as_ref();
                Expr::If(Box::new([a.try_map(f)?, b.try_map(f)?, c.try_map(f)?]))
            }
            Expr::Choose(parts) => {
                let [a, b] = parts.as_ref();
                Expr::Choose(Box::new([a.try_map(f)?, b.try_map(f)?]))
            }
        })
    }

    /// Constraints speak of the values after an assignment: `v` becomes `'v`.
    pub fn primed(&self) -> Expr<V>
    where
        V: Clone,
    {
        match self {
            Expr::Variable(v) | Expr::Next(v) => Expr::Next(v.clone()),
            Expr::Constant(value) => Expr::Constant(*value),
            Expr::Any => Expr::Any,
            Expr::Not(e) => Expr::Not(Box::new(e.primed())),
            Expr::And(a, b) => a.primed().and(b.primed()),
            Expr::Or(a, b) => a.primed().or(b.primed()),
            Expr::Equal(a, b) => a.primed().equal(b.primed()),
            Expr::If(parts) => {
                let [a, b, c] = parts.as_ref();
                Expr::If(Box::new([a.primed(), b.primed(), c.primed()]))
            }
            Expr::Choose(parts) => {
                let [a, b] = parts.as_ref();
                Expr::Choose(Box::new([a.primed(), b.primed()]))
            }
        }
    }

    /// The values it can take, given those of the variables before and after an assignment.
    pub fn values(&self, now: &impl Fn(&V) -> bool, next: &impl Fn(&V) -> bool) -> Values {
        match self {
            Expr::Constant(value) => (*value).into(),
            Expr::Any => Values::EITHER,
            Expr::Variable(v) => now(v).into(),
            Expr::Next(v) => next(v).into(),
            Expr::Not(e) => {
                let Values { no, yes } = e.values(now, next);
                Values { no: yes, yes: no }
            }
            Expr::And(a, b) => a.values(now, next).choose(b.values(now, next), false.into()),
            Expr::Or(a, b) => a.values(now, next).choose(true.into(), b.values(now, next)),
            Expr::Equal(a, b) => {
                let Values { no, yes } = b.values(now, next);
                a.values(now, next).choose(Values { no, yes }, Values { no: yes, yes: no })
            }
            Expr::If(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                let (then, otherwise) = (then.values(now, next), otherwise.values(now, next));
                condition.values(now, next).choose(then, otherwise)
            }
            Expr::Choose(parts) => {
                let [yes, no] = parts.as_ref();
                let open = no.values(now, next).choose(false.into(), Values::EITHER);
                yes.values(now, next).choose(true.into(), open)
            }
        }
    }

    /// The values it can take where no variable has a part in it.
    pub fn constant_values(&self) -> Option<Values> {
        let mut has_variables = false;
        self.each_variable(&mut |_| has_variables = true);
        (!has_variables).then(|| self.values(&|_| false, &|_| false))
    }

    /// Calls `f` on every variable.
    pub fn each_variable(&self, f: &mut impl FnMut(&V)) {
        self.each(&mut |v, _| f(v));
    }

    /// Calls `f` on every variable, and tells whether its value after an assignment is meant.
    pub fn each(&self, f: &mut impl FnMut(&V, bool)) {
        match self {
            Expr::Constant(_) | Expr::Any => {}
            Expr::Variable(v) => f(v, false),
            Expr::Next(v) => f(v, true),
            Expr::Not(e) => e.each(f),
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Equal(a, b) => {
                a.each(f);
                b.each(f);
            }
            Expr::If(parts) => parts.iter().for_each(|e| e.each(f)),
            Expr::Choose(parts) => parts.iter().for_each(|e| e.each(f)),
        }
    }
}

impl std::fmt::Display for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expr::Constant(value) => write!(f, "{value}"),
            Expr::Any => f.write_str("*"),
            Expr::Variable(v) => f.write_str(v),
            Expr::Next(v) => write!(f, "'{v}"),
            Expr::Not(e) => write!(f, "!{e}"),
            Expr::And(a, b) => write!(f, "({a} && {b})"),
            Expr::Or(a, b) => write!(f, "({a} || {b})"),
            Expr::Equal(a, b) => write!(f, "({a} == {b})"),
            Expr::If(parts) => write!(f, "({} ? {} : {})", parts[0], parts[1], parts[2]),
            Expr::Choose(parts) => write!(f, "schoose[{}, {}]", parts[0], parts[1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(e: &Expr) -> (bool, bool) {
        let Values { no, yes } = e.values(&|v: &String| v == "t", &|v: &String| v == "n");
        (no, yes)
    }

    #[test]
    fn open_values_are_sets() {
        let (yes, no) = (Expr::Constant(true), Expr::Constant(false));
        let open = |a: &Expr, b: &Expr| Expr::Choose(Box::new([a.clone(), b.clone()]));
        assert_eq!(values(&open(&yes, &yes)), (false, true));
        assert_eq!(values(&open(&no, &yes)), (true, false));
        assert_eq!(values(&open(&no, &no)), (true, true));
        assert_eq!(values(&open(&Expr::Any, &yes)), (true, true));
        assert_eq!(values(&Expr::Any.and(no.clone())), (true, false));
        assert_eq!(values(&Expr::Any.or(no.clone())), (true, true));
        assert_eq!(values(&Expr::Any.equal(Expr::Any)), (true, true));
        // the condition is the same in both branches
        assert_eq!(values(&Expr::If(Box::new([Expr::Any, yes.clone(), yes]))), (false, true));
    }

    #[test]
    fn old_and_new_values_are_told_apart() {
        let now = Expr::Variable("t".to_string());
        assert_eq!(values(&now), (false, true));
        assert_eq!(values(&now.primed()), (true, false));
        assert_eq!(values(&Expr::Next("n".to_string()).negated()), (true, false));
        assert_eq!(now.primed().to_string(), "'t");
    }
}
