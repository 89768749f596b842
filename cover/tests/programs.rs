//! Boolean programs: what the constructs of both dialects mean, slices, several types of threads.

mod common;

use common::programs::{Flat, Known, chain, copies};
use common::{Random, answer};
use pidlab_cover::parse::bp::{self, BoolOptions};
use pidlab_cover::{CoverVerdict, Net, Source};

fn sliced(text: &str) -> Net {
    let options = BoolOptions { slice: true, error_label: None };
    bp::read_with(&Source::new("p.bp", text), options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The verdict, which must be the same for the program as it is and for its slice.
fn verdict(text: &str) -> CoverVerdict {
    let whole = bp::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let one = answer(&whole, "auto", 60.0, true).verdict;
    let other = answer(&sliced(text), "auto", 60.0, true).verdict;
    assert_eq!(one, other, "{text}");
    one
}

fn is_safe(text: &str) -> bool {
    match verdict(text) {
        CoverVerdict::Safe => true,
        CoverVerdict::Unsafe => false,
        CoverVerdict::Unknown => panic!("undecided: {text}"),
    }
}

fn main_is_safe(body: &str) -> bool {
    is_safe(&format!("decl g, h;\nvoid main() begin\n{body}\nend\n"))
}

#[test]
fn variables_without_values_have_either() {
    assert!(!main_is_safe("assert(!g)"));
    assert!(!main_is_safe("assert(g)"));
    assert!(!main_is_safe("decl x; assert(x)"));
    assert!(main_is_safe("decl x := 1; assert(x)"));
    assert!(main_is_safe("g := T; assert(g)"));
    assert!(!is_safe("decl g := *; void main() begin assert(g); end"));
    assert!(is_safe("decl g := 1; void main() begin assert(g); end"));
}

#[test]
fn open_values_and_constraints() {
    assert!(main_is_safe("g := schoose[T, F]; assert(g)"));
    assert!(main_is_safe("g := schoose[F, T]; assert(!g)"));
    assert!(!main_is_safe("g := schoose[F, F]; assert(g)"));
    assert!(main_is_safe("g, h := *, * constrain 'g = !'h; assert(g != h)"));
    assert!(main_is_safe("h := 1; g := * constrain (h => 'g); assert(g)"));
    assert!(!main_is_safe("g := * constrain g | 'g; assert(g)"));
    assert!(main_is_safe("g := 1; g, h := h, g; assert(h)"), "assignment is simultaneous");
    assert!(main_is_safe("g := h ? !h : 1; assert((!h & g) | (h & !g))"));
    assert!(main_is_safe("g := h ^ 1; assert(g != h)"));
}

#[test]
fn control_flow() {
    assert!(main_is_safe("g := 0; goto L2; L1: assert(g); L2: skip"));
    assert!(!main_is_safe("g := 0; goto L1, L2; L1: assert(g); L2: skip"));
    assert!(main_is_safe("if g then h := 1; elsif !g then h := 1 else h := 0; fi; assert(h)"));
    assert!(main_is_safe("h := 0; while !h do h := *; od; assert(h)"));
    assert!(main_is_safe("assume(g); assert(g)"));
    assert!(main_is_safe("abortif g; assert(!g)"));
    assert!(!main_is_safe("g := 1; dead g; assert(g)"));
    assert!(main_is_safe("return; assert(0)"));
    assert!(main_is_safe("end_thread; assert(0)"));
    assert!(!main_is_safe("if g then SLIC_ERROR: skip; fi"));
    assert!(main_is_safe("g := 0; if g then SLIC_ERROR: skip; fi"));
}

/// Whatever a thread has done stays done, even if it never rests again.
#[test]
fn threads_that_never_rest_again_have_done_what_they_did() {
    let other = "start_thread goto other;";
    let wait = "end_thread; other: assume(g); assert(0)";
    assert!(!main_is_safe(&format!("g := 0; {other} g := 1; assume(0); {wait}")));
    assert!(!main_is_safe(&format!("g := 0; {other} g := 1; l: goto l; {wait}")));
    assert!(main_is_safe(&format!("g := 0; {other} assume(0); g := 1; {wait}")));
    let own = |end: &str| is_safe(&format!("shared x; error x; thread {{ x := true; {end} }}"));
    assert!(!own("assume(false);") && !own("while (true) { }"));
}

#[test]
fn procedures_return_several_values() {
    let with = |body: &str| {
        let swap = "bool<2> swap(a, b) begin return b, a; end\nbool no() begin return 0; end\n";
        let only = "void set() begin enforce g; g := *; end\nbool open() begin skip; end\n";
        is_safe(&format!("decl g, h;\n{swap}{only}void main() begin\n{body}\nend\n"))
    };
    assert!(with("g, h := 0, 1; g, h := swap(g, h); assert(g & !h)"));
    assert!(with("g := 1; _, h := swap(g, 0); assert(h)"));
    assert!(with("g := no(); assert(!g)"));
    assert!(with("set(); assert(g)"), "what is enforced holds after each assignment");
    assert!(!with("g := open(); assert(g)"), "nothing is returned: either value");
    assert!(with("no(); swap(g, h); assert(T)"));
}

#[test]
fn threads_start_with_copies_of_the_variables() {
    assert!(!main_is_safe("g := 1; start_thread goto L; g := 0; end_thread; L: assert(g)"));
    assert!(main_is_safe("decl x; x := 1; start_thread goto L; x := 0; end_thread; L: assert(x)"));
    let with = |main: &str| {
        let f = "void f() begin assert(!g); g := 1; g := 0; end";
        is_safe(&format!("decl g := 0;\n{f}\nvoid main() begin {main} end"))
    };
    assert!(with("f()"));
    assert!(with("start_thread f(); end_thread"));
    assert!(!with("start_thread f(); start_thread f()"));
    assert!(!with("ASYNC_1: f(); f()"));
    assert!(with("x: y: start_thread f()"));
}

#[test]
fn atomic_sections_and_meetings() {
    let with = |f: &str| {
        is_safe(&format!(
            "decl g := 0, h := 0;\nvoid f() begin {f} end\n\
             void main() begin start_thread f(); start_thread f(); end"
        ))
    };
    assert!(with("atomic_begin; assert(!g); g := 1; g := 0; atomic_end"));
    assert!(!with("assert(!g); g := 1; g := 0"));
    // a section that cannot be finished stops everything
    assert!(with("atomic_begin; g := 1; assume(0); atomic_end; assert(0)"));
    assert!(with("atomic_begin; g := 1; end_thread"));
    // both are at the same place, so both have to be there
    assert!(with("if !g then g := 1; sync e; h := 1; else assert(!h); fi"));
    assert!(!with("sync e; assert(0)"));
    assert!(is_safe("void main() begin sync e; assert(0); end"), "nobody else comes");
}

#[test]
fn thread_local_variables_are_seen_by_procedures() {
    let text = "decl thread_local t;\ndecl g := 0;\nvoid set() begin t := 1; end\n\
                void main() begin t := 0; start_thread goto L; set(); assert(t); end_thread;\n\
                L: assert(!t); end";
    assert!(is_safe(text));
}

#[test]
fn numbered_statements_follow_their_numbers() {
    let with = |lines: &str| is_safe(&format!("decl x := 1;\nvoid main() begin\n{lines}\nend\n"));
    assert!(with("0: x := 1;\n2: assert(x);\n1: x := 1;"));
    assert!(!with("0: x := 1;\n2: assert(x);\n1: x := 0;"));
    assert!(with("0: x := 0;\n7: assert(x);"), "there is no statement 1");
}

#[test]
fn several_types_of_threads() {
    let with = |head: &str| {
        is_safe(&format!(
            "decl g := 0, h := 0;\n{head}\n\
             void left() begin assume(h); assert(!g); end\n\
             void right() begin g := 1; h := 1; g := 0; end\n\
             void idle() begin skip; end\n"
        ))
    };
    assert!(with("thread left[1];"));
    assert!(with("thread left[*]; thread idle[2];"));
    assert!(!with("thread left[1]; thread right[1];"));
    assert!(!with("thread left[*]; thread right[*];"));
    let own = |count: &str| {
        is_safe(&format!(
            "shared busy, in; error busy && in;\nthread one[{count}] {{ busy := true; busy := false; }}\n\
             thread other[1] {{ assume(busy); busy := false; assume(busy); in := true; }}\n"
        ))
    };
    assert!(!own("2"));
    assert!(own("1"), "one thread sets it once");
    assert!(!own("*"));
}

#[test]
fn what_is_not_known_is_refused_where_it_stands() {
    let fails = |text: &str, line: usize, words: &str| {
        let error = bp::parse(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
        assert_eq!(error.line, line, "{error}");
        assert!(error.message.contains(words), "{error}");
    };
    let body = |text: &str| format!("decl g, h;\nvoid main() begin\n{text}\nend\n");
    fails(&body("goto nowhere"), 3, "no such label");
    fails(&body("l: skip; l: skip"), 3, "label `l` is there twice");
    fails(&body("x := 1"), 3, "`x` is not declared");
    fails(&body("assert(g = h & g)"), 3, "expected parentheses");
    fails(&body("assert(g | h ^ g)"), 3, "expected parentheses");
    fails(&body("assert('g)"), 3, "stand in constraints only");
    fails(&body("atomic_end"), 3, "without an `atomic_begin`");
    fails(&body("if g then atomic_begin; fi; h := 1"), 3, "both inside and outside");
    fails(&body("atomic_begin; sync e; atomic_end"), 3, "inside an atomic section");
    fails(&body("skip skip"), 3, "expected `;`, found `skip`");
    fails(&body("g$ := 1"), 3, "of all other threads");
    fails(&body("skip; enforce g"), 3, "at the start of a procedure");
    fails(&body("g := f()"), 3, "there is no procedure `f`");
    fails("decl g;\n", 1, "expected a procedure `main`");
    fails("decl g;\nthread f[0];\nvoid f() begin end\n", 2, "between 1 and");
    fails("decl g;\nthread f[2];\n", 2, "there is no procedure");
    let cycle = "void main() begin f(); end\nvoid f() begin g(); end\nvoid g() begin f(); end\n";
    fails(cycle, 3, "`f` is recursive (f → g → f)");
    fails(
        "bool<2> f() begin return 1, 0; end\nvoid main() begin decl x; x := f(); end\n",
        2,
        "returns 2",
    );
}

/// The last one would win.
#[test]
fn what_gets_two_values_at_once_is_refused() {
    let fails = |text: &str, place: (usize, usize), words: &str| {
        let error = bp::parse(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
        assert_eq!((error.line, error.column), place, "{error}");
        assert!(error.message.contains(words), "{error}");
    };
    let call = |targets: &str| {
        let f = "bool<2> f(b) begin return b, !b; end";
        format!(
            "decl g := 0;\n{f}\nvoid main() begin decl x, y;\n  {targets} := f(1); assert(!g); end\n"
        )
    };
    fails(&call("x, x"), (4, 3), "`x` is assigned twice at the same time");
    bp::parse(&call("x, y")).unwrap();
    bp::parse(&call("_, _")).unwrap();
    let own = "shared a; error a;\nproc f(b) { return b, b; }\nthread {\n  a, a := f(true); }\n";
    fails(own, (4, 3), "`a` is assigned twice");
    fails(
        "decl g;\nvoid f(b, b) begin end\nvoid main() begin f(1, 0); end\n",
        (2, 11),
        "`b` is declared twice",
    );
    fails(
        "shared a; error a;\nproc f(a, a) { }\nthread { f(true, a); }\n",
        (2, 11),
        "`a` is declared twice",
    );
    fails(
        "decl g;\nvoid main() begin decl x, x; assert(g); end\n",
        (2, 27),
        "`x` is declared twice",
    );
}

/// A procedure that nobody calls, by mistake perhaps, must be looked at all the same.
#[test]
fn what_is_never_called_is_checked_all_the_same() {
    let fails = |text: &str, words: &str| {
        let error = bp::parse(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
        assert!(error.message.contains(words), "{error}");
    };
    let with =
        |procedure: &str| format!("decl a := 0;\n{procedure}\nvoid main() begin assert(!a); end\n");
    fails(&with("void g() begin g(); end"), "`g` is recursive (g → g)");
    fails(&with("void g() begin h(); end void h() begin g(); end"), "is recursive (g → h → g)");
    fails(&with("void g() begin zz := 1; end"), "`zz` is not declared");
    fails(&with("void g() begin goto m; end"), "no such label");
    fails(&with("bool<2> g() begin return 1; end"), "returns 1 values where 2 are expected");
    fails(&with("void g(x) begin decl y; y := x; h(y); end"), "there is no procedure `h`");
    fails("shared a; error a; proc g() { zz := true; } thread { skip; }", "`zz`");
    fails("shared a; error a; proc g() { g(); } thread { skip; }", "is recursive");
    let parameters = with("void g(x) begin decl y; y := x; a := y; end");
    assert_eq!(verdict(&parameters), CoverVerdict::Safe);
}

#[test]
fn a_procedure_returns_as_many_values_as_it_says() {
    let fails = |text: &str| {
        let error = bp::parse(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
        assert!(error.message.contains("are expected"), "{error}");
    };
    fails("decl a;\nvoid main() begin return 1, 0, 1; end\n");
    fails("decl a;\nvoid f() begin return 1; end\nvoid main() begin f(); end\n");
    let plain =
        "decl a := 0;\nvoid f() begin return; end\nvoid main() begin f(); assert(!a); end\n";
    assert_eq!(verdict(plain), CoverVerdict::Safe);
}

/// Statement by statement, with few threads.
#[test]
fn random_programs_agree_with_an_interpreter() {
    let mut random = Random(16);
    let (mut safe, mut bad) = (0, 0);
    for round in 0..1500 {
        let program = Flat::random(&mut random);
        let text = program.text();
        match program.known() {
            Known::Open => drop(verdict(&text)),
            known => {
                let found = verdict(&text);
                let expected = match known {
                    Known::Safe => CoverVerdict::Safe,
                    _ => CoverVerdict::Unsafe,
                };
                assert_eq!(found, expected, "program {round}:\n{text}");
                safe += u32::from(known == Known::Safe);
                bad += u32::from(known == Known::Unsafe);
            }
        }
    }
    assert!(safe > 100 && bad > 100, "{safe} safe and {bad} unsafe programs");
}

#[test]
fn slices_do_not_grow_with_what_the_property_does_not_see() {
    let alone = sliced(&chain(2, 0)).places.len();
    assert_eq!(sliced(&chain(2, 5)).places.len(), alone);
    let three = sliced(&copies(&chain(2, 0), 3));
    assert_eq!((three.places.len(), three.systems.len()), (3 * alone, 3));
    assert_eq!(answer(&three, "auto", 60.0, true).verdict, CoverVerdict::Safe);
    assert_eq!(answer(&sliced(&chain(4, 0)), "auto", 60.0, true).verdict, CoverVerdict::Safe);
    let broken = copies(&chain(2, 0).replace("lock(lock0); mine", "mine"), 2);
    let broken = broken.replace("lock(lock0_1); lock(newpage", "lock(newpage");
    assert_eq!(answer(&sliced(&broken), "auto", 60.0, true).verdict, CoverVerdict::Unsafe);
}

#[test]
#[ignore = "a million steps"]
fn seven_buckets() {
    assert_eq!(answer(&sliced(&chain(7, 0)), "auto", 60.0, true).verdict, CoverVerdict::Safe);
}
