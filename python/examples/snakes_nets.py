"""The papers' nets in SNAKES: N(k,m) of ICTAC'08 and the server of ISCIS'09 and SACS'10.

They are ordinary nets of SNAKES. The place `eta` holds, for each active pid, how many children it has
created; `p.child(g + 1)` is the next one.
"""

import pidlab.snakes
import snakes.plugins

nets = snakes.plugins.load("pidlab", "snakes.nets", "nets")
from nets import Expression, Flush, MultiArc, PetriNet, Pid, Place, Test, Transition, Tuple, Variable  # noqa: E402


def tup(*parts):
    """A tuple of variables and expressions."""
    return Tuple([Variable(part) if part.isidentifier() else Expression(part) for part in parts])


def nkm(k, m):
    """k threads that spawn at most m handlers each; a handler calls a function."""
    net = PetriNet(f"N({k},{m})")
    net.globals["m"] = m
    for place in ("s1", "h1", "h2", "h3", "h4", "f1", "f2"):
        net.add_place(Place(place, []))
    net.add_place(Place("s0", [Pid(1)]))
    net.add_place(Place("eta", [(Pid(1), 0)]))
    created = range(1, k + 1)

    net.add_transition(Transition("init"))
    net.add_input("s0", "init", Variable("p"))
    net.add_input("eta", "init", tup("p", "g"))
    net.add_output("s1", "init", MultiArc([tup(f"p.child(g+{i})", "0") for i in created]))
    net.add_output("eta", "init", MultiArc([tup(f"p.child(g+{i})", "0") for i in created]))

    net.add_transition(Transition("spawn", Expression("c < m")))
    net.add_input("s1", "spawn", tup("p", "c"))
    net.add_input("eta", "spawn", tup("p", "g"))
    net.add_output("s1", "spawn", tup("p", "c + 1"))
    net.add_output("h1", "spawn", Expression("p.child(g + 1)"))
    net.add_output("eta", "spawn", MultiArc([tup("p", "g + 1"), tup("p.child(g + 1)", "0")]))

    net.add_transition(Transition("comp"))
    net.add_input("h1", "comp", Variable("h"))
    net.add_output("h2", "comp", Variable("h"))

    net.add_transition(Transition("call"))
    net.add_input("h2", "call", Variable("h"))
    net.add_input("eta", "call", tup("h", "g"))
    net.add_output("h3", "call", Variable("h"))
    net.add_output("f1", "call", Expression("h.child(g + 1)"))
    net.add_output("eta", "call", MultiArc([tup("h", "g + 1"), tup("h.child(g + 1)", "0")]))

    net.add_transition(Transition("fun"))
    net.add_input("f1", "fun", Variable("f"))
    net.add_output("f2", "fun", Variable("f"))

    net.add_transition(Transition("ret", Expression("h.is_parent(f)")))
    net.add_input("h3", "ret", Variable("h"))
    net.add_input("f2", "ret", Variable("f"))
    net.add_input("eta", "ret", tup("f", "g"))
    net.add_output("h4", "ret", Variable("h"))

    net.add_transition(Transition("wait", Expression("p.is_parent(h)")))
    net.add_input("s1", "wait", tup("p", "c"))
    net.add_input("h4", "wait", Variable("h"))
    net.add_input("eta", "wait", tup("h", "g"))
    net.add_output("s1", "wait", tup("p", "c - 1"))
    return net


def leap(year):
    return int(year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))


def children(pid, tokens):
    """How many tokens begin with a child of a pid."""
    return sum(pid.is_parent(token[0]) for token in tokens)


def server(listeners, handlers, years):
    """Listeners create handlers for requests "is this a leap year?"; a function computes the answer."""
    net = PetriNet("server")
    for name, value in (("m", handlers), ("years", tuple(years)), ("leap", leap), ("children", children)):
        net.globals[name] = value
    net.add_place(Place("L", [Pid(i) for i in range(1, listeners + 1)]))
    net.add_place(Place("H", []))
    net.add_place(Place("F", []))
    net.add_place(Place("eta", [(Pid(i), 0) for i in range(1, listeners + 1)]))

    for year in years:
        name = f"create({year})"
        net.add_transition(Transition(name, Expression("children(p, hs) < m")))
        net.add_input("L", name, Test(Variable("p")))
        net.add_input("H", name, Flush("hs"))
        net.add_input("eta", name, tup("p", "g"))
        net.add_output("H", name, Flush(f"list(hs) + [(p.child(g + 1), 'addr', {year})]"))
        net.add_output("eta", name, MultiArc([tup("p", "g + 1"), tup("p.child(g + 1)", "0")]))

    net.add_transition(Transition("call", Expression("y in years and not children(h, fs)")))
    net.add_input("H", "call", Test(tup("h", "a", "y")))
    net.add_input("F", "call", Flush("fs"))
    net.add_input("eta", "call", tup("h", "g"))
    net.add_output("F", "call", Flush("list(fs) + [(h.child(g + 1), y)]"))
    net.add_output("eta", "call", MultiArc([tup("h", "g + 1"), tup("h.child(g + 1)", "0")]))

    net.add_transition(Transition("comp", Expression("y in years")))
    net.add_input("F", "comp", tup("f", "y"))
    net.add_output("F", "comp", tup("f", "leap(y)"))

    net.add_transition(Transition("ret", Expression("h.is_parent(f) and r not in years")))
    net.add_input("H", "ret", tup("h", "a", "y"))
    net.add_input("F", "ret", tup("f", "r"))
    net.add_input("eta", "ret", tup("f", "g"))
    net.add_output("H", "ret", tup("h", "a", "r"))

    net.add_transition(Transition("wait", Expression("p.is_parent(h) and r not in years")))
    net.add_input("H", "wait", tup("h", "a", "r"))
    net.add_input("L", "wait", Test(Variable("p")))
    net.add_input("eta", "wait", tup("h", "g"))
    return net
