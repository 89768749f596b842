//! How the graph grows: nodes, edges, local variables, and the nodes that labels stand for.
//!
//! Every node knows its frame, the procedure and the variables in force there. Both edges and variables
//! have a limit, beyond which a program is refused. Cost: constant for each, but for a variable, which copies
//! the frame it is added to.

use super::Inliner;
use super::calls::Scope;
use crate::parse::bp::ast::Place;
use crate::parse::bp::expr::Expr;
use crate::parse::bp::flow::{Edge, FlowOp, Frame, MAX_VARIABLES, Var};
use pidlab_syntax::Parsed;

const MAX_EDGES: usize = 100_000;

/// A node that `goto` leads to.
pub(super) struct Label {
    pub(super) node: u32,
    /// Whether its statement has been seen.
    pub(super) placed: bool,
    /// Where it is first mentioned.
    pub(super) place: Place,
}

impl<'a> Inliner<'a> {
    pub(super) fn node(&mut self) -> u32 {
        self.flow.nodes += 1;
        self.frame_of.push(self.frame);
        self.flow.nodes - 1
    }

    pub(super) fn edge(
        &mut self,
        from: u32,
        to: u32,
        op: FlowOp,
        place: Place,
        text: impl Into<String>,
    ) -> Parsed<()> {
        if self.flow.edges.len() == MAX_EDGES {
            self.is_too_large = true;
            let message = format!("the inlined program exceeds {MAX_EDGES} operations");
            return Err(self.wrong(place, message));
        }
        self.flow.edges.push(Edge { from, to, op, place, text: text.into(), sections: 0 });
        Ok(())
    }

    /// An edge from where we are to a new node, where we go on.
    pub(super) fn advance(
        &mut self,
        op: FlowOp,
        place: Place,
        text: impl Into<String>,
    ) -> Parsed<()> {
        let next = self.node();
        self.edge(self.at, next, op, place, text)?;
        self.at = next;
        Ok(())
    }

    /// Into an atomic section or out of it.
    pub(super) fn cross(&mut self, sections: i32, place: Place) -> Parsed<()> {
        self.sections += sections;
        self.advance(FlowOp::Skip, place, "atomic")?;
        self.last_edge_crosses(sections);
        Ok(())
    }

    pub(super) fn last_edge_crosses(&mut self, sections: i32) {
        if let Some(last) = self.flow.edges.last_mut() {
            last.sections = sections;
        }
    }

    pub(super) fn local(&mut self, name: &str, place: Place) -> Parsed<Var> {
        if self.locals as usize == MAX_VARIABLES {
            self.is_too_large = true;
            let message = format!("more than {MAX_VARIABLES} local variables at once");
            return Err(self.wrong(place, message));
        }
        let number = self.locals;
        self.locals += 1;
        self.flow.locals = self.flow.locals.max(self.locals);
        let old = &self.frames[self.frame as usize];
        let mut frame = Frame { procedure: old.procedure.clone(), locals: old.locals.clone() };
        frame.locals.push((number, name.to_string()));
        self.frame = self.frames.len() as u32;
        self.frames.push(frame);
        Ok(Var::Local(number))
    }

    /// `atomic_begin` and `atomic_end`, which need not match in the text.
    pub(super) fn bracket(&mut self, sections: i32, place: Place) -> Parsed<()> {
        let text = if sections > 0 { "atomic_begin" } else { "atomic_end" };
        self.advance(FlowOp::Skip, place, text)?;
        self.last_edge_crosses(sections);
        Ok(())
    }

    fn label(&mut self, name: &'a str, copy: u32, place: Place) -> u32 {
        if let Some(label) = self.labels.get(&(copy, name)) {
            return label.node;
        }
        let node = self.node();
        self.labels.insert((copy, name), Label { node, placed: false, place });
        node
    }

    pub(super) fn place_label(
        &mut self,
        name: &'a str,
        scope: &Scope<'a>,
        place: Place,
        repeated: bool,
    ) -> Parsed<()> {
        let node = self.label(name, scope.copy, place);
        let known = self.labels.get_mut(&(scope.copy, name));
        let twice = known.is_some_and(|label| std::mem::replace(&mut label.placed, true));
        if repeated {
            return Ok(());
        }
        if twice {
            return Err(self.wrong(place, format!("label `{name}` is there twice")));
        }
        self.frame_of[node as usize] = self.frame;
        self.edge(self.at, node, FlowOp::Skip, place, "skip")?;
        self.at = node;
        if self.program.error_labels.iter().any(|label| label == name) {
            let text = format!("label {name}");
            self.advance(FlowOp::Assert(Expr::Constant(false)), place, text)?;
        }
        Ok(())
    }

    pub(super) fn goto(&mut self, targets: &'a [(String, Place)], scope: &Scope<'a>) -> Parsed<()> {
        for (name, place) in targets {
            let node = self.label(name, scope.copy, *place);
            self.edge(self.at, node, FlowOp::Skip, *place, format!("goto {name}"))?;
        }
        self.at = self.node();
        Ok(())
    }
}
