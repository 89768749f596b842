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
    pub threads: Vec<Thread>,
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
    Array(Box<TypeName>),
    Set(Box<TypeName>),
    Table(Box<TypeName>, Box<TypeName>),
}

#[derive(Debug)]
pub struct Thread {
    pub name: Name,
    pub main: bool,
    pub parameters: Vec<Variable>,
    pub locals: Vec<Variable>,
    pub locations: Vec<Location>,
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
    /// `None` for `return`.
    pub target: Option<Name>,
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
    Field(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    InstanceOf(Box<Expr>, Name),
    Cast(Box<Expr>, Name),
    /// `new T`, `new set<T>`, `new table<K, V>`.
    New(TypeName),
    /// `new T[n]`.
    NewArray(TypeName, Box<Expr>),
    Choose(Box<Expr>, Box<Expr>),
    Call(Name, Vec<Expr>),
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
