"""SNAKES as a pidlab backend: the program of ICTAC'08. A state becomes a marking of SNAKES, with a place for each
location and a place `next` that says how many threads each active pid has created; the marking becomes the
graph R(M) of ICTAC'08, section 4, and NetworkX's VF2 compares two of them.

SNAKES 0.9.33 runs on Python 3, but its plugin for pids (`snakes.plugins.pids`) does not: it needs `sys.maxint`,
`__getslice__` and `.next()` of Python 2. So pids are tuples here. Arcs between all pairs of pids are looked for, as in the
paper: building is quadratic in their number.
"""
import sys
import threading
from itertools import permutations

import networkx
from networkx.algorithms.isomorphism import DiGraphMatcher
from snakes.data import MultiSet
from snakes.nets import Marking


class Pid(tuple):
    """1.2 is the second thread that 1 has created: Pid((1, 2))."""

    def child(self, number):
        return Pid(self + (number,))


RELATIONS = {
    "parent": lambda x, y: y[:-1] == x,
    "ancestor": lambda x, y: len(x) < len(y) and y[: len(x)] == x,
    "adjacent-sibling": lambda x, y: x[:-1] == y[:-1] and x[-1] + 1 == y[-1],
    "elder-sibling": lambda x, y: x[:-1] == y[:-1] and x[-1] < y[-1],
}


def pid_of(text):
    return Pid(int(number) for number in text.split("."))


def component(value):
    """A pid, or data with its type: to Python 1 and True are the same."""
    if isinstance(value, str) and value.startswith("@") and not value.startswith("@@"):
        return pid_of(value[1:])
    return type(value).__name__, value


def marking_of(state):
    places = {
        location: MultiSet(tuple(component(value) for value in vector) for vector in vectors)
        for location, vectors in state["sigma"].items()
    }
    # a location of the same name is another place
    places["next",] = MultiSet((pid_of(pid), created) for pid, created in state["eta"].items())
    return Marking(places)


def tokens_of(marking, counters):
    """Pairs of place and token, a token always as a tuple; those of the place of counters apart."""
    ordinary, created = [], {}
    for place, tokens in marking.items():
        for token in tokens:
            parts = (token,) if isinstance(token, Pid) else tuple(token)
            if place == counters:
                created[parts[0]] = parts[1]
            else:
                ordinary.append((place, parts))
    return ordinary, created


def graph_of(marking, relations, counters="next"):
    """R(M): a vertex for every token and pid, next-pids among them; arcs for positions and relations."""
    ordinary, created = tokens_of(marking, counters)
    graph = networkx.DiGraph()
    following = {pid: pid.child(count + 1) for pid, count in created.items()}
    pids = {part for _, parts in ordinary for part in parts if isinstance(part, Pid)} | set(created)
    for pid in pids | set(following.values()):
        graph.add_node(pid, label=("pid", pid in pids, pid in created))
    for pid, next_pid in following.items():
        add_label(graph, pid, next_pid, "next")
    for x, y in permutations(list(graph), 2):
        for name in relations:
            if RELATIONS[name](x, y):
                add_label(graph, x, y, name)
    for number, (place, parts) in enumerate(ordinary):
        data = tuple(part for part in parts if not isinstance(part, Pid))
        graph.add_node(number, label=("token", place, data))
        for position, part in enumerate(parts):
            if isinstance(part, Pid):
                add_label(graph, number, part, position)
    return graph


def add_label(graph, x, y, label):
    labels = graph[x][y]["labels"] if graph.has_edge(x, y) else frozenset()
    graph.add_edge(x, y, labels=labels | {label})


def is_isomorphic(q, r):
    return DiGraphMatcher(
        q,
        r,
        node_match=lambda a, b: a["label"] == b["label"],
        edge_match=lambda a, b: a["labels"] == b["labels"],
    ).is_isomorphic()


def main():
    from pidlab_adapter import serve

    def build(state, relations):
        return graph_of(marking_of(state), relations, ("next",))

    serve("states", build, is_isomorphic, lambda graph: (graph.order(), graph.size()))


if __name__ == "__main__":
    # the matcher recurses once for each vertex
    sys.setrecursionlimit(1_000_000)
    threading.stack_size(512 << 20)
    worker = threading.Thread(target=main)
    worker.start()
    worker.join()
