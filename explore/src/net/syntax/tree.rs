//! The tree of a net, as written.

use crate::source::Span;
use pidlab_core::Relation;

/// A name where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct NetTree {
    pub name: Name,
    pub class: Option<(Class, Span)>,
    pub constants: Vec<(Name, Expr)>,
    pub places: Vec<PlaceTree>,
    pub initial: Vec<InitialTree>,
    pub transitions: Vec<TransitionTree>,
    pub properties: Vec<PropertyTree>,
    /// Which states without successor are proper ends.
    pub finals: Vec<Expr>,
}

/// A class of nets from the papers, whose rules are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// ICTAC'08, Assumptions 1 to 3.
    TNet,
    /// SACS'10, section 6, items 1 to 6.
    Sacs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// Where the control of threads resides.
    Flow,
    Data,
    /// Not said.
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Pid,
    Int,
    Text,
    Bool,
}

impl Type {
    pub fn name(self) -> &'static str {
        match self {
            Type::Pid => "pid",
            Type::Int => "int",
            Type::Text => "string",
            Type::Bool => "bool",
        }
    }
}

#[derive(Clone, Debug)]
pub struct PlaceTree {
    pub kind: PlaceKind,
    pub name: Name,
    pub types: Vec<Type>,
    /// By component: what stands behind its `in`.
    pub domains: Vec<Option<Expr>>,
}

/// `PLACE(args) for i in …`
#[derive(Clone, Debug)]
pub struct TokenTree {
    pub place: Name,
    pub args: Vec<Expr>,
    pub loops: Vec<Loop>,
    pub span: Span,
}

/// `for NAME in RANGE`, unrolled when constants are known.
#[derive(Clone, Debug)]
pub struct Loop {
    pub name: Name,
    pub over: Expr,
}

#[derive(Clone, Debug)]
pub enum InitialTree {
    Token(TokenTree),
    /// `active @i`: a thread that no token holds.
    Active(Expr, Vec<Loop>, Span),
}

#[derive(Clone, Debug)]
pub struct TransitionTree {
    pub name: Name,
    pub loops: Vec<Loop>,
    pub clauses: Vec<Clause>,
}

#[derive(Clone, Debug)]
pub enum Clause {
    Take(TokenTree),
    /// Take and put back.
    Read(TokenTree),
    Put(TokenTree),
    /// Binds a name to any active pid.
    Active(Name),
    Create {
        child: Name,
        number: Option<Expr>,
        parent: Name,
    },
    End(Name),
    Guard(Expr),
}

#[derive(Clone, Debug)]
pub struct PropertyTree {
    pub name: Name,
    pub kind: PropertyKind,
}

#[derive(Clone, Debug)]
pub enum PropertyKind {
    Never(Expr),
    Always(Expr),
    Reach(Expr),
    /// `thread x: after A never B until C`
    Thread {
        name: Name,
        after: Expr,
        never: Expr,
        until: Option<Expr>,
    },
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    Text(String),
    Bool(bool),
    List(Vec<Expr>),
    Range(Box<Expr>, Box<Expr>),
    Name(String),
    /// `children[i]`
    Index(Name, Box<Expr>),
    /// `_`
    Any,
    /// `@i`, a root pid; in the initial marking only.
    Root(Box<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    /// Operators applied to a first operand, from left to right.
    Chain(Box<Expr>, Vec<Link>),
    Related(Relation, Box<Expr>, Box<Expr>),
    In(Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// How many ways there are to choose tokens that satisfy a condition.
    Count(Vec<TokenTree>, Option<Box<Expr>>),
    /// Whether a pid is active.
    IsActive(Box<Expr>),
}

/// One operator of a chain and what stands on its right.
#[derive(Clone, Debug)]
pub struct Link {
    pub operator: Operator,
    pub right: Expr,
    /// From the start of the chain to the end of `right`.
    pub span: Span,
}

impl Expr {
    /// The same with one more operator behind it.
    pub fn then(self, operator: Operator, right: Expr) -> Expr {
        let span = self.span.to(right.span);
        let link = Link { operator, right, span };
        let kind = match self.kind {
            ExprKind::Chain(first, mut links) => {
                links.push(link);
                ExprKind::Chain(first, links)
            }
            kind => ExprKind::Chain(Box::new(Expr { kind, span: self.span }), vec![link]),
        };
        Expr { kind, span }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}
