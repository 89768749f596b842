//! Texts that are long or deep: chains of operators of any length work, true nesting has a bound and a
//! message, and no text exhausts the stack. Everything runs on a stack far smaller than usual.

use pidlab_explore::heap;
use pidlab_explore::net::{self, NetOptions};
use pidlab_explore::search::Options;
use pidlab_explore::source::Source;

const SMALL_STACK: usize = 1 << 20;
const TERMS: usize = 100_000;

/// Runs on a small stack; what overflows it ends the whole test program.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(SMALL_STACK);
    thread.spawn(work).expect("a thread starts").join().expect("the thread ends well");
}

fn chain(term: &str, operator: &str) -> String {
    format!("{term}{}", format!(" {operator} {term}").repeat(TERMS - 1))
}

/// States of a program, or what is wrong with it.
fn run_program(text: &str) -> Result<u64, String> {
    let source = Source::new("long.bir", text);
    let program = heap::compile(&source, &[]).map_err(|error| error.message.clone())?;
    let options = heap::HeapOptions { trace: true, ..Default::default() };
    let found = heap::explore(program, &options).map_err(|failure| failure.to_string())?;
    match found.fault {
        Some((_, text)) => Err(text),
        None => Ok(found.report.counters.states),
    }
}

fn with_body(body: &str) -> String {
    let declared = "top record Node { Node next; int value; Node[] all; }";
    let locals = "Node n; int x; boolean b; int[] a;";
    format!(
        "system s {{ {declared} main thread M() {{ {locals} loc l: do {{ n := new Node; n.next := n; a := new int[1]; {body} }} return; }} }}"
    )
}

#[test]
fn chains_of_a_program_have_any_length() {
    let bodies = [
        format!("x := {};", chain("1", "+")),
        format!("x := {};", chain("x", "-")),
        format!("x := {};", chain("1", "*")),
        format!("b := {};", chain("true", "&&")),
        format!("b := {};", chain("x == 1", "||")),
        format!("b := 0 == 0{};", " == true".repeat(TERMS)),
        format!("n := n{};", ".next".repeat(TERMS)),
        format!("n{}.value := 3;", ".next".repeat(TERMS)),
        format!("n := n{};", " as Node".repeat(TERMS)),
        format!("b := {};", chain("n instanceof Node", "&&")),
        format!("x := {};", chain("a[0]", "+")),
    ];
    on_small_stack(move || {
        for body in bodies {
            assert_eq!(run_program(&with_body(&body)), Ok(2), "{}", &body[..40]);
        }
    });
}

#[test]
fn constants_of_a_program_are_chains_too() {
    let text =
        format!("system s {{ const k = {}; {}", chain("1", "+"), &with_body("x := k;")[11..]);
    on_small_stack(move || assert_eq!(run_program(&text), Ok(2)));
}

#[test]
fn what_is_wrong_far_down_a_chain_is_said() {
    on_small_stack(|| {
        let error = run_program(&with_body(&format!("x := {} + true;", chain("1", "+"))));
        assert!(
            error.as_ref().is_err_and(|e| e.contains("expected a value of type int")),
            "{error:?}"
        );
        let null =
            run_program(&with_body(&format!("n.next := null; n := n{};", ".next".repeat(TERMS))));
        assert!(null.as_ref().is_err_and(|e| e.contains("null dereference")), "{null:?}");
    });
}

#[test]
fn nesting_of_a_program_has_a_bound() {
    let texts = [
        with_body(&format!("x := {}1{};", "(".repeat(TERMS), ")".repeat(TERMS))),
        with_body(&format!("b := {}true;", "!".repeat(TERMS))),
        with_body(&format!("int{} t;", "[]".repeat(TERMS))),
        with_body(&format!("{}boolean{} t;", "set<".repeat(TERMS), ">".repeat(TERMS))),
        with_body(&format!("x := {}0{};", "a[".repeat(TERMS), "]".repeat(TERMS))),
        with_body(&format!("if b {{ }} {}", "else if b { } ".repeat(TERMS))),
    ];
    on_small_stack(move || {
        for text in texts {
            let error = run_program(&text).unwrap_err();
            assert!(error.contains("nested more than 128 levels deep"), "{error}");
        }
    });
    // the deepest that is allowed
    let deep = with_body(&format!("int{} t;", "[]".repeat(128)));
    assert_eq!(run_program(&deep), Ok(2));
}

/// States of a net, or what is wrong with it.
fn run_net(text: &str) -> Result<u64, String> {
    let net = net::compile(Source::new("long.tnet", text), &[], &[])
        .map_err(|e| e.0[0].message.clone())?;
    let relations = net.used_relations();
    let settings = NetOptions { relations, canon: true, force: false, options: Options::default() };
    let found = net::explore(&net, &settings).map_err(|error| error.to_string())?;
    Ok(found.report.counters.states)
}

fn with_guard(guard: &str) -> String {
    format!(
        "net n place p(pid, int) place q(pid) init p(@1, 1) transition t {{ take p(x, i) guard {guard} put q(x) }}"
    )
}

#[test]
fn chains_of_a_net_have_any_length() {
    let guards = [
        format!("{} > 0", chain("i", "+")),
        format!("{} < 0", chain("i", "-")),
        format!("{} == 1", chain("i", "*")),
        chain("i == 1", "and"),
        chain("i == 1", "or"),
        format!("({}) and ({})", chain("i == 1", "or"), chain("x == x", "and")),
        format!("{}i == 1", "not not ".repeat(TERMS)),
    ];
    on_small_stack(move || {
        for guard in guards {
            assert_eq!(run_net(&with_guard(&guard)), Ok(2), "{}", &guard[..40]);
        }
        let constant = format!("net n const k = {} place p(int) init p(k)", chain("1", "+"));
        assert_eq!(run_net(&constant), Ok(1));
    });
}

#[test]
fn nesting_of_a_net_has_a_bound() {
    on_small_stack(|| {
        for (text, message) in [
            (with_guard(&format!("{}i{} == 1", "(".repeat(TERMS), ")".repeat(TERMS))), "nested"),
            (with_guard(&format!("{}i == 1", "- ".repeat(TERMS))), "nested"),
            (with_guard(&format!("{}true", "if true then true else ".repeat(TERMS))), "nested"),
            (format!("net n place p() init p(){}", " for i in 1..1".repeat(TERMS)), "loops"),
            (
                format!("net n place p() transition t {{ take {} }}", chain("p()", ",")),
                "1000 tokens",
            ),
            (format!("net n place p() final exists({})", chain("p()", ",")), "1000 tokens"),
        ] {
            let error = run_net(&text).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    });
}

#[test]
fn a_transition_may_create_no_thread_at_all() {
    let text = "net n const k = 0 place p(pid) place q(pid) init p(@1)
        transition t { take p(x) create w[k] of x put q(x), p(w[i]) for i in 1..k }";
    assert_eq!(run_net(text), Ok(2));
    let text = text.replace("put q(x)", "put q(w[1])");
    assert!(run_net(&text).unwrap_err().contains("members 1 to 0, not 1"));
}
