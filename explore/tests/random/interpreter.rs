//! A straightforward interpreter of the tests' programs: states as trees of plain values, every step a
//! list of copies, breadth-first, with nothing of the product's.

use super::program::*;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

/// Stacks that grow further are not compared.
const MOST_FRAMES: usize = 12;

/// Objects whose orders are all tried.
const MOST_OBJECTS: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Number(i32),
    Object(Option<usize>),
}

/// Which body: a thread's or a function's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    Main,
    Thread(usize),
    Function(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame {
    pub code: Code,
    pub location: usize,
    /// The transformation whose call is under way.
    pub calling: Option<usize>,
    pub values: Vec<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Node,
    Sub,
    Error,
    SubError,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object {
    pub kind: Kind,
    pub next: Option<usize>,
    pub number: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    pub threads: Vec<Vec<Frame>>,
    pub objects: Vec<Object>,
    pub global: i32,
    pub root: Option<usize>,
    pub numbers: Option<BTreeSet<i32>>,
    pub nodes: Option<BTreeSet<usize>>,
    pub bag: BTreeSet<i32>,
    pub table: BTreeMap<i32, usize>,
    /// Rows of an array of arrays, which may be one: numbers into `cells`.
    pub rows: Vec<usize>,
    pub cells: Vec<[i32; 2]>,
}

/// What a step is called: body, location, transformation.
pub type Label = (Code, usize, usize);

/// One step: who moves, by what, and the state after it; none if an assertion fails.
pub struct Step {
    pub thread: usize,
    pub label: Label,
    pub to: Option<State>,
}

/// How a body ended.
enum End {
    Done,
    Thrown(usize),
    /// An assertion does not hold.
    Failed,
}

impl State {
    pub fn start() -> State {
        let main = Frame { code: Code::Main, location: 0, calling: None, values: Vec::new() };
        State { threads: vec![vec![main]], ..State::default() }
    }

    fn top(&mut self, thread: usize) -> &mut Frame {
        self.threads[thread].last_mut().unwrap()
    }

    fn value(&self, thread: usize, index: usize) -> Value {
        self.threads[thread].last().unwrap().values[index]
    }

    fn set(&mut self, thread: usize, index: usize, value: Value) {
        self.top(thread).values[index] = value;
    }

    fn make(&mut self, kind: Kind) -> usize {
        self.objects.push(Object { kind, next: None, number: 0 });
        self.objects.len() - 1
    }

    fn number(&self, thread: usize, number: &Number) -> i32 {
        match number {
            Number::Constant(value) => *value,
            Number::Global => self.global,
            Number::Variable(index) => match self.value(thread, *index) {
                Value::Number(value) => value,
                other => panic!("{other:?} is not a number"),
            },
            Number::Sum(a, b) => (self.number(thread, a) + self.number(thread, b)) % 3,
        }
    }

    fn object(&self, thread: usize, index: usize) -> Option<usize> {
        match self.value(thread, index) {
            Value::Object(object) => object,
            other => panic!("{other:?} is not a reference"),
        }
    }

    fn node(&mut self, thread: usize, node: Node) -> Option<usize> {
        match node {
            Node::Null => None,
            Node::Global => self.root,
            Node::Variable(index) => self.object(thread, index),
            Node::New => Some(self.make(Kind::Node)),
            Node::NewSub => Some(self.make(Kind::Sub)),
        }
    }

    fn holds(&mut self, thread: usize, condition: &Condition) -> bool {
        match condition {
            Condition::True => true,
            Condition::Equal(number, value) => self.number(thread, number) == *value,
            Condition::IsNull(node) => self.node(thread, *node).is_none(),
            Condition::IsSub(node) => {
                let object = self.node(thread, *node);
                object.is_some_and(|object| self.objects[object].kind == Kind::Sub)
            }
            Condition::Contains(number) => {
                let number = self.number(thread, number);
                self.numbers.as_ref().is_some_and(|all| all.contains(&number))
            }
            Condition::InBag(number) => {
                let number = self.number(thread, number);
                self.bag.contains(&number)
            }
        }
    }

    fn index(&self, thread: usize, number: &Number) -> usize {
        self.number(thread, number) as usize % 2
    }

    /// All ways a statement can end; none if it blocks.
    fn run(mut self, thread: usize, statement: &Statement) -> Vec<(State, End)> {
        use Statement::*;
        match statement {
            SetNumber(to, number) => {
                let number = self.number(thread, number);
                self.set(thread, *to, Value::Number(number));
            }
            SetGlobal(number) => self.global = self.number(thread, number),
            SetNode(to, node) => {
                let node = self.node(thread, *node);
                self.set(thread, *to, Value::Object(node));
            }
            SetRoot(node) => self.root = self.node(thread, *node),
            SetValue(of, number) => {
                if let Some(object) = self.object(thread, *of) {
                    self.objects[object].number = self.number(thread, number);
                }
            }
            SetNext(of, node) => {
                if let Some(object) = self.object(thread, *of) {
                    self.objects[object].next = self.node(thread, *node);
                }
            }
            GetValue(to, of) => {
                if let Some(object) = self.object(thread, *of) {
                    let number = self.objects[object].number;
                    self.set(thread, *to, Value::Number(number));
                }
            }
            GetNext(to, of) => {
                if let Some(object) = self.object(thread, *of) {
                    let next = self.objects[object].next;
                    self.set(thread, *to, Value::Object(next));
                }
            }
            Choose(to) => {
                let chosen = |value| {
                    let mut state = self.clone();
                    state.set(thread, *to, Value::Number(value));
                    (state, End::Done)
                };
                return vec![chosen(0), chosen(1)];
            }
            Assume(condition) => {
                if !self.holds(thread, condition) {
                    return Vec::new();
                }
            }
            ThrowIf(condition, sub) => {
                if self.holds(thread, condition) {
                    let thrown = self.make(if *sub { Kind::SubError } else { Kind::Error });
                    return vec![(self, End::Thrown(thrown))];
                }
            }
            Add(number) => {
                let number = self.number(thread, number);
                self.numbers.as_mut().unwrap().insert(number);
            }
            Remove(number) => {
                let number = self.number(thread, number);
                self.numbers.as_mut().unwrap().remove(&number);
            }
            Assert(condition) => {
                if !self.holds(thread, condition) {
                    return vec![(self, End::Failed)];
                }
            }
            SetCell(row, column, number) => {
                let (row, column) = (self.index(thread, row), self.index(thread, column));
                self.cells[self.rows[row]][column] = self.number(thread, number);
            }
            GetCell(to, row, column) => {
                let (row, column) = (self.index(thread, row), self.index(thread, column));
                let number = self.cells[self.rows[row]][column];
                self.set(thread, *to, Value::Number(number));
            }
            ShareRow(to, from) => {
                let (to, from) = (self.index(thread, to), self.index(thread, from));
                self.rows[to] = self.rows[from];
            }
            NewRow(to) => {
                let to = self.index(thread, to);
                self.cells.push([0; 2]);
                self.rows[to] = self.cells.len() - 1;
            }
            PutInBag(number) => {
                let number = self.number(thread, number);
                self.bag.insert(number);
            }
            TakeFromBag(to) => {
                let taken = |&number: &i32| {
                    let mut state = self.clone();
                    state.bag.remove(&number);
                    state.set(thread, *to, Value::Number(number));
                    (state, End::Done)
                };
                return self.bag.iter().map(taken).collect();
            }
            PutInTable(key, node) => {
                if let Some(object) = self.node(thread, *node) {
                    self.table.insert(self.number(thread, key), object);
                }
            }
            GetFromTable(to, key) => {
                if let Some(&object) = self.table.get(&self.number(thread, key)) {
                    self.set(thread, *to, Value::Object(Some(object)));
                }
            }
            RemoveFromTable(key) => {
                self.table.remove(&self.number(thread, key));
            }
            PickNode(to) => {
                let nodes = self.nodes.as_ref().unwrap();
                let picked = |&node: &usize| {
                    let mut state = self.clone();
                    state.set(thread, *to, Value::Object(Some(node)));
                    (state, End::Done)
                };
                if !nodes.is_empty() {
                    return nodes.iter().map(picked).collect();
                }
            }
            RemoveNode(node) => {
                if let Some(object) = self.node(thread, *node) {
                    self.nodes.as_mut().unwrap().remove(&object);
                }
            }
            AddNode(node) => {
                if let Some(object) = self.node(thread, *node) {
                    self.nodes.as_mut().unwrap().insert(object);
                }
            }
        }
        vec![(self, End::Done)]
    }
}

impl Program {
    fn body(&self, code: Code) -> &Body {
        match code {
            Code::Thread(number) => &self.threads[number],
            Code::Function(number) => &self.functions[number],
            Code::Main => panic!("the main thread is run by itself"),
        }
    }

    fn frame(&self, code: Code, node: Option<usize>, number: i32) -> Frame {
        let values = vec![
            Value::Object(node),
            Value::Number(number),
            Value::Object(None),
            Value::Number(0),
            Value::Object(None),
        ];
        assert_eq!(values.len(), VARIABLES);
        Frame { code, location: 0, calling: None, values }
    }

    fn main_step(&self, mut state: State) -> State {
        state.threads.clear();
        state.numbers = Some(BTreeSet::new());
        state.nodes = (self.features.things == Things::NodeSet).then(BTreeSet::new);
        if self.features.things == Things::Grid {
            (state.rows, state.cells) = (vec![0, 1], vec![[0; 2]; 2]);
        }
        for &(of, number) in &self.started {
            state.threads.push(vec![self.frame(Code::Thread(of), None, number)]);
        }
        state
    }

    /// All steps out of a state, in the order of threads, text and choices; `None` if a stack grows too much.
    pub fn steps(&self, state: &State) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        for thread in 0..state.threads.len() {
            let frame = state.threads[thread].last().unwrap();
            let (code, location) = (frame.code, frame.location);
            if code == Code::Main {
                let to = Some(self.main_step(state.clone()));
                steps.push(Step { thread, label: (code, 0, 0), to });
                continue;
            }
            let transformations = &self.body(code).locations[location];
            for (number, transformation) in transformations.iter().enumerate() {
                if !state.clone().holds(thread, &transformation.guard) {
                    continue;
                }
                let mut ways = vec![(state.clone(), End::Done)];
                for statement in &transformation.body {
                    let go_on = |(state, end): (State, End)| match end {
                        End::Done => state.run(thread, statement),
                        End::Thrown(_) | End::Failed => vec![(state, end)],
                    };
                    ways = ways.into_iter().flat_map(go_on).collect();
                }
                for (mut next, end) in ways {
                    match end {
                        End::Done => self.leave(&mut next, thread, number, &transformation.exit),
                        End::Thrown(exception) => self.unwind(&mut next, thread, exception),
                        End::Failed => {
                            let label = (code, location, number);
                            steps.push(Step { thread, label, to: None });
                            continue;
                        }
                    }
                    if next.threads.iter().any(|frames| frames.len() > MOST_FRAMES) {
                        return None;
                    }
                    steps.push(Step { thread, label: (code, location, number), to: Some(next) });
                }
            }
        }
        Some(steps)
    }

    fn leave(&self, state: &mut State, thread: usize, number: usize, exit: &Exit) {
        match exit {
            Exit::Goto(to) => state.top(thread).location = *to,
            Exit::ReturnNothing => self.give_back(state, thread, None),
            Exit::ReturnNumber(value) => {
                let value = Value::Number(state.number(thread, value));
                self.give_back(state, thread, Some(value));
            }
            Exit::ReturnNode(node) => {
                let value = Value::Object(state.node(thread, *node));
                self.give_back(state, thread, Some(value));
            }
            Exit::Throw(sub) => {
                let thrown = state.make(if *sub { Kind::SubError } else { Kind::Error });
                self.unwind(state, thread, thrown);
            }
            Exit::Invoke(_, callee, node, value, _) => {
                let node = state.node(thread, *node);
                let value = state.number(thread, value);
                let function = match callee {
                    Callee::Function(function) => *function,
                    Callee::Virtual => {
                        let is_sub = state.objects[node.unwrap()].kind == Kind::Sub;
                        self.table[usize::from(is_sub)]
                    }
                };
                state.top(thread).calling = Some(number);
                state.threads[thread].push(self.frame(Code::Function(function), node, value));
            }
        }
    }

    fn give_back(&self, state: &mut State, thread: usize, value: Option<Value>) {
        state.threads[thread].pop();
        if state.threads[thread].is_empty() {
            state.threads.remove(thread);
            return;
        }
        let caller = state.top(thread);
        let transformations = &self.body(caller.code).locations[caller.location];
        let Exit::Invoke(to, _, _, _, next) = &transformations[caller.calling.unwrap()].exit else {
            panic!("a caller that does not call");
        };
        (caller.location, caller.calling) = (*next, None);
        if let (Some(to), Some(value)) = (to, value) {
            caller.values[*to] = value;
        }
    }

    fn unwind(&self, state: &mut State, thread: usize, exception: usize) {
        let is_sub = state.objects[exception].kind == Kind::SubError;
        loop {
            let frame = state.top(thread);
            let handlers = &self.body(frame.code).handlers;
            let fits = |handler: &&Handler| {
                (is_sub || !handler.sub)
                    && handler.at.as_ref().is_none_or(|at| at.contains(&frame.location))
            };
            if let Some(handler) = handlers.iter().find(fits) {
                (frame.location, frame.calling) = (handler.target, None);
                frame.values[EXCEPTION] = Value::Object(Some(exception));
                return;
            }
            state.threads[thread].pop();
        }
    }
}

/// The state with threads in an order and objects numbered as they are reached; garbage is gone.
/// Elements of a set of references are reached in the order that `objects` gives.
fn form(state: &State, threads: &[usize], objects: &[usize]) -> State {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut order = Vec::new();
    let mut queue: VecDeque<usize> = VecDeque::new();
    queue.extend(state.root);
    for &thread in threads {
        for value in state.threads[thread].iter().flat_map(|frame| &frame.values) {
            if let Value::Object(Some(object)) = value {
                queue.push_back(*object);
            }
        }
    }
    queue.extend(state.table.values());
    if let Some(nodes) = &state.nodes {
        let mut nodes: Vec<usize> = nodes.iter().copied().collect();
        nodes.sort_by_key(|node| objects.iter().position(|object| object == node));
        queue.extend(nodes);
    }
    while let Some(object) = queue.pop_front() {
        if let Entry::Vacant(entry) = numbers.entry(object) {
            entry.insert(order.len());
            order.push(object);
            queue.extend(state.objects[object].next);
        }
    }
    let moved = |object: Option<usize>| object.map(|object| numbers[&object]);
    let mut new = state.clone();
    new.root = moved(state.root);
    new.nodes = state.nodes.as_ref().map(|all| all.iter().map(|node| numbers[node]).collect());
    new.table = state.table.iter().map(|(&key, node)| (key, numbers[node])).collect();
    (new.rows, new.cells) = (Vec::new(), Vec::new());
    let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
    for row in &state.rows {
        let number = *rows.entry(*row).or_insert(new.cells.len());
        new.cells.resize(new.cells.len().max(number + 1), state.cells[*row]);
        new.rows.push(number);
    }
    new.threads = threads.iter().map(|&thread| state.threads[thread].clone()).collect();
    for value in new.threads.iter_mut().flatten().flat_map(|frame| &mut frame.values) {
        if let Value::Object(object) = value {
            *object = moved(*object);
        }
    }
    new.objects = order
        .iter()
        .map(|&object| {
            let old = &state.objects[object];
            Object { next: moved(old.next), ..old.clone() }
        })
        .collect();
    new
}

/// All orders of numbers below a bound.
pub fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for item in 0..count {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            (0..=order.len())
                .map(|at| {
                    let mut order = order.clone();
                    order.insert(at, item);
                    order
                })
                .collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Threads stay in order; sets of references must not occur.
pub fn plain_form(state: &State) -> State {
    form(state, &(0..state.threads.len()).collect::<Vec<_>>(), &[])
}

/// The least of the forms under all renamings of objects; threads stay in order.
pub fn fixed_form(state: &State) -> State {
    least(state, &[(0..state.threads.len()).collect()])
}

/// The least of the forms under all renamings of threads and objects.
pub fn least_form(state: &State) -> State {
    least(state, &orders(state.threads.len()))
}

/// Objects are renamed in all ways only where the order of set elements leaves them open.
fn least(state: &State, threads: &[Vec<usize>]) -> State {
    // without garbage there are fewer objects
    let state = &plain_form(state);
    let objects = match &state.nodes {
        Some(nodes) if nodes.len() > 1 => orders(state.objects.len()),
        _ => vec![Vec::new()],
    };
    let pairs = threads.iter().flat_map(|t| objects.iter().map(move |o| (t, o)));
    pairs.map(|(threads, objects)| form(state, threads, objects)).min().unwrap()
}

/// Counts as the product makes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub states: u64,
    pub edges: u64,
    pub deadlocks: u64,
    /// Steps of the shortest run that ends with a failed assertion.
    pub failure: Option<usize>,
    /// The same for runs that end where some thread has not returned.
    pub stuck: Option<usize>,
}

/// Explores breadth-first, states up to a form; `None` if there are too many or stacks grow too much.
pub fn count(program: &Program, most: usize, form: fn(&State) -> State) -> Option<Counts> {
    let mut all = vec![form(&State::start())];
    let mut known: HashMap<State, usize> = HashMap::from([(all[0].clone(), 0)]);
    let mut edges: HashSet<(usize, Label, usize)> = HashSet::new();
    let mut depth = vec![0];
    let (mut next, mut deadlocks, mut failure, mut stuck) = (0, 0, None, None);
    while next < all.len() {
        let steps = program.steps(&all[next])?;
        deadlocks += u64::from(steps.is_empty());
        if steps.is_empty() && !all[next].threads.is_empty() {
            stuck = stuck.or(Some(depth[next]));
        }
        for Step { label, to, .. } in steps {
            let Some(state) = to else {
                failure = failure.or(Some(depth[next] + 1));
                continue;
            };
            let tried = state.nodes.as_ref().is_some_and(|nodes| nodes.len() > 1);
            if tried && plain_form(&state).objects.len() > MOST_OBJECTS {
                return None;
            }
            let state = form(&state);
            let fresh = all.len();
            let to = *known.entry(state.clone()).or_insert(fresh);
            if to == fresh {
                all.push(state);
                depth.push(depth[next] + 1);
                if all.len() > most {
                    return None;
                }
            }
            edges.insert((next, label, to));
        }
        next += 1;
    }
    let (states, edges) = (all.len() as u64, edges.len() as u64);
    Some(Counts { states, edges, deadlocks, failure, stuck })
}
