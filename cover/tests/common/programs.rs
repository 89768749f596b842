//! Programs made for tests: chains of buckets as in Rockall, copies of a library, random flat programs.

use super::Random;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What a simple search found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Safe,
    Unsafe,
    /// Too large for it.
    Open,
}

/// `count` buckets, each the parent of the one before, with one chunk of memory that the last one holds in
/// the beginning; two buckets are Rockall. `padding` local variables have nothing to do with it.
pub fn chain(count: usize, padding: usize) -> String {
    let mut text =
        String::from("shared newpage_lock, find_lock, safe0, safe1;\nerror safe0 && safe1;\n");
    for k in 0..count {
        let _ = writeln!(text, "shared lock{k}, allocated{k}, subdivided{k};");
        let _ = writeln!(text, "shared available{k} = true, find{k} = true;");
    }
    text.push_str(
        "proc Update(allocation) { atomic { if (allocation) { if (safe0) { safe1 := true; } \
         else if (safe1) { safe1 := false; } else { safe0 := true; } } else { if (safe1) { safe0 := true; } \
         else if (safe0) { safe0 := false; } else { safe1 := true; } } } }\n",
    );
    for k in 0..count {
        text.push_str(&bucket(k, k + 1 == count));
    }
    let pads = (0..padding).map(|i| format!(", pad{i}")).collect::<String>();
    let _ = writeln!(text, "thread {{ local done, here{pads}; while (true) {{");
    for i in 0..padding {
        let _ = writeln!(text, "pad{i} := *;");
    }
    text.push_str("choose { lock(find_lock); ");
    for k in (1..count).rev() {
        let _ = write!(
            text,
            "here := find{k}; if (here) {{ unlock(find_lock); done := Delete{k}(); }} else {{ "
        );
    }
    text.push_str("unlock(find_lock); done := Delete0(); ");
    text.push_str(&"} ".repeat(count - 1));
    for k in 0..count {
        let _ = write!(text, "}} or {{ done := New{k}(); ");
    }
    text.push_str("}\n");
    for i in 0..padding {
        let other = (i + 1) % padding;
        let _ = writeln!(text, "if (pad{i}) {{ pad{other} := !pad{other}; }}");
    }
    text + "} }\n"
}

fn bucket(k: usize, top: bool) -> String {
    let parent = k + 1;
    let own = match top {
        true => "mine := true;".to_string(),
        false => format!(
            "lock(newpage_lock); mine := !available{parent}; unlock(newpage_lock); \
             if (!mine) {{ mine := Fetch{parent}(); }}"
        ),
    };
    let give = if top { String::new() } else { format!("if (*) {{ Give{parent}(); }}") };
    format!(
        "proc New{k}() {{ local mine, ok; lock(lock{k}); {own} if (mine) {{ if (!allocated{k}) {{ \
         allocated{k} := true; Update(true); ok := true; }} }} unlock(lock{k}); return ok; }}\n\
         proc Delete{k}() {{ local ok; lock(lock{k}); if (allocated{k}) {{ if (!subdivided{k}) {{ \
         allocated{k} := false; Update(false); ok := true; {give} }} }} unlock(lock{k}); return ok; }}\n\
         proc Fetch{k}() {{ local ok, mine; lock(lock{k}); {own} if (mine) {{ if (!allocated{k}) {{ \
         allocated{k} := true; subdivided{k} := true; lock(newpage_lock); lock(find_lock); \
         available{k} := false; find{k} := false; unlock(find_lock); unlock(newpage_lock); \
         ok := true; }} }} unlock(lock{k}); return ok; }}\n\
         proc Give{k}() {{ lock(lock{k}); lock(newpage_lock); lock(find_lock); find{k} := true; \
         available{k} := true; unlock(find_lock); unlock(newpage_lock); subdivided{k} := false; \
         allocated{k} := false; {give} unlock(lock{k}); }}\n"
    )
}

/// A program beside itself: variables and procedures are renamed, and threads choose which to use.
pub fn copies(text: &str, count: usize) -> String {
    let (head, thread) = text.split_once("thread {").expect("a thread");
    let (locals, body) = thread.split_once("while (true) {").expect("a loop");
    let body = body.trim_end().strip_suffix('}').and_then(|b| b.trim_end().strip_suffix('}'));
    let body = body.expect("two braces");
    let (mut heads, mut bodies) = (String::new(), Vec::new());
    for copy in 0..count {
        heads.push_str(&renamed(head, copy));
        bodies.push(format!("{{ {} }}", renamed(body, copy)));
    }
    let locals = locals.replace("local ", "");
    let names: Vec<&str> = locals.trim().trim_end_matches(';').split(", ").collect();
    let all = (0..count).flat_map(|copy| names.iter().map(move |n| format!("{n}_{copy}")));
    let all = all.collect::<Vec<_>>().join(", ");
    format!("{heads}thread {{ local {all}; while (true) {{ choose {} }} }}\n", bodies.join(" or "))
}

/// Every word that is not a keyword gets a number.
fn renamed(text: &str, copy: usize) -> String {
    const KEYWORDS: [&str; 20] = [
        "shared", "local", "proc", "thread", "error", "if", "else", "while", "choose", "or",
        "atomic", "lock", "unlock", "assert", "assume", "return", "skip", "true", "false", "init",
    ];
    let mut result = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        result.push_str(&word);
        if !word.is_empty() && !KEYWORDS.contains(&word.as_str()) {
            let _ = write!(result, "_{copy}");
        }
        word.clear();
        result.push(c);
    }
    result
}

/// A program of numbered statements, and what they mean taken literally.
pub struct Flat {
    shared: u32,
    local: u32,
    lines: Vec<Line>,
    any_number: bool,
}

#[derive(Clone)]
enum Line {
    /// Variable, value; the constraint asks a variable to have a value afterwards.
    Assign(Vec<(u32, Value)>, Option<(u32, bool)>),
    /// Jump if a variable (or `*`) has a value.
    If(Option<u32>, bool, usize),
    Goto(Vec<usize>),
    Assume(u32, bool),
    Assert(u32, u32),
    Start(usize),
    End,
    AtomicBegin,
    AtomicEnd,
    Sync,
}

#[derive(Clone, Copy)]
enum Value {
    Any,
    Not(u32),
    Of(u32),
    Constant(bool),
    /// `schoose[a, b]`
    Choose(u32, u32),
}

/// A thread: where it is, its variables after the shared ones.
type Thread = (usize, u32);
/// Values of the shared variables, the threads in order, and which of them is in an atomic section.
type State = (u32, Vec<Thread>, Option<Thread>);

impl Flat {
    pub fn random(random: &mut Random) -> Flat {
        let (shared, local) = (1 + random.below(3), 1 + random.below(2));
        let count = 4 + random.below(8) as usize;
        let variables = shared + local;
        let mut lines = Vec::new();
        for _ in 0..count {
            let line = random_line(random, variables, count);
            let wrapped =
                random.below(6) == 0 && matches!(line, Line::Assign(..) | Line::Assume(..));
            lines.extend(wrapped.then_some(Line::AtomicBegin));
            lines.push(line);
            lines.extend(wrapped.then_some(Line::AtomicEnd));
        }
        // jumps lead to lines outside of atomic sections
        let safe: Vec<usize> = (0..lines.len())
            .filter(|&i| i == 0 || !matches!(lines[i - 1], Line::AtomicBegin))
            .filter(|&i| !matches!(lines[i], Line::AtomicEnd))
            .collect();
        let place = |target: &mut usize| *target = safe[*target % safe.len()];
        for line in &mut lines {
            match line {
                Line::If(_, _, target) | Line::Start(target) => place(target),
                Line::Goto(targets) => targets.iter_mut().for_each(place),
                _ => {}
            }
        }
        Flat { shared, local, lines, any_number: random.below(2) == 0 }
    }

    fn name(&self, v: u32) -> String {
        if v < self.shared { format!("s{v}") } else { format!("l{}", v - self.shared) }
    }

    pub fn text(&self) -> String {
        let names = |from: u32, to: u32, init: &str| {
            let all = (from..to).map(|v| format!("{}{init}", self.name(v)));
            all.collect::<Vec<_>>().join(", ")
        };
        let variables = self.shared + self.local;
        let mut text = format!("decl {};\n", names(0, self.shared, " := 0"));
        if self.any_number {
            text.push_str("thread main[*];\n");
        }
        let _ = writeln!(text, "void main() begin decl {};", names(self.shared, variables, ""));
        for (i, line) in self.lines.iter().enumerate() {
            let _ = writeln!(text, "L{i}: {};", self.line(line));
        }
        text + "end\n"
    }

    fn line(&self, line: &Line) -> String {
        let literal =
            |v: &u32, value: bool| format!("{}{}", if value { "" } else { "!" }, self.name(*v));
        match line {
            Line::Assign(pairs, constrain) => {
                let names = pairs.iter().map(|(v, _)| self.name(*v)).collect::<Vec<_>>().join(", ");
                let values = pairs.iter().map(|(_, value)| self.value(value)).collect::<Vec<_>>();
                let constrain = constrain.map(|(v, value)| {
                    format!(" constrain {}'{}", if value { "" } else { "!" }, self.name(v))
                });
                format!("{names} := {}{}", values.join(", "), constrain.unwrap_or_default())
            }
            Line::If(None, _, target) => format!("if * then goto L{target}; fi"),
            Line::If(Some(v), value, target) => {
                format!("if {} then goto L{target}; fi", literal(v, *value))
            }
            Line::Goto(targets) => {
                let labels = targets.iter().map(|t| format!("L{t}")).collect::<Vec<_>>();
                format!("goto {}", labels.join(", "))
            }
            Line::Assume(v, value) => format!("assume({})", literal(v, *value)),
            Line::Assert(a, b) => format!("assert({} | !{})", self.name(*a), self.name(*b)),
            Line::Start(target) => format!("start_thread goto L{target}"),
            Line::End => "end_thread".into(),
            Line::AtomicBegin => "atomic_begin".into(),
            Line::AtomicEnd => "atomic_end".into(),
            Line::Sync => "sync meeting".into(),
        }
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Any => "*".into(),
            Value::Not(v) => format!("!{}", self.name(*v)),
            Value::Of(v) => self.name(*v),
            Value::Constant(value) => u32::from(*value).to_string(),
            Value::Choose(a, b) => format!("schoose[{}, {}]", self.name(*a), self.name(*b)),
        }
    }

    /// What a search with at most three threads finds.
    pub fn known(&self) -> Known {
        let mut complete = !self.any_number;
        let mut seen: BTreeSet<State> = BTreeSet::new();
        for threads in 1..=if self.any_number { 3 } else { 1 } {
            let mut starts = vec![(0, vec![], None)];
            for _ in 0..threads {
                let locals = 0..1u32 << self.local;
                let with = |(s, t, h): &State| {
                    let each =
                        locals.clone().map(|l| (*s, sorted(t, &[(0, l << self.shared)]), *h));
                    each.collect::<Vec<State>>()
                };
                starts = starts.iter().flat_map(with).collect();
            }
            seen.extend(starts);
        }
        let mut open: Vec<State> = seen.iter().cloned().collect();
        while let Some(state) = open.pop() {
            for next in self.successors(&state) {
                let Some(next) = next else { return Known::Unsafe };
                if next.1.len() > 3 || seen.len() > 20_000 {
                    complete = false;
                } else if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        if complete { Known::Safe } else { Known::Open }
    }

    /// All next states; `None` is a failed assertion.
    fn successors(&self, (shared, threads, holder): &State) -> Vec<Option<State>> {
        let mut found = Vec::new();
        for (i, &thread) in threads.iter().enumerate() {
            if holder.is_some_and(|h| h != thread) || thread.0 >= self.lines.len() {
                continue;
            }
            let mut rest = threads.clone();
            rest.remove(i);
            self.step(*shared, thread, &rest, holder.is_some(), &mut found);
        }
        found
    }

    fn step(
        &self,
        shared: u32,
        (at, locals): Thread,
        rest: &[Thread],
        held: bool,
        found: &mut Vec<Option<State>>,
    ) {
        let values = shared | locals;
        let get = |v: u32| values >> v & 1 == 1;
        let mask = (1u32 << self.shared) - 1;
        let mut go = |values: u32, at: usize, more: &[Thread], held: bool| {
            let thread = (at, values & !mask);
            let all = sorted(rest, &[&[thread], more].concat());
            found.push(Some((values & mask, all, held.then_some(thread))));
        };
        match &self.lines[at] {
            Line::Assign(pairs, constrain) => {
                let mut results = vec![values];
                for (v, value) in pairs {
                    let options: &[bool] = match value {
                        Value::Any => &[false, true],
                        Value::Not(w) => {
                            if get(*w) {
                                &[false]
                            } else {
                                &[true]
                            }
                        }
                        Value::Of(w) => {
                            if get(*w) {
                                &[true]
                            } else {
                                &[false]
                            }
                        }
                        Value::Constant(c) => {
                            if *c {
                                &[true]
                            } else {
                                &[false]
                            }
                        }
                        Value::Choose(a, _) if get(*a) => &[true],
                        Value::Choose(_, b) if get(*b) => &[false],
                        Value::Choose(..) => &[false, true],
                    };
                    let set = |r: u32, b: bool| r & !(1 << v) | u32::from(b) << v;
                    results = results
                        .iter()
                        .flat_map(|&r| options.iter().map(move |&b| set(r, b)))
                        .collect();
                }
                let allowed =
                    |r: &u32| constrain.is_none_or(|(v, value)| (r >> v & 1 == 1) == value);
                results.into_iter().filter(allowed).for_each(|r| go(r, at + 1, &[], held));
            }
            Line::If(v, value, target) => {
                if v.is_none_or(|v| get(v) == *value) {
                    go(values, *target, &[], held);
                }
                if v.is_none_or(|v| get(v) != *value) {
                    go(values, at + 1, &[], held);
                }
            }
            Line::Goto(targets) => targets.iter().for_each(|&t| go(values, t, &[], held)),
            Line::Assume(v, value) => {
                if get(*v) == *value {
                    go(values, at + 1, &[], held);
                }
            }
            Line::Assert(a, b) => match get(*a) || !get(*b) {
                true => go(values, at + 1, &[], held),
                false => found.push(None),
            },
            Line::Start(target) => go(values, at + 1, &[(*target, locals)], held),
            Line::End => go(values, self.lines.len(), &[], held),
            Line::AtomicBegin => go(values, at + 1, &[], true),
            Line::AtomicEnd => go(values, at + 1, &[], false),
            Line::Sync => {
                for (i, other) in rest.iter().enumerate() {
                    if matches!(self.lines.get(other.0), Some(Line::Sync)) {
                        let mut left = rest.to_vec();
                        left.remove(i);
                        let both = [(at + 1, locals), (other.0 + 1, other.1)];
                        found.push(Some((shared, sorted(&left, &both), None)));
                    }
                }
            }
        }
    }
}

fn sorted(threads: &[Thread], more: &[Thread]) -> Vec<Thread> {
    let mut all = [threads, more].concat();
    all.sort_unstable();
    all
}

fn random_line(random: &mut Random, variables: u32, count: usize) -> Line {
    let target = random.below(3 * count as u32) as usize;
    let v = random.below(variables);
    let value = random.below(2) == 0;
    match random.below(14) {
        0..=4 => {
            let mut assigned: Vec<u32> = vec![v];
            let other = random.below(variables);
            if random.below(3) == 0 && other != v {
                assigned.push(other);
            }
            let pairs = assigned.into_iter().map(|v| (v, random_value(random, variables)));
            let pairs = pairs.collect::<Vec<_>>();
            let constrain = (random.below(4) == 0).then(|| (random.below(variables), value));
            Line::Assign(pairs, constrain)
        }
        5 => Line::If(None, true, target),
        6 => Line::If(Some(v), value, target),
        7 => Line::Goto(vec![target, target + 1 + v as usize]),
        8 => Line::Assume(v, value),
        9 | 10 => Line::Assert(v, random.below(variables)),
        11 => Line::Start(target),
        12 if random.below(3) == 0 => Line::End,
        12 => Line::Sync,
        _ => Line::Assume(v, value),
    }
}

fn random_value(random: &mut Random, variables: u32) -> Value {
    let v = random.below(variables);
    match random.below(6) {
        0 => Value::Any,
        1 => Value::Not(v),
        2 => Value::Of(v),
        3 => Value::Choose(v, random.below(variables)),
        _ => Value::Constant(random.below(2) == 0),
    }
}
