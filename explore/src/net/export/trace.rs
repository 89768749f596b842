//! Runs as text, JSON and a page that steps through them.

use crate::net::Net;
use crate::net::named::Named;
use crate::net::trace::NetTrace;
use pidlab_budget::{Budget, Exhausted};
use pidlab_core::escape::xml;
use serde_json::{Value, json};
use std::io::{self, Write};

/// One line a step: number, transition, binding; below it the marking.
pub fn write_text(net: &Net, trace: &NetTrace, out: &mut impl Write) -> io::Result<()> {
    write_marking(net, &trace.start, out)?;
    for (number, step) in trace.steps.iter().enumerate() {
        let binding: Vec<String> =
            step.binding.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let thread = super::acting_thread(&step.values).and_then(|pid| pid.as_str());
        let thread = thread.map(|pid| format!("thread {}: ", pid.trim_start_matches('@')));
        let (thread, name) = (thread.unwrap_or_default(), &step.transition);
        writeln!(out, "{:>4} {thread}{name} [{}]", number + 1, binding.join(", "))?;
        write_marking(net, &step.after, out)?;
    }
    Ok(())
}

fn write_marking(net: &Net, named: &Named, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "       {}   η {}", named.tokens(net).join(" "), named.counters().join(" "))
}

/// The run as JSON: states in the format `pidlab-state/1`.
pub fn to_json(net: &Net, trace: &NetTrace, budget: &Budget) -> Result<Value, Exhausted> {
    let state = |named: &Named| named.to_state(net).ok().map(|state| json!(state));
    let mut steps = Vec::with_capacity(trace.steps.len());
    for step in &trace.steps {
        budget.poll()?;
        let binding: serde_json::Map<String, Value> =
            step.binding.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        steps.push(json!({
            "transition": step.transition, "binding": binding, "class": step.class,
            "state": state(&step.after),
        }));
    }
    Ok(json!({"start": state(&trace.start), "steps": steps}))
}

/// A self-contained page: arrow keys and buttons step through the run.
pub fn write_html(
    net: &Net,
    traces: &[(String, &NetTrace)],
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">")?;
    writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>", xml(&net.name))?;
    writeln!(out, "<h1>{}</h1>", xml(&net.name))?;
    for (title, trace) in traces {
        write_run(net, title, trace, out)?;
    }
    writeln!(out, "<script>{SCRIPT}</script></body></html>")
}

fn write_run(net: &Net, title: &str, trace: &NetTrace, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "<section class=\"run\" tabindex=\"0\"><h2>{}</h2>", xml(title))?;
    writeln!(
        out,
        "<p><button class=\"back\">◀</button> <button class=\"on\">▶</button> <span class=\"at\"></span></p>"
    )?;
    let mut before: Vec<String> = Vec::new();
    let markings = std::iter::once((&trace.start, "start".to_string()));
    let steps = trace.steps.iter().map(|step| {
        let binding = step.binding.iter().map(|(name, value)| format!("{name} = {value}"));
        let binding: Vec<String> = binding.collect();
        (&step.after, format!("{} [{}]", step.transition, binding.join(", ")))
    });
    for (named, by) in markings.chain(steps) {
        let tokens = named.tokens(net);
        writeln!(out, "<div class=\"step\"><h3>{}</h3>", xml(&by))?;
        write_places(net, named, &before, out)?;
        writeln!(out, "<p class=\"eta\">η: {}</p></div>", xml(&named.counters().join("  ")))?;
        before = tokens;
    }
    writeln!(out, "</section>")
}

/// Tokens by place; those that were not there before stand out.
fn write_places(
    net: &Net,
    named: &Named,
    before: &[String],
    out: &mut impl Write,
) -> io::Result<()> {
    let mut old = before.to_vec();
    writeln!(out, "<ul>")?;
    for token in named.tokens(net) {
        let known = old.iter().position(|t| *t == token);
        let class = if known.is_none() { " class=\"new\"" } else { "" };
        if let Some(at) = known {
            old.swap_remove(at);
        }
        writeln!(out, "<li{class}>{}</li>", xml(&token))?;
    }
    for token in old {
        writeln!(out, "<li class=\"gone\">{}</li>", xml(&token))?;
    }
    writeln!(out, "</ul>")
}

const STYLE: &str = "body{font:15px sans-serif;margin:2em;max-width:60em}section{border:1px solid #999;border-radius:6px;padding:0 1em;margin:1em 0}ul{display:flex;flex-wrap:wrap;gap:.5em;list-style:none;padding:0}li{border:1px solid #999;border-radius:1em;padding:.2em .8em}li.new{background:#e69f00;border-color:#000}li.gone{text-decoration:line-through;color:#777;border-style:dashed}.eta{color:#555}button{font-size:1em}@media print{.step{display:block!important}}";

const SCRIPT: &str = "document.querySelectorAll('.run').forEach(r=>{let s=[...r.querySelectorAll('.step')],i=0;const show=n=>{i=Math.max(0,Math.min(s.length-1,n));s.forEach((e,k)=>e.style.display=k==i?'':'none');r.querySelector('.at').textContent=i+' of '+(s.length-1)};r.querySelector('.back').onclick=()=>show(i-1);r.querySelector('.on').onclick=()=>show(i+1);r.onkeydown=e=>{if(e.key=='ArrowLeft')show(i-1);if(e.key=='ArrowRight')show(i+1)};show(0)})";
