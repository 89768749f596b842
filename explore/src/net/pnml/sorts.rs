//! Sorts of terms of symmetric nets: what goes into a place or is compared is of one sort. `.tnet` has integers for all
//! colours, so that a wrong sort would pass there, or be refused in a text that nobody wrote.

use pidlab_pnml::{Parsed, PnmlNet, Source, Term, TermKind, Values};

/// The sort of a value, where it says so itself.
pub fn of(net: &PnmlNet, term: &Term) -> Option<usize> {
    match &term.kind {
        TermKind::Variable(variable) => Some(net.variables[*variable].sort),
        TermKind::Constant(sort, _) => Some(*sort),
        TermKind::Successor(part) | TermKind::Predecessor(part) => of(net, part),
        _ => None,
    }
}

/// Whether all values of a multiset, or a single one, are of a sort.
pub fn fits(source: &Source, net: &PnmlNet, term: &Term, sort: usize) -> Parsed<()> {
    let all = |parts: &[Term]| parts.iter().try_for_each(|part| fits(source, net, part, sort));
    let values = &net.sorts[sort].values;
    let right = match (&term.kind, values) {
        (TermKind::Add(parts) | TermKind::Subtract(parts), _) => return all(parts),
        (TermKind::NumberOf(_, part), _) => return fits(source, net, part, sort),
        (TermKind::Tuple(parts), Values::Product(sorts)) if parts.len() == sorts.len() => {
            let mut both = parts.iter().zip(sorts);
            return both.try_for_each(|(part, &sort)| fits(source, net, part, sort));
        }
        (TermKind::All(other), _) => is_same(net, *other, sort),
        (TermKind::Integer(value, range), Values::Range(first, last)) => {
            (first..=last).contains(&value) && range.is_none_or(|range| range == (*first, *last))
        }
        (TermKind::Dot, values) => *values == Values::Dot,
        (TermKind::Empty, _) => true,
        _ => of(net, term).is_some_and(|other| is_same(net, other, sort)),
    };
    let found = match of(net, term) {
        Some(other) => format!(", found one of `{}`", net.sorts[other].name),
        None => String::new(),
    };
    match right {
        true => Ok(()),
        false => {
            let expected =
                format!("expected a value of the sort `{}`{found}", net.sorts[sort].name);
            Err(source.error(term.span, expected))
        }
    }
}

/// A sort may be declared twice under two names.
fn is_same(net: &PnmlNet, a: usize, b: usize) -> bool {
    a == b || net.sorts[a].values == net.sorts[b].values
}
