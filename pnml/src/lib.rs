//! PNML, the exchange format of Petri nets (ISO/IEC 15909-2), as plain data: place/transition nets and
//! symmetric nets.
//!
//! [`read`] gives one net with its pages joined and its reference nodes resolved; [`write`] writes one
//! page. Nothing is compiled here: `cover/` makes counters of a place/transition net, `explore/` makes
//! a `.tnet` of either kind. Drawings and what is specific to a tool are skipped; everything else that
//! is not known is an error with line, column and what was expected.
//!
//! Cost: one document tree (roxmltree), about 64 bytes an element, then one pass. No document type
//! definitions, so no entities that grow; nesting of pages and terms is bounded.
//!
//! ```
//! use pidlab_pnml::{Source, read};
//!
//! let text = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
//!   <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
//!     <place id="p"><initialMarking><text>2</text></initialMarking></place>
//!     <transition id="t"/>
//!     <arc id="a" source="p" target="t"/>
//!   </page></net></pnml>"#;
//! let net = read(&Source::new("n.pnml", text)).unwrap();
//! assert_eq!((net.places[0].tokens, net.arcs[0].weight), (2, 1));
//! ```
#![warn(missing_docs)]

mod nodes;
mod read;
mod terms;
mod write;

pub use pidlab_syntax::{Diagnostic, Parsed, Source, Span};
pub use read::read;
pub use write::write;

/// What a net is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Tokens are all alike (`ptnet`).
    #[default]
    PlaceTransition,
    /// Tokens are values of finite sorts (`symmetricnet`).
    Symmetric,
}

impl Kind {
    /// What the `type` of a net ends with.
    pub fn name(self) -> &'static str {
        match self {
            Kind::PlaceTransition => "ptnet",
            Kind::Symmetric => "symmetricnet",
        }
    }
}

/// A net: pages joined, reference nodes replaced by what they refer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PnmlNet {
    /// Identifier in the file.
    pub id: String,
    /// Name for people; the identifier where there is none.
    pub name: String,
    /// Which kind of net.
    pub kind: Kind,
    /// Declared sorts, each after those it is made of.
    pub sorts: Vec<NamedSort>,
    /// Declared variables.
    pub variables: Vec<Variable>,
    /// In the order of the file.
    pub places: Vec<Place>,
    /// In the order of the file.
    pub transitions: Vec<Transition>,
    /// In the order of the file.
    pub arcs: Vec<Arc>,
}

/// A declared sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSort {
    /// Identifier in the file.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// The values of a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// One value.
    Dot,
    /// Named constants; `cyclic` ones have successors all round.
    Enumeration {
        /// Whether the first follows the last.
        cyclic: bool,
        /// Identifiers and names.
        constants: Vec<(String, String)>,
    },
    /// Integers from the first to the last.
    Range(i64, i64),
    /// Tuples of values of these sorts (numbers into [`PnmlNet::sorts`]).
    Product(Vec<usize>),
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Identifier in the file.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Number of its sort.
    pub sort: usize,
}

/// A place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// Identifier in the file.
    pub id: String,
    /// Name for people; the identifier where there is none.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Tokens at the start, of a place/transition net.
    pub tokens: u64,
    /// Number of its sort, of a symmetric net.
    pub sort: Option<usize>,
    /// Multiset of tokens at the start, of a symmetric net.
    pub initial: Option<Term>,
}

/// A transition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transition {
    /// Identifier in the file.
    pub id: String,
    /// Name for people; the identifier where there is none.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its guard, of a symmetric net.
    pub condition: Option<Term>,
}

/// Between which nodes an arc goes, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a place to a transition.
    Take {
        /// Number of the place.
        place: usize,
        /// Number of the transition.
        transition: usize,
    },
    /// From a transition to a place.
    Put {
        /// Number of the transition.
        transition: usize,
        /// Number of the place.
        place: usize,
    },
}

/// An arc.
#[derive(Clone, Debug, PartialEq)]
pub struct Arc {
    /// Identifier in the file.
    pub id: String,
    /// Where it stands.
    pub span: Span,
    /// Which way it goes.
    pub direction: Direction,
    /// How many tokens it moves, of a place/transition net.
    pub weight: u64,
    /// Multiset of tokens it moves, of a symmetric net.
    pub term: Option<Term>,
}

/// A term, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Where it stands.
    pub span: Span,
}

impl Term {
    /// Where zero copies of something are written, in a multiset.
    fn no_copies(&self) -> Option<Span> {
        match &self.kind {
            TermKind::NumberOf(0, _) => Some(self.span),
            TermKind::NumberOf(_, part) => part.no_copies(),
            TermKind::Add(parts) | TermKind::Subtract(parts) => {
                parts.iter().find_map(Term::no_copies)
            }
            _ => None,
        }
    }
}

/// Terms of symmetric nets: values, multisets, conditions.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind {
    /// A variable, by number.
    Variable(usize),
    /// A constant of an enumeration: sort and position.
    Constant(usize, usize),
    /// An integer, and the range it is a constant of, where that is said.
    Integer(i64, Option<(i64, i64)>),
    /// The one value of the sort with one value.
    Dot,
    /// A value of a product.
    Tuple(Vec<Term>),
    /// What comes after, all round.
    Successor(Box<Term>),
    /// What comes before, all round.
    Predecessor(Box<Term>),
    /// So many copies of a value.
    NumberOf(u64, Box<Term>),
    /// The sum of multisets.
    Add(Vec<Term>),
    /// The first multiset without the others.
    Subtract(Vec<Term>),
    /// Every value of a sort once.
    All(usize),
    /// No token.
    Empty,
    /// A comparison of two values.
    Compare(Comparison, Box<(Term, Term)>),
    /// All of them hold.
    And(Vec<Term>),
    /// One of them holds.
    Or(Vec<Term>),
    /// It does not hold.
    Not(Box<Term>),
    /// A truth value.
    Truth(bool),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `≠`
    Different,
    /// `<`
    Less,
    /// `≤`
    AtMost,
    /// `>`
    Greater,
    /// `≥`
    AtLeast,
}

/// Comparisons and the elements that stand for them; order comparisons have two names each.
const COMPARISONS: [(&str, Comparison); 10] = [
    ("equality", Comparison::Equal),
    ("inequality", Comparison::Different),
    ("lessthan", Comparison::Less),
    ("lessthanorequal", Comparison::AtMost),
    ("greaterthan", Comparison::Greater),
    ("greaterthanorequal", Comparison::AtLeast),
    ("lt", Comparison::Less),
    ("leq", Comparison::AtMost),
    ("gt", Comparison::Greater),
    ("geq", Comparison::AtLeast),
];

impl Comparison {
    /// The element that stands for it.
    pub fn element(self) -> &'static str {
        COMPARISONS.iter().find(|(_, c)| *c == self).map_or("equality", |(name, _)| name)
    }
}
