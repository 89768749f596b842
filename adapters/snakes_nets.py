"""Nets of models/ explored by the papers' own programs: SNAKES holds the nets and fires their transitions,
NetworkX decides which markings are equivalent. ICTAC'08's N(k,m), the server of ISCIS'09 and SACS'10,
fork-join, work stealing, supervisors.

    python snakes_nets.py nkm --k 2 --m 1 --relations parent
    python snakes_nets.py server --listeners 2 --handlers 1 --years 2008,2009 --relations parent,ancestor
    python snakes_nets.py work-stealing --workers 8 --jobs 20 --seconds 60

Prints one JSON document: reduced states and edges (distinct source, transition and target), as
`pidlab explore` counts them, how many pairs of graphs were compared, and how long that took; `--seconds` ends
an exploration that takes longer, which is then not complete. `--tests` adds
every comparison with a·v of ICTAC'08, section 5.2: arcs times vertices, both graphs.

Markings, graphs and their comparison are those of the backend `snakes` (backends/adapters/snakes_markings.py). The generator
place of the papers, a place `next` with one token (pid, number of threads created) for each active pid, is written out.
Cost: every marking of a class is compared with one marking of each class that has as many tokens of each
kind in each place; N(2,2) takes minutes under all relations.
"""
import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from snakes.nets import Expression, MultiArc, PetriNet, Place, Transition, Tuple, Variable

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "backends" / "adapters"))
from snakes_markings import RELATIONS, Pid, graph_of, is_isomorphic  # noqa: E402


def arc(*parts):
    """An arc with one token: names are variables, anything that is more than a name is computed."""
    terms = [Variable(part) if part.isidentifier() else Expression(part) for part in parts]
    return terms[0] if len(terms) == 1 else Tuple(terms)


def transition(net, name, take, put, guard="True"):
    """`take` and `put` list places, each with the parts of one token."""
    net.add_transition(Transition(name, Expression(guard)))
    for add, tokens in ((net.add_input, take), (net.add_output, put)):
        by_place = {}
        for place, *parts in tokens:
            by_place.setdefault(place, []).append(arc(*parts))
        for place, arcs in by_place.items():
            add(place, name, arcs[0] if len(arcs) == 1 else MultiArc(arcs))


def new_net(name, places, initial):
    net = PetriNet(name)
    net.globals["parent"] = RELATIONS["parent"]
    for place in [*places, "next"]:
        net.add_place(Place(place, initial.get(place, [])))
    return net


def nkm(k, m):
    """The reading of models/nkm.tnet: 7 states for N(1,1), as the paper says."""
    places = ["s0", "s1", "h1", "h2", "h3", "h4", "f1", "f2"]
    net = new_net("nkm", places, {"s0": [Pid((1,))], "next": [(Pid((1,)), 0)]})
    children = [f"p.child(n+{i})" for i in range(1, k + 1)]
    put = [("s1", child, "0+0") for child in children] + [("next", child, "0+0") for child in children]
    transition(net, "init", [("s0", "p"), ("next", "p", "n")], put)
    transition(
        net,
        "spawn",
        [("s1", "p", "c"), ("next", "p", "n")],
        [("s1", "p", "c+1"), ("h1", "p.child(n+1)"), ("next", "p", "n+1"), ("next", "p.child(n+1)", "0+0")],
        f"c < {m}",
    )
    transition(net, "comp", [("h1", "h")], [("h2", "h")])
    transition(
        net,
        "call",
        [("h2", "h"), ("next", "h", "n")],
        [("h3", "h"), ("f1", "h.child(n+1)"), ("next", "h", "n+1"), ("next", "h.child(n+1)", "0+0")],
    )
    transition(net, "fun", [("f1", "f")], [("f2", "f")])
    take = [("h3", "h"), ("f2", "f"), ("next", "f", "n")]
    transition(net, "ret", take, [("h4", "h")], "parent(h, f)")
    take = [("s1", "p", "c"), ("h4", "h"), ("next", "h", "n")]
    transition(net, "wait", take, [("s1", "p", "c-1")], "parent(p, h)")
    return net


def server(listeners, handlers, years):
    """models/server.tnet; its guards count tokens of the marking, so they look into the net."""
    pids = [Pid((i,)) for i in range(1, listeners + 1)]
    net = new_net("server", ["L", "H", "F"], {"L": pids, "next": [(pid, 0) for pid in pids]})
    parent = RELATIONS["parent"]
    net.globals["busy"] = lambda p, place: sum(parent(p, t[0]) for t in net.place(place).tokens)
    net.globals["leap"] = lambda y: int(y % 4 == 0 and (y % 100 != 0 or y % 400 == 0))
    asked = f"in {tuple(years)}"
    for year in years:
        transition(
            net,
            f"create {year}",
            [("L", "p"), ("next", "p", "n")],
            [("L", "p"), ("H", "p.child(n+1)", f"{year}+0"), ("next", "p", "n+1"), ("next", "p.child(n+1)", "0+0")],
            f"busy(p, 'H') < {handlers}",
        )
    transition(
        net,
        "call",
        [("H", "h", "y"), ("next", "h", "n")],
        [("H", "h", "y"), ("F", "h.child(n+1)", "y"), ("next", "h", "n+1"), ("next", "h.child(n+1)", "0+0")],
        f"y {asked} and busy(h, 'F') == 0",
    )
    transition(net, "comp", [("F", "f", "y")], [("F", "f", "leap(y)")], f"y {asked}")
    take = [("H", "h", "y"), ("F", "f", "a"), ("next", "f", "n")]
    transition(net, "ret", take, [("H", "h", "a")], f"parent(h, f) and not a {asked}")
    take = [("L", "p"), ("H", "h", "a"), ("next", "h", "n")]
    transition(net, "wait", take, [("L", "p")], f"parent(p, h) and not a {asked}")
    return net


def fork_join(size):
    """models/fork-join.tnet."""
    root = Pid((1,))
    net = new_net("fork-join", ["start", "task", "waiting", "done", "over"], {"start": [root], "next": [(root, 0)]})
    first = [("next", "p.child(i+1)", "0+0"), ("next", "p", "i+1")]
    take = [("start", "p"), ("next", "p", "i")]
    transition(net, "begin", take, [("over", "p"), ("task", "p.child(i+1)", f"{size}+0"), *first])
    put = [("waiting", "p", "2+0"), ("task", "p.child(i+1)", "n//2"), ("task", "p.child(i+2)", "n-n//2")]
    put += [("next", "p", "i+2"), ("next", "p.child(i+1)", "0+0"), ("next", "p.child(i+2)", "0+0")]
    transition(net, "fork", [("task", "p", "n"), ("next", "p", "i")], put, "n > 1")
    transition(net, "leaf", [("task", "p", "n")], [("done", "p")], "n <= 1")
    take = [("waiting", "p", "n"), ("done", "c"), ("next", "c", "i")]
    transition(net, "join", take, [("waiting", "p", "n-1")], "parent(p, c) and n > 1")
    transition(net, "combine", take, [("done", "p")], "parent(p, c) and n == 1")
    return net


def work_stealing(workers, jobs):
    """models/work-stealing.tnet; a thief looks whether its own queue is empty."""
    root = Pid((1,))
    net = new_net("work-stealing", ["pool", "idle", "busy", "queue"], {"pool": [(root, 0)], "next": [(root, 0)]})
    net.globals["queued"] = lambda w: sum(token[0] == w for token in net.place("queue").tokens)
    children = [f"p.child(i+{number})" for number in range(1, workers + 1)]
    put = [("pool", "p", "1+0"), ("next", "p", f"i+{workers}")]
    put += [(place, child) for place in ["idle"] for child in children] + [("next", child, "0+0") for child in children]
    put += [("queue", children[0], "2+0")] * jobs
    transition(net, "start", [("pool", "p", "s"), ("next", "p", "i")], put, "s == 0")
    transition(net, "pop", [("idle", "w"), ("queue", "w", "n")], [("busy", "w", "n")])
    take = [("idle", "w"), ("queue", "v", "n")]
    transition(net, "steal", take, [("busy", "w", "n")], "v != w and queued(w) == 0")
    put = [("idle", "w"), ("queue", "w", "n-1"), ("queue", "w", "n-1")]
    transition(net, "split", [("busy", "w", "n")], put, "n > 1")
    transition(net, "finish", [("busy", "w", "n")], [("idle", "w")], "n <= 1")
    return net


def supervisor(width, restarts):
    """models/supervisor.tnet."""
    root = Pid((1,))
    places = ["boot", "top", "low", "failing", "work", "crashed"]
    net = new_net("supervisor", places, {"boot": [root], "next": [(root, 0)]})
    transition(net, "start", [("boot", "p")], [("top", "p", "0+0")])
    born = [("next", "p", "i+1"), ("next", "p.child(i+1)", "0+0")]
    put = [("top", "p", "n+1"), ("low", "p.child(i+1)", "0+0", f"{restarts}+0"), *born]
    transition(net, "supervise", [("top", "p", "n"), ("next", "p", "i")], put, f"n < {width}")
    put = [("low", "p", "n+1", "r"), ("work", "p.child(i+1)"), *born]
    transition(net, "spawn", [("low", "p", "n", "r"), ("next", "p", "i")], put, f"n < {width}")
    transition(net, "crash", [("work", "w")], [("crashed", "w")])
    take = [("low", "s", "n", "r"), ("crashed", "w"), ("next", "w", "i")]
    transition(net, "mend", take, [("low", "s", "n-1", "r-1")], "parent(s, w) and r > 0")
    transition(net, "give_in", take, [("failing", "s", "n-1")], "parent(s, w) and r == 0")
    for name, place in [("stop_child", "work"), ("collect", "crashed")]:
        take = [("failing", "s", "n"), (place, "w"), ("next", "w", "i")]
        transition(net, name, take, [("failing", "s", "n-1")], "parent(s, w)")
    take = [("top", "p", "n"), ("failing", "s", "c"), ("next", "s", "i")]
    transition(net, "replace", take, [("top", "p", "n-1")], "parent(p, s) and c == 0")
    return net


class Classes:
    """The classes met so far, each with the graph of one of its markings."""

    def __init__(self, relations):
        self.relations = relations
        self.buckets = {}
        self.count = 0
        self.tests = []

    def number_of(self, marking):
        """The class of a marking, and whether it is new."""
        graph = graph_of(marking, self.relations)
        key = frozenset(Counter(label for _, label in graph.nodes(data="label")).items())
        bucket = self.buckets.setdefault(key, [])
        for number, other in bucket:
            if self.isomorphic(other, graph):
                return number, False
        bucket.append((self.count, graph))
        self.count += 1
        return self.count - 1, True

    def isomorphic(self, q, r):
        begin = time.perf_counter()
        same = is_isomorphic(q, r)
        seconds = time.perf_counter() - begin
        arcs, vertices = q.size() + r.size(), q.order() + r.order()
        self.tests.append({"av": arcs * vertices, "seconds": seconds, "equivalent": same})
        return same


def explore(net, relations, deadline):
    """Classes, edges, and whether that is all of them."""
    classes, edges = Classes(relations), set()
    waiting = [(classes.number_of(net.get_marking())[0], net.get_marking())]
    while waiting:
        if time.perf_counter() > deadline:
            return classes, edges, False
        source, marking = waiting.pop()
        net.set_marking(marking)
        for name in sorted(trans.name for trans in net.transition()):
            net.set_marking(marking)
            for mode in net.transition(name).modes():
                net.set_marking(marking)
                net.transition(name).fire(mode)
                target, is_new = classes.number_of(net.get_marking())
                edges.add((source, name, target))
                if is_new:
                    waiting.append((target, net.get_marking()))
    return classes, edges, True


# each model: how it is made, and its parameters
MODELS = {
    "nkm": (nkm, ["k", "m"]),
    "server": (server, ["listeners", "handlers", "years"]),
    "fork-join": (fork_join, ["size"]),
    "work-stealing": (work_stealing, ["workers", "jobs"]),
    "supervisor": (supervisor, ["width", "restarts"]),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=list(MODELS))
    numbers = {"k": 1, "m": 1, "listeners": 2, "handlers": 1, "size": 4, "workers": 2, "jobs": 2, "width": 2, "restarts": 1}
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--years", type=lambda text: [int(year) for year in text.split(",")], default=[2008, 2009])
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end the exploration after so long")
    parser.add_argument("--relations", default="parent", help=",".join(RELATIONS) + " or all")
    parser.add_argument("--tests", action="store_true", help="list every comparison of two graphs")
    return parser.parse_args()


def main():
    args = arguments()
    relations = list(RELATIONS) if args.relations == "all" else args.relations.split(",")
    make, names = MODELS[args.model]
    params = [getattr(args, name) for name in names]
    begin = time.perf_counter()
    classes, edges, complete = explore(make(*params), relations, begin + args.seconds)
    document = {
        "format": "pidlab-snakes/1",
        "model": args.model,
        "params": params,
        "relations": relations,
        "states": classes.count,
        "edges": len(edges),
        "complete": complete,
        "comparisons": len(classes.tests),
        "comparing_seconds": sum(test["seconds"] for test in classes.tests),
        "seconds": time.perf_counter() - begin,
    }
    if args.tests:
        document["tests"] = classes.tests
    print(json.dumps(document))


if __name__ == "__main__":
    main()
