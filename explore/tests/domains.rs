//! Domains of places: what a place may hold is checked when a net is compiled, where that is possible, and when it
//! fires otherwise; errors point at the component.

use pidlab_core::Relations;
use pidlab_explore::net::{NetOptions, compile, explore};
use pidlab_explore::search::Options;
use pidlab_explore::source::Source;
use pidlab_random::Rng;

fn explored(text: &str, set: &[(&str, &str)]) -> Result<u64, String> {
    explored_by(1, text, set)
}

fn explored_by(threads: usize, text: &str, set: &[(&str, &str)]) -> Result<u64, String> {
    let set: Vec<(String, String)> = set.iter().map(|&(n, v)| (n.into(), v.into())).collect();
    let net = compile(Source::new("net", text), &set, &[]).map_err(|error| error.to_string())?;
    let settings = NetOptions {
        relations: Relations::default(),
        canon: true,
        force: false,
        options: Options { threads, ..Options::default() },
    };
    let found = explore(&net, &settings).map_err(|error| error.to_string())?;
    Ok(found.report.counters.states)
}

/// The error begins with where it is, says what is wrong, and has a caret below that.
fn wrong(text: &str, at: &str, why: &str) {
    let error = explored(text, &[]).unwrap_err();
    let caret = error.lines().any(|line| line.trim_start_matches(['|', ' ']).starts_with('^'));
    assert!(error.contains(&format!("net:{at}: ")) && error.contains(why) && caret, "{error}");
}

const COUNTER: &str = "net counter\nconst most = 2\nplace at(pid, int in 0..most)\ninit at(@1, 0)\n\
    transition up { take at(p, n) guard n < most put at(p, n + 1) }\n\
    transition down { take at(p, n) guard n > 0 put at(p, n - 1) }\n";

#[test]
fn a_domain_follows_its_constants() {
    assert_eq!(explored(COUNTER, &[]), Ok(3));
    assert_eq!(explored(COUNTER, &[("most", "7")]), Ok(8));
    let plain = COUNTER.replace(" in 0..most", "");
    assert_eq!(explored(&plain, &[]), Ok(3));
}

#[test]
fn what_leaves_a_domain_when_it_fires_is_an_error_there() {
    let unguarded = COUNTER.replace("guard n < most ", "");
    wrong(&unguarded, "5:41", "component 2 of `at` is in 0..2, and this is 3");
    // with the run to it, the shortest one
    let error = explored(&unguarded, &[]).unwrap_err();
    let (_, run) = error.split_once("the run to it:\n").unwrap();
    let steps: Vec<&str> = run.lines().filter(|line| line.contains("up [")).collect();
    assert_eq!(steps, ["   1 thread 1: up [p = 1, n = 0]", "   2 thread 1: up [p = 1, n = 1]"]);
    assert!(run.ends_with("at⟨1, 2⟩   η 1:0"), "{run}");
}

/// The list of successors is shared by the states of a batch there.
#[test]
fn the_run_to_it_does_not_depend_on_the_number_of_threads() {
    let mut left = 0;
    for seed in 0..60 {
        let mut rng = Rng::new(seed, 0);
        let net = format!(
            "net n\nflow main(pid, int in 0..{})\nflow work(pid, string in [\"a\", \"b\"])\n\
             init main(@1, 0), main(@2, 0)\n\
             transition spawn for c in [\"a\", \"b\"] {{\n take main(p, n) guard n < 3\n create w of p\n \
             put main(p, n + {}), work(w, c)\n}}\n\
             transition join {{ take main(p, n), work(w, c) guard p parent w put main(p, n - {}) end w }}\n",
            rng.between(2, 5),
            rng.between(1, 3),
            rng.between(1, 3),
        );
        let alone = explored_by(1, &net, &[]);
        left += usize::from(alone.is_err());
        let told = alone.as_ref().err().is_none_or(|error| error.contains("the run to it:"));
        assert!(told, "{alone:?}");
        for threads in [2, 3] {
            assert_eq!(explored_by(threads, &net, &[]), alone, "{threads} threads\n{net}");
        }
    }
    assert!(left >= 20, "{left} nets leave a domain");
}

#[test]
fn constants_are_checked_before() {
    let net = |rest: &str| {
        format!("net n\nplace p(int in [4, 1], string in [\"a\", \"b\"], bool in [true])\n{rest}")
    };
    assert_eq!(explored(&net("init p(4, \"b\", true)"), &[]), Ok(1));
    wrong(&net("init p(2, \"b\", true)"), "3:8", "component 1 of `p` is in [1, 4], and this is 2");
    wrong(
        &net("init p(1, \"c\", true)"),
        "3:11",
        "component 2 of `p` is in [\"a\", \"b\"], and this is \"c\"",
    );
    wrong(
        &net("init p(1, \"a\", false)"),
        "3:16",
        "component 3 of `p` is in [true], and this is false",
    );
    wrong(&net("transition t { put p(1 + 1, \"a\", true) }"), "3:22", "component 1");
    wrong(&net("transition t { take p(x, \"c\", _) }"), "3:26", "component 2");
    wrong(&net("property q = never count(p(3, _, _)) > 0"), "3:28", "component 1");
    wrong("net n\nplace p(int in 0..1)\ninit p(i) for i in 0..2", "3:8", "this is 2");
}

#[test]
fn domains_are_of_data_and_constant() {
    wrong("net n\nplace p(pid in [1])", "2:16", "pids are black boxes");
    wrong("net n\nplace p(int in 0..k)", "2:19", "there is no constant `k`");
    wrong("net n\nplace p(int in [\"a\"])", "2:16", "expected int, found string");
    wrong("net n\nplace p(int in)", "2:15", "expected");
}

/// Where the domain of a variable fits, nothing is left to check; a narrower one is checked when it fires.
#[test]
fn variables_bring_their_domains_along() {
    let net = |from: &str, to: &str| {
        format!(
            "net n\nplace p(int in {from})\nplace q(int in {to})\ninit p(1), p(3)\ntransition t {{ take p(x) put q(x) }}"
        )
    };
    assert_eq!(explored(&net("1..3", "[0, 1, 2, 3]"), &[]), Ok(4));
    assert_eq!(explored(&net("[1, 3]", "0..3"), &[]), Ok(4));
    wrong(&net("1..3", "0..2"), "5:32", "component 1 of `q` is in 0..2, and this is 3");
}
