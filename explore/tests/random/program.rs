//! Random programs with functions, and their text: a syntax tree of the tests' own.
//!
//! Every body has the same variables, so that a variable's number says its type: v0 and v2 are nodes,
//! v1 and v3 numbers from 0 to 2, v4 an exception. Programs do nothing wrong unless they have assertions: fields
//! are behind a test for null, numbers stay in range, every thread catches all exceptions, and functions call
//! later ones or themselves with a smaller number. Beside that a program has one kind of things of its own: an array
//! of arrays, an abstract type, a table or a set of nodes.

use crate::numbers::Random;
use std::fmt::Write;

pub const NODES: [usize; 2] = [0, 2];
pub const NUMBERS: [usize; 2] = [1, 3];
pub const EXCEPTION: usize = 4;
/// Variables of a body; the first two are parameters.
pub const VARIABLES: usize = 5;

#[derive(Clone, Debug)]
pub enum Number {
    Constant(i32),
    Variable(usize),
    Global,
    /// Modulo 3.
    Sum(Box<Number>, Box<Number>),
}

#[derive(Clone, Copy, Debug)]
pub enum Node {
    Null,
    Variable(usize),
    Global,
    New,
    NewSub,
}

#[derive(Clone, Debug)]
pub enum Condition {
    True,
    Equal(Number, i32),
    IsNull(Node),
    IsSub(Node),
    Contains(Number),
    /// An operation of the abstract type.
    InBag(Number),
}

#[derive(Clone, Debug)]
pub enum Statement {
    SetNumber(usize, Number),
    SetGlobal(Number),
    SetNode(usize, Node),
    SetRoot(Node),
    /// `if v != null { v.n := e; }` and so on.
    SetValue(usize, Number),
    SetNext(usize, Node),
    GetValue(usize, usize),
    GetNext(usize, usize),
    Choose(usize),
    Assume(Condition),
    /// Whether the subtype.
    ThrowIf(Condition, bool),
    Add(Number),
    Remove(Number),
    Assert(Condition),
    /// `a[i % 2][j % 2] := e;` and the other way round.
    SetCell(Number, Number, Number),
    GetCell(usize, Number, Number),
    /// `a[i % 2] := a[j % 2];`
    ShareRow(Number, Number),
    NewRow(Number),
    /// Operations of the abstract type.
    PutInBag(Number),
    TakeFromBag(usize),
    /// A table from numbers to nodes.
    PutInTable(Number, Node),
    GetFromTable(usize, Number),
    RemoveFromTable(Number),
    /// A set of nodes.
    AddNode(Node),
    PickNode(usize),
    RemoveNode(Node),
}

#[derive(Clone, Debug)]
pub enum Exit {
    Goto(usize),
    ReturnNothing,
    ReturnNumber(Number),
    ReturnNode(Node),
    Throw(bool),
    /// Where the result goes, what is called, with which arguments, and where to go on.
    Invoke(Option<usize>, Callee, Node, Number, usize),
}

#[derive(Clone, Copy, Debug)]
pub enum Callee {
    Function(usize),
    /// By the type of the first argument: the two functions of the table.
    Virtual,
}

#[derive(Clone, Debug)]
pub struct Transformation {
    pub guard: Condition,
    pub body: Vec<Statement>,
    pub exit: Exit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Result {
    Nothing,
    Number,
    Node,
}

/// Catches at some locations, or at all.
#[derive(Clone, Debug)]
pub struct Handler {
    pub sub: bool,
    pub at: Option<Vec<usize>>,
    pub target: usize,
}

#[derive(Clone, Debug)]
pub struct Body {
    pub result: Option<Result>,
    pub locations: Vec<Vec<Transformation>>,
    pub handlers: Vec<Handler>,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub functions: Vec<Body>,
    pub threads: Vec<Body>,
    /// Thread type and number given to it, in order of start.
    pub started: Vec<(usize, i32)>,
    /// Functions for nodes and for their subtype.
    pub table: [usize; 2],
    pub features: Features,
}

/// What takes part beside functions, exceptions and a set of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    pub things: Things,
    pub assertions: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Things {
    Grid,
    Bag,
    Table,
    NodeSet,
}

impl Random {
    fn pick(&mut self, from: &[usize]) -> usize {
        from[self.below(from.len())]
    }

    fn number(&mut self) -> Number {
        match self.below(5) {
            0 => Number::Constant(self.below(3) as i32),
            1 => Number::Global,
            2 => Number::Sum(
                Box::new(Number::Variable(self.pick(&NUMBERS))),
                Box::new(Number::Constant(1 + self.below(2) as i32)),
            ),
            _ => Number::Variable(self.pick(&NUMBERS)),
        }
    }

    fn node(&mut self) -> Node {
        match self.below(7) {
            0 => Node::Null,
            1 => Node::Global,
            2 => Node::New,
            3 => Node::NewSub,
            _ => Node::Variable(self.pick(&NODES)),
        }
    }

    /// One that is not made on the spot.
    fn old_node(&mut self) -> Node {
        if self.below(3) == 0 { Node::Global } else { Node::Variable(self.pick(&NODES)) }
    }

    fn condition(&mut self, features: Features) -> Condition {
        if features.things == Things::Bag && self.below(8) == 0 {
            return Condition::InBag(self.number());
        }
        match self.below(10) {
            0 => Condition::IsNull(self.old_node()),
            1 => Condition::IsSub(self.old_node()),
            2 => Condition::Contains(self.number()),
            3..=7 => Condition::True,
            _ => Condition::Equal(self.number(), self.below(3) as i32),
        }
    }

    fn statement(&mut self, features: Features) -> Statement {
        use Statement::*;
        if features.assertions && self.below(6) == 0 {
            return Assert(self.condition(features));
        }
        match self.below(19) {
            0 | 1 => SetNumber(self.pick(&NUMBERS), self.number()),
            2 => SetGlobal(self.number()),
            3 | 4 => SetNode(self.pick(&NODES), self.node()),
            5 => SetRoot(self.node()),
            6 => SetValue(self.pick(&NODES), self.number()),
            7 => SetNext(self.pick(&NODES), self.node()),
            8 => GetValue(self.pick(&NUMBERS), self.pick(&NODES)),
            9 => GetNext(self.pick(&NODES), self.pick(&NODES)),
            10 => Choose(self.pick(&NUMBERS)),
            11 => Assume(self.condition(features)),
            12 => ThrowIf(self.condition(features), self.below(2) == 0),
            13 => Add(self.number()),
            14 => Remove(self.number()),
            _ => self.with_things(features.things),
        }
    }

    fn with_things(&mut self, things: Things) -> Statement {
        use Statement::*;
        match (things, self.below(4)) {
            (Things::Grid, 0) => SetCell(self.number(), self.number(), self.number()),
            (Things::Grid, 1) => GetCell(self.pick(&NUMBERS), self.number(), self.number()),
            (Things::Grid, 2) => ShareRow(self.number(), self.number()),
            (Things::Grid, _) => NewRow(self.number()),
            (Things::Bag, 0) => TakeFromBag(self.pick(&NUMBERS)),
            (Things::Bag, _) => PutInBag(self.number()),
            (Things::Table, 0) => GetFromTable(self.pick(&NODES), self.number()),
            (Things::Table, 1) => RemoveFromTable(self.number()),
            (Things::Table, _) => PutInTable(self.number(), self.old_node()),
            (Things::NodeSet, 0) => PickNode(self.pick(&NODES)),
            (Things::NodeSet, 1) => RemoveNode(self.old_node()),
            (Things::NodeSet, _) => AddNode(self.old_node()),
        }
    }

    fn exit(
        &mut self,
        own: Option<usize>,
        results: &[Result],
        table: [usize; 2],
        locations: usize,
    ) -> Exit {
        let next = self.below(locations);
        let later = own.map_or(0, |function| function + 1);
        match self.below(8) {
            0 | 1 => Exit::Goto(next),
            2 => Exit::Throw(self.below(2) == 0),
            3..=5 if later < results.len() => {
                let is_virtual = table[0].min(table[1]) >= later && self.below(2) == 0;
                let function = later + self.below(results.len() - later);
                let callee = if is_virtual { Callee::Virtual } else { Callee::Function(function) };
                let result = if is_virtual { results[table[0]] } else { results[function] };
                let to = match result {
                    Result::Number => Some(self.pick(&NUMBERS)),
                    Result::Node => Some(self.pick(&NODES)),
                    Result::Nothing => None,
                };
                // an object of its own, so that there is one to ask for its type
                let node = match is_virtual {
                    true if self.below(2) == 0 => Node::New,
                    true => Node::NewSub,
                    false => self.node(),
                };
                let to = to.filter(|_| self.below(4) > 0);
                Exit::Invoke(to, callee, node, self.number(), next)
            }
            _ => match own.map(|function| results[function]) {
                Some(Result::Number) => Exit::ReturnNumber(self.number()),
                Some(Result::Node) => Exit::ReturnNode(self.node()),
                _ => Exit::ReturnNothing,
            },
        }
    }

    fn body(
        &mut self,
        own: Option<usize>,
        results: &[Result],
        table: [usize; 2],
        features: Features,
    ) -> Body {
        let count = 2 + self.below(3);
        let mut locations = Vec::new();
        for _ in 0..count {
            let mut transformations = Vec::new();
            for _ in 0..1 + self.below(2) {
                let body = (0..1 + self.below(2)).map(|_| self.statement(features)).collect();
                let exit = self.exit(own, results, table, count);
                let guard = self.condition(features);
                transformations.push(match own {
                    Some(own) if self.below(6) == 0 => self.recursion(own, body, count),
                    _ => Transformation { guard, body, exit },
                });
            }
            locations.push(transformations);
        }
        let mut handlers = Vec::new();
        for _ in 0..self.below(2) {
            let at = (self.below(2) == 0).then(|| vec![self.below(count)]);
            handlers.push(Handler { sub: self.below(2) == 0, at, target: self.below(count) });
        }
        if own.is_none() {
            handlers.push(Handler { sub: false, at: None, target: self.below(count) });
        }
        Body { result: own.map(|function| results[function]), locations, handlers }
    }

    /// Calls itself with a smaller number; the result is not wanted.
    fn recursion(&mut self, own: usize, body: Vec<Statement>, locations: usize) -> Transformation {
        let number = 1 + self.below(2) as i32;
        let (callee, smaller) = (Callee::Function(own), Number::Constant(number - 1));
        let exit = Exit::Invoke(None, callee, self.node(), smaller, self.below(locations));
        Transformation { guard: Condition::Equal(Number::Variable(1), number), body, exit }
    }

    pub fn program(&mut self, features: Features) -> Program {
        let kinds = [Result::Nothing, Result::Number, Result::Node];
        let shared = kinds[self.below(3)];
        // the last two are the functions of the table
        let results = [kinds[self.below(3)], shared, shared];
        let table = [1, 2];
        let functions = (0..3).map(|own| self.body(Some(own), &results, table, features)).collect();
        let threads = (0..2).map(|_| self.body(None, &results, table, features)).collect();
        let started =
            (0..2 + self.below(2)).map(|_| (self.below(2), self.below(2) as i32)).collect();
        Program { functions, threads, started, table, features }
    }
}

impl Things {
    /// Declarations, and what the main thread does first.
    fn text(self) -> (&'static str, &'static str) {
        match self {
            Things::Grid => (" int(0..2)[][] a;\n", "a := new int(0..2)[2][2]; "),
            Things::Bag => (
                " Bag b;\n extension Bag {\n  set<int(0..2)> inside;\n  \
                 operation put(int(0..2) x) { add(inside, x); }\n  \
                 operation has(int(0..2) x) returns boolean { return contains(inside, x); }\n  \
                 operation take() returns int(0..2) { int(0..2) x := pick(inside); remove(inside, x); return x; }\n }\n",
                "b := new Bag; ",
            ),
            Things::Table => (" table<int(0..2), Node> t;\n", "t := new table<int(0..2), Node>; "),
            Things::NodeSet => (" set<Node> m;\n", "m := new set<Node>; "),
        }
    }
}

impl Program {
    /// The program as the product reads it.
    pub fn text(&self) -> String {
        let mut out = String::from(
            "system random {\n top record Object {}\n record Error extends Object {}\n \
             record SubError extends Error {}\n record Node extends Object { Node next; int(0..2) n; }\n \
             record Sub extends Node {}\n int(0..2) g;\n Node r;\n set<int(0..2)> s;\n",
        );
        let (declarations, made) = self.features.things.text();
        out += declarations;
        for (number, body) in self.functions.iter().enumerate() {
            let result = match body.result {
                Some(Result::Number) => " returns int(0..2)",
                Some(Result::Node) => " returns Node",
                _ => "",
            };
            writeln!(out, " function f{number}(Node v0, int(0..2) v1){result} {{").unwrap();
            body_text(body, &mut out);
        }
        let [node, sub] = self.table;
        writeln!(out, " virtual f {{ Node -> f{node}, Sub -> f{sub} }}").unwrap();
        for (number, body) in self.threads.iter().enumerate() {
            writeln!(out, " thread T{number}(Node v0, int(0..2) v1) {{").unwrap();
            body_text(body, &mut out);
        }
        out += " main thread MAIN() {\n  loc l0: do { s := new set<int(0..2)>; ";
        out += made;
        for (of, number) in &self.started {
            write!(out, "start T{of}(null, {number}); ").unwrap();
        }
        out + "} return;\n }\n}\n"
    }
}

fn body_text(body: &Body, out: &mut String) {
    *out += "  Node v2; int(0..2) v3; Error v4;\n";
    for (number, transformations) in body.locations.iter().enumerate() {
        writeln!(out, "  loc l{number}:").unwrap();
        for transformation in transformations {
            let statements: Vec<String> = transformation.body.iter().map(statement_text).collect();
            let (guard, exit) =
                (condition_text(&transformation.guard), exit_text(&transformation.exit));
            writeln!(out, "   when {guard} do {{ {} }} {exit};", statements.join(" ")).unwrap();
        }
    }
    for handler in &body.handlers {
        let at = handler.at.as_ref().map_or(String::new(), |at| {
            let names: Vec<String> = at.iter().map(|number| format!("l{number}")).collect();
            format!(" at {}", names.join(", "))
        });
        let of = error(handler.sub);
        writeln!(out, "  catch {of} v4{at} goto l{};", handler.target).unwrap();
    }
    *out += " }\n";
}

fn error(sub: bool) -> &'static str {
    if sub { "SubError" } else { "Error" }
}

fn number_text(number: &Number) -> String {
    match number {
        Number::Constant(value) => value.to_string(),
        Number::Variable(index) => format!("v{index}"),
        Number::Global => "g".into(),
        Number::Sum(a, b) => format!("({} + {}) % 3", number_text(a), number_text(b)),
    }
}

fn index_text(number: &Number) -> String {
    format!("({}) % 2", number_text(number))
}

fn node_text(node: Node) -> String {
    match node {
        Node::Null => "null".into(),
        Node::Variable(index) => format!("v{index}"),
        Node::Global => "r".into(),
        Node::New => "new Node".into(),
        Node::NewSub => "new Sub".into(),
    }
}

fn condition_text(condition: &Condition) -> String {
    match condition {
        Condition::True => "true".into(),
        Condition::Equal(number, value) => format!("{} == {value}", number_text(number)),
        Condition::IsNull(node) => format!("{} == null", node_text(*node)),
        Condition::IsSub(node) => format!("{} instanceof Sub", node_text(*node)),
        Condition::Contains(number) => format!("contains(s, {})", number_text(number)),
        Condition::InBag(number) => format!("b.has({})", number_text(number)),
    }
}

fn statement_text(statement: &Statement) -> String {
    use Statement::*;
    match statement {
        SetNumber(to, number) => format!("v{to} := {};", number_text(number)),
        SetGlobal(number) => format!("g := {};", number_text(number)),
        SetNode(to, node) => format!("v{to} := {};", node_text(*node)),
        SetRoot(node) => format!("r := {};", node_text(*node)),
        SetValue(of, number) => {
            format!("if v{of} != null {{ v{of}.n := {}; }}", number_text(number))
        }
        SetNext(of, node) => format!("if v{of} != null {{ v{of}.next := {}; }}", node_text(*node)),
        GetValue(to, of) => format!("if v{of} != null {{ v{to} := v{of}.n; }}"),
        GetNext(to, of) => format!("if v{of} != null {{ v{to} := v{of}.next; }}"),
        Choose(to) => format!("v{to} := choose(0..1);"),
        Assume(condition) => format!("assume {};", condition_text(condition)),
        ThrowIf(condition, sub) => {
            format!("if {} {{ throw new {}; }}", condition_text(condition), error(*sub))
        }
        Add(number) => format!("add(s, {});", number_text(number)),
        Remove(number) => format!("remove(s, {});", number_text(number)),
        Assert(condition) => format!("assert {};", condition_text(condition)),
        SetCell(row, column, number) => {
            format!("a[{}][{}] := {};", index_text(row), index_text(column), number_text(number))
        }
        GetCell(to, row, column) => {
            format!("v{to} := a[{}][{}];", index_text(row), index_text(column))
        }
        ShareRow(to, from) => format!("a[{}] := a[{}];", index_text(to), index_text(from)),
        NewRow(to) => format!("a[{}] := new int(0..2)[2];", index_text(to)),
        PutInBag(number) => format!("b.put({});", number_text(number)),
        TakeFromBag(to) => format!("v{to} := b.take();"),
        PutInTable(key, node) => {
            let (key, node) = (number_text(key), node_text(*node));
            format!("if {node} != null {{ put(t, {key}, {node}); }}")
        }
        GetFromTable(to, key) => {
            format!("if contains(t, {0}) {{ v{to} := get(t, {0}); }}", number_text(key))
        }
        RemoveFromTable(key) => format!("remove(t, {});", number_text(key)),
        AddNode(node) => {
            format!("if {0} != null {{ add(m, {0}); }}", node_text(*node))
        }
        PickNode(to) => format!("if size(m) > 0 {{ v{to} := pick(m); }}"),
        RemoveNode(node) => format!("remove(m, {});", node_text(*node)),
    }
}

fn exit_text(exit: &Exit) -> String {
    match exit {
        Exit::Goto(to) => format!("goto l{to}"),
        Exit::ReturnNothing => "return".into(),
        Exit::ReturnNumber(number) => format!("return {}", number_text(number)),
        Exit::ReturnNode(node) => format!("return {}", node_text(*node)),
        Exit::Throw(sub) => format!("throw new {}", error(*sub)),
        Exit::Invoke(to, callee, node, number, next) => {
            let to = to.map_or(String::new(), |to| format!("v{to} := "));
            let callee = match callee {
                Callee::Function(function) => format!("f{function}"),
                Callee::Virtual => "virtual f".into(),
            };
            let (node, number) = (node_text(*node), number_text(number));
            format!("{to}invoke {callee}({node}, {number}) goto l{next}")
        }
    }
}
