//! Random programs with functions, and their text: a syntax tree of the tests' own.
//!
//! Every body has the same variables, so that a variable's number says its type: v0 and v2 are nodes,
//! v1 and v3 numbers from 0 to 2, v4 an exception. Programs do nothing wrong: fields are behind a test
//! for null, numbers stay in range, every thread catches all exceptions, and functions call later
//! ones or themselves with a smaller number.

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
    AddNode(Node),
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
    /// A set of references takes part.
    pub node_set: bool,
}

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

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

    fn condition(&mut self) -> Condition {
        match self.below(10) {
            0 => Condition::IsNull(self.old_node()),
            1 => Condition::IsSub(self.old_node()),
            2 => Condition::Contains(self.number()),
            3..=7 => Condition::True,
            _ => Condition::Equal(self.number(), self.below(3) as i32),
        }
    }

    fn statement(&mut self, node_set: bool) -> Statement {
        use Statement::*;
        match self.below(if node_set { 17 } else { 15 }) {
            0 | 1 => SetNumber(self.pick(&NUMBERS), self.number()),
            2 => SetGlobal(self.number()),
            3 | 4 => SetNode(self.pick(&NODES), self.node()),
            5 => SetRoot(self.node()),
            6 => SetValue(self.pick(&NODES), self.number()),
            7 => SetNext(self.pick(&NODES), self.node()),
            8 => GetValue(self.pick(&NUMBERS), self.pick(&NODES)),
            9 => GetNext(self.pick(&NODES), self.pick(&NODES)),
            10 => Choose(self.pick(&NUMBERS)),
            11 => Assume(self.condition()),
            12 => ThrowIf(self.condition(), self.below(2) == 0),
            13 => Add(self.number()),
            14 => Remove(self.number()),
            _ => AddNode(self.old_node()),
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
        node_set: bool,
    ) -> Body {
        let count = 2 + self.below(3);
        let mut locations = Vec::new();
        for _ in 0..count {
            let mut transformations = Vec::new();
            for _ in 0..1 + self.below(2) {
                let body = (0..1 + self.below(2)).map(|_| self.statement(node_set)).collect();
                let exit = self.exit(own, results, table, count);
                let guard = self.condition();
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

    pub fn program(&mut self, node_set: bool) -> Program {
        let kinds = [Result::Nothing, Result::Number, Result::Node];
        let shared = kinds[self.below(3)];
        // the last two are the functions of the table
        let results = [kinds[self.below(3)], shared, shared];
        let table = [1, 2];
        let functions = (0..3).map(|own| self.body(Some(own), &results, table, node_set)).collect();
        let threads = (0..2).map(|_| self.body(None, &results, table, node_set)).collect();
        let started =
            (0..2 + self.below(2)).map(|_| (self.below(2), self.below(2) as i32)).collect();
        Program { functions, threads, started, table, node_set }
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
        if self.node_set {
            out += " set<Node> m;\n";
        }
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
        if self.node_set {
            out += "m := new set<Node>; ";
        }
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
        AddNode(node) => {
            format!("if {0} != null {{ add(m, {0}); }}", node_text(*node))
        }
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
