//! A program as parsed: names are not resolved, types are not checked.

use crate::source::Span;

#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Debug)]
pub struct System {
    pub name: Name,
    pub constants: Vec<Constant>,
    pub records: Vec<Record>,
    pub globals: Vec<Variable>,
    pub threads: Vec<Body>,
    pub functions: Vec<Body>,
    pub virtuals: Vec<Virtual>,
    pub extensions: Vec<Extension>,
    pub properties: Vec<Property>,
}

/// `never`, `always` or `reach`, and a condition.
#[derive(Debug)]
pub struct Property {
    pub name: Option<Name>,
    pub kind: PropertyKind,
    pub condition: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    Never,
    Always,
    Reach,
}

impl PropertyKind {
    pub fn name(self) -> &'static str {
        match self {
            PropertyKind::Never => "never",
            PropertyKind::Always => "always",
            PropertyKind::Reach => "reach",
        }
    }
}

/// `const N;` must be given from outside, `const N = 3;` may be.
#[derive(Debug)]
pub struct Constant {
    pub name: Name,
    pub value: Option<Expr>,
}

#[derive(Debug)]
pub struct Record {
    pub name: Name,
    pub top: bool,
    pub extends: Option<Name>,
    pub fields: Vec<Variable>,
}

#[derive(Debug)]
pub struct Variable {
    pub name: Name,
    pub of: TypeName,
    pub value: Option<Expr>,
}

#[derive(Debug)]
pub struct TypeName {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum TypeKind {
    Boolean,
    Int(Option<Box<(Expr, Expr)>>),
    Lock,
    Record(String),
    /// An element type and how many times `[]` stands behind it.
    Array(Box<TypeName>, u32),
    Set(Box<TypeName>),
    Table(Box<TypeName>, Box<TypeName>),
}

/// An abstract type: a representation that only its operations see.
#[derive(Debug)]
pub struct Extension {
    pub name: Name,
    pub fields: Vec<Variable>,
    pub operations: Vec<Operation>,
}

/// Runs inside the step of its caller.
#[derive(Debug)]
pub struct Operation {
    pub name: Name,
    pub parameters: Vec<Variable>,
    pub result: Option<TypeName>,
    pub body: Vec<Statement>,
}

/// A thread or a function.
#[derive(Debug)]
pub struct Body {
    pub name: Name,
    pub main: bool,
    pub parameters: Vec<Variable>,
    /// Of a function.
    pub result: Option<TypeName>,
    pub locals: Vec<Variable>,
    pub locations: Vec<Location>,
    pub handlers: Vec<Handler>,
}

impl Body {
    pub fn new(name: Name, parameters: Vec<Variable>) -> Body {
        Body {
            name,
            main: false,
            parameters,
            result: None,
            locals: Vec::new(),
            locations: Vec::new(),
            handlers: Vec::new(),
        }
    }
}

/// `catch Full e at push, pop goto failed;`
#[derive(Debug)]
pub struct Handler {
    pub record: Name,
    pub variable: Name,
    /// `None` for all locations.
    pub at: Option<Vec<Name>>,
    pub target: Name,
}

/// `virtual area { Circle -> circleArea, Square -> squareArea }`
#[derive(Debug)]
pub struct Virtual {
    pub name: Name,
    /// Records and functions.
    pub entries: Vec<(Name, Name)>,
}

#[derive(Debug)]
pub struct Location {
    pub name: Name,
    /// While a thread stands here, no other thread moves.
    pub atomic: bool,
    pub transformations: Vec<Transformation>,
}

#[derive(Debug)]
pub struct Transformation {
    pub guard: Option<Expr>,
    pub body: Vec<Statement>,
    pub exit: Exit,
    pub span: Span,
}

/// How a transformation ends.
#[derive(Debug)]
pub enum Exit {
    Goto(Name),
    Return(Option<Expr>),
    Invoke(Invocation),
    Throw(Expr),
}

/// `x := invoke virtual f(a, b) goto l`
#[derive(Debug)]
pub struct Invocation {
    pub result: Option<Name>,
    pub is_virtual: bool,
    pub function: Name,
    pub arguments: Vec<Expr>,
    pub target: Name,
    /// From `invoke` to the last argument.
    pub span: Span,
}

#[derive(Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StatementKind {
    Assign(Expr, Expr),
    Declare(Variable),
    Start(Name, Vec<Expr>),
    Assert(Expr),
    Assume(Expr),
    Throw(Expr),
    /// Inside operations only.
    Return(Option<Expr>),
    /// `queue.put(task);`
    Operation(Expr),
    If(Expr, Vec<Statement>, Vec<Statement>),
    While(Expr, Vec<Statement>),
    /// `lock(m)`, `add(s, x)` and so on.
    Call(Name, Vec<Expr>),
}

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum ExprKind {
    Number(i64),
    Boolean(bool),
    Null,
    Name(String),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    /// Operations applied to a first operand, from left to right: `a.f + b + c` is as deep as `a`.
    Chain(Box<Expr>, Vec<Link>),
    /// `new T`, `new set<T>`, `new table<K, V>`.
    New(TypeName),
    /// `new T[n]`, `new T[n][m]`, `new T[n][]`: lengths, and how many times `[]` stands behind them.
    NewArray(TypeName, Vec<Expr>, u32),
    Choose(Box<Expr>, Box<Expr>),
    Call(Name, Vec<Expr>),
}

/// One operation of a chain.
#[derive(Debug)]
pub struct Link {
    pub kind: LinkKind,
    /// From the start of the chain to the end of this operation.
    pub span: Span,
}

#[derive(Debug)]
pub enum LinkKind {
    Field(Name),
    /// `queue.take()`
    Operation(Name, Vec<Expr>),
    Index(Expr),
    Cast(Name),
    InstanceOf(Name),
    Binary(Binary, Expr),
}

impl Expr {
    /// Whether the last thing done is an operation of an extension.
    pub fn is_operation(&self) -> bool {
        let ExprKind::Chain(_, links) = &self.kind else { return false };
        matches!(links.last(), Some(Link { kind: LinkKind::Operation(..), .. }))
    }

    /// The same with one more operation behind it.
    pub fn then(self, kind: LinkKind, end: Span) -> Expr {
        let span = self.span.to(end);
        let link = Link { kind, span };
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
pub enum Binary {
    Or,
    And,
    Equal,
    Differ,
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

impl Binary {
    pub fn text(self) -> &'static str {
        match self {
            Binary::Or => "||",
            Binary::And => "&&",
            Binary::Equal => "==",
            Binary::Differ => "!=",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
        }
    }
}
