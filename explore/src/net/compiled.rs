//! A net ready to run: constants replaced, loops unrolled, names resolved, types checked.

use super::domain::Domain;
use super::expr::{Expr, Pattern, Slot};
use super::syntax::tree::{PlaceKind, Type};
use super::syntax::{Diagnostic, Source, Span};
use pidlab_core::{Relation, Relations};

/// A compiled net: [`compile`](super::compile) makes it of text.
#[derive(Clone, Debug)]
pub struct Net {
    /// As the text calls it.
    pub name: String,
    /// The text.
    pub source: Source,
    /// Constants with the values in force, as text.
    pub constants: Vec<(String, String)>,
    pub(crate) places: Vec<Place>,
    /// Names of transitions; a label is a number into this list.
    pub labels: Vec<String>,
    pub(crate) transitions: Vec<Transition>,
    /// Strings of the net; a string value is a number into this list.
    pub(crate) texts: Vec<String>,
    pub(crate) initial: Initial,
    /// What is asked of it; a caller who only wants counts may clear the list.
    pub properties: Vec<Property>,
    /// Which states without successor are proper ends.
    pub(crate) finals: Option<Condition>,
    /// Pid relations that guards and properties compare with.
    pub(crate) uses: Vec<Use>,
}

#[derive(Clone, Debug)]
pub struct Place {
    pub name: String,
    pub kind: PlaceKind,
    pub types: Vec<Type>,
    /// By component: what it may hold, if that is not all of its type; empty if there is no such component.
    pub domains: Vec<Option<Domain>>,
    pub span: Span,
    /// Words per token; a place without components has one dummy word.
    pub width: usize,
    /// Which words are pids.
    pub pids: Vec<usize>,
}

impl Place {
    pub fn new(name: String, kind: PlaceKind, types: Vec<Type>, span: Span) -> Place {
        let pids = (0..types.len()).filter(|&i| types[i] == Type::Pid).collect();
        let (width, domains) = (types.len().max(1), Vec::new());
        Place { name, kind, width, pids, types, domains, span }
    }
}

/// Where a relation is used.
#[derive(Clone, Debug)]
pub struct Use {
    pub relation: Relation,
    /// Such as "transition `ret`".
    pub by: String,
    pub span: Span,
}

/// One transition, for one choice of its loop variables.
#[derive(Clone, Debug)]
pub struct Transition {
    pub label: u32,
    pub span: Span,
    /// Number of variables.
    pub slots: usize,
    pub slot_names: Vec<String>,
    pub slot_types: Vec<Type>,
    /// The guards as written; `before`, `inputs` and `after` hold their parts.
    pub guards: Vec<(Expr, Span)>,
    pub inputs: Vec<Input>,
    /// Conditions without variables.
    pub before: Vec<Expr>,
    /// Pids that must be active: they create or end.
    pub active: Vec<Slot>,
    pub creates: Vec<Create>,
    pub ends: Vec<Slot>,
    /// Conditions that compare created pids.
    pub after: Vec<Expr>,
    pub outputs: Vec<Output>,
}

#[derive(Clone, Debug)]
pub struct Input {
    pub from: Origin,
    /// Conditions that can be decided once this input is bound.
    pub conditions: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub enum Origin {
    Token {
        pattern: Pattern,
        consume: bool,
        span: Span,
    },
    /// Any active thread.
    Active(Slot),
}

/// `number` children of `parent` in consecutive slots.
#[derive(Clone, Debug)]
pub struct Create {
    pub parent: Slot,
    pub first: Slot,
    pub number: usize,
}

#[derive(Clone, Debug)]
pub struct Output {
    pub place: usize,
    pub args: Vec<Expr>,
    pub span: Span,
    /// Components that may leave the domain of the place.
    pub checks: Vec<DomainCheck>,
}

/// A component of a token that is put must be in its domain.
#[derive(Clone, Debug)]
pub struct DomainCheck {
    pub component: usize,
    pub span: Span,
}

/// Root threads and tokens of the start.
#[derive(Clone, Debug, Default)]
pub struct Initial {
    /// Numbers of the root pids, ascending; all are active.
    pub roots: Vec<u64>,
    /// Place and words; a pid is an index into `roots`.
    pub tokens: Vec<(usize, Vec<u32>)>,
}

/// A closed condition on a marking.
#[derive(Clone, Debug)]
pub struct Condition {
    pub expr: Expr,
    pub slots: usize,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub rule: PropertyRule,
}

#[derive(Clone, Debug)]
pub enum PropertyRule {
    Never(Condition),
    Always(Condition),
    Reach(Condition),
    /// About every thread on its way through a run; slot 0 is the thread.
    Thread {
        after: Condition,
        never: Condition,
        until: Option<Condition>,
    },
}

impl Net {
    /// The relations that guards and properties compare with.
    pub fn used_relations(&self) -> Relations {
        self.uses.iter().map(|u| u.relation).collect()
    }

    /// The first use of a relation outside a set.
    pub(crate) fn unsound_use(&self, relations: Relations) -> Option<&Use> {
        self.uses.iter().find(|u| !relations.contains(u.relation))
    }

    /// How many places it has.
    pub fn place_count(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.iter().position(|place| place.name == name)
    }

    /// The value of a word of a token as it is written in a net; pids by `pid`.
    pub(crate) fn word_text(&self, kind: Type, word: u32, pid: &impl Fn(u32) -> String) -> String {
        match kind {
            Type::Pid => pid(word),
            Type::Int => (word as i32).to_string(),
            Type::Bool => (word != 0).to_string(),
            Type::Text => format!("{:?}", self.texts[word as usize]),
        }
    }

    /// A value of data as it is written in a net; values that no token can have as numbers.
    pub(crate) fn value_text(&self, kind: Type, value: i64) -> String {
        match super::expr::word_of(value) {
            Some(word) => self.word_text(kind, word, &|pid| pid.to_string()),
            None => value.to_string(),
        }
    }

    /// Why a component of a place cannot have a value, if it cannot.
    pub(crate) fn outside(&self, (place, component): (usize, usize), value: i64) -> Option<String> {
        let Place { name, types, domains, .. } = &self.places[place];
        let domain = domains.get(component)?.as_ref().filter(|domain| !domain.contains(value))?;
        let kind = types[component];
        let (found, all) = (self.value_text(kind, value), domain.text(self, kind));
        let number = component + 1;
        Some(format!("component {number} of `{name}` is in {all}, and this is {found}"))
    }
}

/// A net that breaks rules, one diagnostic each.
#[derive(Clone, Debug)]
pub struct Faulty(pub Vec<Diagnostic>);

impl std::error::Error for Faulty {}

impl std::fmt::Display for Faulty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, diagnostic) in self.0.iter().enumerate() {
            let gap = if i > 0 { "\n\n" } else { "" };
            write!(f, "{gap}{diagnostic}")?;
        }
        Ok(())
    }
}

impl From<Diagnostic> for Faulty {
    fn from(diagnostic: Diagnostic) -> Faulty {
        Faulty(vec![diagnostic])
    }
}
