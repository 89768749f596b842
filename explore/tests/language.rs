//! The net language: what it refuses, and with which words.

use pidlab_explore::net::compile;
use pidlab_explore::source::Source;

fn refused(text: &str) -> String {
    match compile(Source::new("x.tnet", text), &[], &[]) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(faulty) => faulty.to_string(),
    }
}

#[test]
fn errors_show_line_and_caret() {
    let error =
        refused("net x\nplace A(pid)\ninit A(@1)\ntransition t {\n  take A(p)\n  put B(p)\n}\n");
    assert_eq!(
        error,
        "x.tnet:6:7: there is no place `B`; declare it with place, flow or data\n 6 |   put B(p)\n   |       ^"
    );
}

#[test]
fn each_mistake_has_its_message() {
    let net = |body: &str| format!("net x\nplace A(pid)\nplace N(pid, int)\ninit A(@1)\n{body}");
    let cases = [
        ("transition t { take A(p) put N(p, p) }", "expected int, found pid"),
        ("transition t { take A(p) put A(q) }", "`q` is not known here"),
        ("transition t { take A(p, q) }", "has 1 components, found 2"),
        ("transition t { take A(p) create p of p put A(p) }", "a child needs a new name"),
        ("transition t { take A(p) create c of p create d of c put A(p) }", "creates nothing yet"),
        ("transition t { take A(p) create c of p end c put A(p) }", "cannot end here"),
        ("transition t { take A(p) guard p < p put A(p) }", "expected int, found pid"),
        ("transition t { take A(p) guard p parent @1 put A(p) }", "pid literals"),
        ("transition t { take A(p) create c[2] of p put A(p), A(c) }", "family"),
        ("transition t { take A(p) create c[2] of p put A(p), A(c[3]) }", "members 1 to 2"),
        ("transition t { take A(p) put A(p) } transition t { take A(p) put A(p) }", "twice"),
        ("place A(pid)", "twice"),
        ("const a = 99999999999999999999", "too large"),
        ("transition t { take N(p, n) guard n put A(p) }", "expected bool, found int"),
        (
            "transition t { take A(p) guard exists(N(c, _) where c parent p) create c of p put A(p) }",
            "no token holds it",
        ),
        ("property x = sometimes true", "never, always, reach or thread"),
        ("frobnicate", "expected class, const"),
        ("init N(@0, 1)", "root pids are"),
    ];
    for (body, message) in cases {
        let error = refused(&net(body));
        assert!(error.contains(message), "{body}\n{error}");
    }
    let deep = format!("transition t {{ guard {}true{} }}", "(".repeat(5000), ")".repeat(5000));
    assert!(refused(&net(&deep)).contains("nested"));
}

#[test]
fn settings_are_checked() {
    let set = |name: &str, value: &str| {
        let settings = [(name.to_string(), value.to_string())];
        let text = "net x\nconst k = 1\nconst ys = [1, 2]\nplace A(pid, int)\ninit A(@1, k)";
        compile(Source::new("x", text), &settings, &[]).map(|net| net.constants)
    };
    assert_eq!(set("k", "7").unwrap()[0].1, "7");
    assert_eq!(set("ys", "5").unwrap()[1].1, "[5]");
    assert_eq!(set("ys", "5,6").unwrap()[1].1, "[5, 6]");
    assert!(set("q", "7").unwrap_err().to_string().contains("it has: k, ys"));
    assert!(set("k", "\"a\"").unwrap_err().to_string().contains("another kind"));
    assert!(set("k", "1 +").unwrap_err().to_string().contains("expected an expression"));
}

/// ICTAC'08, Assumptions 1 to 3: one net for each rule that breaks it.
#[test]
fn t_net_rules() {
    let net = |places: &str, init: &str, body: &str| {
        format!("net x class t-net\n{places}\ninit {init}\ntransition t {{ {body} }}")
    };
    let cases = [
        (net("place A(pid)", "A(@1)", "take A(p) put A(p)"), "Assumption 1:"),
        (net("flow A(pid) data D(int)", "A(@1)", "take A(p) put A(p)"), "Assumption 1.2"),
        (net("flow A(pid) data D(pid)", "A(@1), D(@1)", "take A(p) put A(p)"), "Assumption 2.1"),
        (net("flow A(pid)", "A(@1), A(@2)", "take A(p) put A(p)"), "Assumption 2.2"),
        (net("flow A(pid, int)", "A(@1, 0)", "take A(p, n) put A(p, n)"), "Assumption 2.3"),
        (net("flow A(pid) data D(pid)", "A(@1)", "take D(p) put A(p)"), "Assumption 3.1"),
        (net("flow A(pid)", "A(@1)", "take A(p) put A(p), A(p)"), "Assumption 3.2"),
        (net("flow A(pid)", "A(@1)", "take A(p) create c of p put A(p)"), "Assumption 3.2"),
        (net("flow A(pid)", "A(@1)", "take A(p), A(q) put A(p)"), "Assumption 3.3"),
        (net("flow A(pid)", "A(@1)", "take A(p) put A(p) end p"), "Assumption 3.3"),
        (net("flow A(pid)", "A(@1)", "take A(p) guard no(A(_)) put A(p)"), "Assumption 3.6"),
    ];
    for (text, rule) in cases {
        let error = refused(&text);
        assert!(error.contains("ICTAC'08") && error.contains(rule), "{rule}\n{text}\n{error}");
    }
}

/// SACS'10, section 6, items 1 to 6.
#[test]
fn sacs_rules() {
    let net = |places: &str, rest: &str| format!("net x class sacs\n{places}\n{rest}");
    let cases = [
        (net("place A()", ""), "item 1"),
        (net("place A(pid)", "init A(@1)"), "item 3"),
        (net("place A(pid)", "transition t { take A(p) put A(p) }"), "item 5"),
        (
            net("place A(pid) place B(pid)", "transition t { take A(p) active p end p put B(p) }"),
            "item 5",
        ),
        (net("place A(pid)", "transition t { take A(p), A(q) guard p parent q }"), "item 6"),
        (net("place A(pid)", "transition t { active p guard no(A(_)) put A(p) }"), "item 6"),
    ];
    for (text, rule) in cases {
        let error = refused(&text);
        assert!(error.contains("SACS'10") && error.contains(rule), "{rule}\n{text}\n{error}");
    }
    let good = "net x class sacs\nplace A(pid)\ntransition start { active p guard true create c of p put A(p), A(c) }\ntransition stop { take A(p) active p end p }";
    compile(Source::new("x", good), &[], &[]).unwrap();
}
