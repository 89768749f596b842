//! Refinement by simulation, against the definition computed in the simplest way.

mod common;

use common::Random;
use pidlab_cover::parse::bp::{Environment, Refinement, refines};
use pidlab_cover::parse::{bp, lgfsm};
use pidlab_cover::{Net, Source};
use std::collections::BTreeSet;
use std::fmt::Write;

fn decide(program: &str, machine: &str, environment: Environment) -> Refinement {
    let machine = lgfsm::parse(machine).unwrap_or_else(|e| panic!("{e}"));
    refines(&Source::new("p.bp", program), &machine, environment).unwrap_or_else(|e| panic!("{e}"))
}

const TAKES: &str = "shared busy, in; error busy && in; thread { lock(busy); in := true; in := false; unlock(busy); }";

#[test]
fn a_machine_that_allows_more_is_refined() {
    // busy is bit 0, in is bit 1; the machine need not know that it is the thread that holds the lock
    let steps = "0 0 -> 1 1\n2 0 -> 3 1\n1 1 -> 3 2\n3 1 -> 3 2\n0 1 -> 2 2\n2 1 -> 2 2\n\
                 3 2 -> 1 3\n2 2 -> 0 3\n1 2 -> 1 3\n0 2 -> 0 3\n1 3 -> 0 4\n3 3 -> 2 4\n";
    let machine = format!("lgfsm 1\nshared 4\nlocal 5\ninit 0 0\n{steps}error 3\n");
    let found = decide(TAKES, &machine, Environment::Any);
    assert!(found.refines && found.counterexample.is_empty(), "{found:?}");
    let without = machine.replace("3 2 -> 1 3\n", "");
    let found = decide(TAKES, &without, Environment::Any);
    assert!(!found.refines);
    let last = found.counterexample.last().unwrap();
    assert_eq!((last.shared, last.shared_after, last.machine_after), (3, Some(1), None));
    assert_eq!((last.statement.as_str(), last.machine), ("in := false", 2));
    assert_eq!(last.shared_true, ["busy", "in"]);
    assert_eq!(found.counterexample.len(), 3, "{found:?}");
}

/// Where others are threads of the machine, it need not follow what they never lead to.
#[test]
fn others_may_be_threads_of_the_machine() {
    let machine = "lgfsm 1\nshared 4\nlocal 5\ninit 0 0\n0 0 -> 1 1\n1 1 -> 3 2\n3 2 -> 1 3\n1 3 -> 0 4\nerror 2\n";
    assert!(!decide(TAKES, machine, Environment::Any).refines);
    assert!(decide(TAKES, machine, Environment::Threads).refines);
}

#[test]
fn failed_assertions_must_be_errors_of_the_machine() {
    let program = "shared x; thread { assert(!x); x := true; }";
    let with = |steps: &str| {
        let machine = format!(
            "lgfsm 1\nshared 3\nlocal 3\ninit 0 0\n0 1 -> 1 2\n1 1 -> 1 2\n0 0 -> 0 1\n{steps}error 2\n"
        );
        decide(program, &machine, Environment::Any)
    };
    assert!(with("1 0 -> 2 0\n").refines);
    let found = with("");
    assert!(!found.refines);
    assert_eq!(found.counterexample.last().unwrap().shared_after, None);
}

/// An error with a local state is that of the thread that gets there; where others are a step does not tell.
#[test]
fn errors_of_a_machine_may_name_a_local_state() {
    let program = "shared x; thread { assert(!x); x := true; }";
    let with = |error: &str| {
        let machine = format!(
            "lgfsm 1\nshared 2\nlocal 3\ninit 0 0\n0 1 -> 1 2\n1 1 -> 1 2\n0 0 -> 0 1\n1 0 -> 0 1\n1 0 -> 1 1\nerror {error}\n"
        );
        decide(program, &machine, Environment::Any).refines
    };
    assert!(with("0|1") && with("1|1") && with("1"));
    assert!(!with("0|0") && !with("1|2"));
    assert!(!with("0|1,1") && !with("0|1,2"));
}

/// What is bad does not belong to the question.
#[test]
fn a_machine_needs_no_target() {
    let text = "lgfsm 1\nshared 2\nlocal 1\ninit 0 0\n0 0 -> 1 0\n1 0 -> 0 0\n";
    let machine = lgfsm::read_machine(&Source::new("m.lgfsm", text)).unwrap();
    let program = Source::new("p.bp", "decl x := 0; void main() begin l: x := !x; goto l; end");
    assert!(refines(&program, &machine, Environment::Any).unwrap().refines);
    assert!(lgfsm::parse(text).unwrap_err().to_string().contains("error s"));
}

#[test]
fn what_does_not_fit_is_refused() {
    let machine = lgfsm::parse("lgfsm 1\nshared 2\nlocal 2\ninit 1 0\nerror 1\n").unwrap();
    let fails = |program: &str, machine: &Net, words: &str| {
        let error = refines(&Source::new("p.bp", program), machine, Environment::Any).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    fails(
        "shared x; error x; thread { skip; }",
        &machine,
        "starts in shared state 1 alone and the program can start in 0 (",
    );
    let open = "decl x; void main() begin skip; end";
    fails(open, &machine, "can start in 0, as `x` can have either value at first");
    fails(
        "shared x; error x; thread a[1] { skip; } thread b[1] { skip; }",
        &machine,
        "several types",
    );
    fails("void main() begin start_thread goto l; l: skip; end", &machine, "single threads");
    fails("shared x", &machine, "expected `;`");
    let spawns =
        lgfsm::parse("lgfsm 1\nshared 2\nlocal 2\ninit 0 0\n0 0 +> 1 1\nerror 1\n").unwrap();
    fails("shared x; error x; thread { skip; }", &spawns, "spawns");
}

/// Flat programs over two shared variables: every line is a step, so that their machine can be written down.
struct Line {
    variable: u32,
    value: bool,
    wait: Option<(u32, bool)>,
}

#[test]
fn random_refinements_agree_with_the_definition() {
    let mut random = Random(31);
    let (mut yes, mut no) = (0, 0);
    for round in 0..800 {
        let lines: Vec<Line> = (0..1 + random.below(3))
            .map(|_| Line {
                variable: random.below(2),
                value: random.below(2) == 0,
                wait: (random.below(2) == 0).then(|| (random.below(2), random.below(2) == 0)),
            })
            .collect();
        let mut text = String::from("shared v0, v1; error v0 && v1; thread { while (true) {");
        for line in &lines {
            let value = |b: bool| if b { "" } else { "!" };
            let guard = line.wait.map(|(v, b)| format!("assume({}v{v}); ", value(b)));
            let _ = write!(
                text,
                " atomic {{ {}v{} := {}; }}",
                guard.unwrap_or_default(),
                line.variable,
                line.value
            );
        }
        text.push_str(" } }");
        let program = program_steps(&lines);
        // a random machine, often that of the program itself with something missing or added
        let locals = lines.len() as u32 + random.below(2);
        let mut machine: BTreeSet<[u32; 4]> = program.clone();
        for _ in 0..random.below(3) {
            let at = random.below(machine.len().max(1) as u32) as usize;
            let gone = machine.iter().nth(at).copied();
            gone.map(|step| machine.remove(&step));
        }
        for _ in 0..random.below(6) {
            machine.insert([
                random.below(4),
                random.below(locals),
                random.below(4),
                random.below(locals),
            ]);
        }
        let mut file = format!("lgfsm 1\nshared 4\nlocal {locals}\ninit 0 0\n");
        for [s, l, s2, l2] in &machine {
            let _ = writeln!(file, "{s} {l} -> {s2} {l2}");
        }
        let file = file + "error 3\n";
        let expected = simulates(&program, lines.len() as u32, &machine, locals);
        let found = decide(&text, &file, Environment::Any);
        assert_eq!(found.refines, expected, "{round}: {text}\n{file}\n{found:?}");
        assert_eq!(found.counterexample.is_empty(), expected);
        (yes, no) = if expected { (yes + 1, no) } else { (yes, no + 1) };
    }
    assert!(yes > 50 && no > 50, "{yes} refine, {no} do not");
    bp::parse("shared a; error a; thread { skip; }").unwrap();
}

fn program_steps(lines: &[Line]) -> BTreeSet<[u32; 4]> {
    let mut steps = BTreeSet::new();
    for (at, line) in lines.iter().enumerate() {
        for g in 0..4u32 {
            if line.wait.is_none_or(|(v, b)| (g >> v & 1 == 1) == b) {
                let after = g & !(1 << line.variable) | u32::from(line.value) << line.variable;
                let next = (at + 1) % lines.len();
                steps.insert([g, at as u32, after, next as u32]);
            }
        }
    }
    steps
}

/// The greatest simulation, by removing pairs until none fails.
fn simulates(program: &BTreeSet<[u32; 4]>, n: u32, machine: &BTreeSet<[u32; 4]>, m: u32) -> bool {
    let mut related: BTreeSet<(u32, u32)> =
        (0..n).flat_map(|b| (0..m).map(move |f| (b, f))).collect();
    loop {
        let holds = |&(b, f): &(u32, u32)| {
            program.iter().filter(|step| step[1] == b).all(|&[g, _, g2, b2]| {
                let stays = g == g2 && related.contains(&(b2, f));
                let follows = |step: &[u32; 4]| {
                    step[0] == g
                        && step[1] == f
                        && step[2] == g2
                        && related.contains(&(b2, step[3]))
                };
                stays || machine.iter().any(follows)
            })
        };
        let kept: BTreeSet<(u32, u32)> = related.iter().copied().filter(holds).collect();
        if kept.len() == related.len() {
            return related.contains(&(0, 0));
        }
        related = kept;
    }
}
