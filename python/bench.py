#!/usr/bin/env python3
"""Measures the Python package: python/bench.py [calls] [graphs] [snakes] [--limit SECONDS] (all three unless named).

Needs the wheel, and for `graphs` whatever of networkx, igraph, rustworkx, pynauty and dejavu-gi is
installed; for `snakes` SNAKES and networkx. Times are the least of several repetitions, every library on
graphs of its own type that were made before the clock started. `--limit` is the time of one library on one
pair of graphs, and of NetworkX on one net. On a loaded machine only ratios within a row mean anything.
"""

import argparse
import importlib
import json
import multiprocessing
import random
import sys
import time
from pathlib import Path

import pidlab

LIMITS = {"graphs": 20.0, "snakes": 200.0}  # seconds for one library on one pair, for one state graph


def least(call, budget=0.5, most=200):
    """The least time of a call, repeated as long as the budget lasts."""
    times, begin = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - begin < budget and len(times) < most):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
        if times[-1] > budget:
            break
    return min(times)


class Table:
    """A table that shows each row as soon as it is known."""

    def __init__(self, title, *head):
        print(f"\n## {title}\n")
        self.row(*head)
        print("|" + "---|" * len(head), flush=True)

    def row(self, *cells):
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def calls(_limit):
    """What a call from Python costs beyond the engine, and states from objects against JSON."""
    title = "equivalent: the call from Python against the engine's own time"
    table = Table(title, "p", "pair", "engine, µs", "call from Python, µs", "more")
    for pids in (100, 1800, 10_000):
        q = pidlab.random_state(seed=2010, pids=pids)
        for kind in ("rename", "near-miss"):
            r = pidlab.transform(q, kind, seed=1).state
            best = None
            for _ in range(200 if pids < 10_000 else 30):
                start = time.perf_counter()
                answer = pidlab.equivalent(q, r)
                whole = time.perf_counter() - start
                within = sum(answer.times)
                if best is None or whole < best[0]:
                    best = (whole, within)
            whole, within = best
            share = f"+{100 * (whole / within - 1):.1f} %"
            table.row(pids, kind, f"{within * 1e6:.0f}", f"{whole * 1e6:.0f}", share)
    title = "State from Python objects against the same JSON"
    table = Table(title, "p", "JSON, µs", "objects, µs", "ratio")
    for pids in (100, 1800, 10_000):
        text = pidlab.random_state(seed=2010, pids=pids).to_json()
        fields = json.loads(text)
        by_text = least(lambda: pidlab.State(text))
        by_objects = least(lambda: pidlab.State(fields))
        ratio = f"{by_objects / by_text:.2f}"
        table.row(pids, f"{by_text * 1e6:.0f}", f"{by_objects * 1e6:.0f}", ratio)


class Pair:
    """A graph and a renamed copy, or a twin: vertex colours and undirected edges."""

    def __init__(self, name, colors, edges, twin=None, seed=1):
        self.name = name
        rng = random.Random(seed)
        place = list(range(len(colors)))
        rng.shuffle(place)
        other_colors, other_edges = twin or (colors, edges)
        moved = [0] * len(place)
        for vertex, color in enumerate(other_colors):
            moved[place[vertex]] = color
        renamed = [(place[x], place[y]) for x, y in other_edges]
        rng.shuffle(renamed)
        self.sides = [(colors, edges), (moved, renamed)]
        self.same = twin is None
        self.colored = len(set(colors)) > 1


def coloured_random(vertices, degree, colors):
    rng = random.Random(vertices)
    edges = set()
    while len(edges) < vertices * degree // 2:
        x, y = rng.sample(range(vertices), 2)
        edges.add((min(x, y), max(x, y)))
    return [rng.randrange(colors) for _ in range(vertices)], sorted(edges)


def of_state(state):
    """The graph of a hard state: `E` holds its edges, twice each; other locations are colours."""
    number = {pid: n for n, pid in enumerate(state.pids)}
    places = {place: n for n, place in enumerate(sorted(state.sigma))}
    colors, edges = [0] * len(number), set()
    for place, vectors in state.sigma.items():
        for vector in vectors:
            ends = [number[pid] for pid in vector]
            if len(ends) == 1:
                colors[ends[0]] = 1 + places[place]
            else:
                edges.add((min(ends), max(ends)))
    return colors, sorted(edges)


def hard(family, size, twin=False):
    base = of_state(pidlab.hard_instance(family, size).state)
    other = of_state(pidlab.hard_instance(family, size, variant="twin").state) if twin else None
    kind = ", twin" if twin else ""
    return Pair(f"{family} {size}{kind}", *base, twin=other)


def pairs():
    for vertices in (200, 1000, 5000):
        yield Pair(f"random {vertices}, degree 8, 4 colours", *coloured_random(vertices, 8, 4))
    yield Pair("random 1000, degree 8, 1 colour", *coloured_random(1000, 8, 1))
    for vertices, degree in ((400, 16), (400, 60), (400, 100), (400, 200), (1000, 200), (1000, 600)):
        colored = coloured_random(vertices, degree, 3)
        yield Pair(f"random {vertices}, degree {degree}, 3 colours", *colored)
    yield hard("cubic", 1000)
    yield hard("cubic", 1000, twin=True)
    yield hard("cfi", 20)
    yield hard("cfi", 60)
    yield hard("cfi", 60, twin=True)
    yield hard("latin-graph", 15)
    yield hard("triangular", 24)
    yield hard("rook", 16)
    yield hard("projective-plane", 16)
    yield hard("torus", 20)
    yield hard("multipede", 60)


def networkx_graph(colors, edges):
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from((n, {"color": c}) for n, c in enumerate(colors))
    graph.add_edges_from(edges)
    return graph


def igraph_graph(colors, edges):
    import igraph

    graph = igraph.Graph(n=len(colors), edges=edges)
    graph.vs["color"] = colors
    return graph


def rustworkx_graph(colors, edges):
    import rustworkx

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(colors)
    graph.add_edges_from_no_data(edges)
    return graph


def pynauty_graph(colors, edges):
    import pynauty

    adjacency = {}
    for x, y in edges:
        adjacency.setdefault(x, []).append(y)
    cells = [{v for v, c in enumerate(colors) if c == color} for color in sorted(set(colors))]
    return pynauty.Graph(len(colors), adjacency_dict=adjacency, vertex_coloring=cells)


def networkx_vf2(g, h):
    import networkx

    return networkx.is_isomorphic(g, h, node_match=lambda a, b: a["color"] == b["color"])


def networkx_vf2pp(g, h):
    import networkx

    return networkx.vf2pp_is_isomorphic(g, h, node_label="color")


def igraph_bliss(g, h):
    return g.isomorphic_bliss(h, color1=g.vs["color"], color2=h.vs["color"])


def igraph_vf2(g, h):
    return g.isomorphic_vf2(h, color1=g.vs["color"], color2=h.vs["color"])


def rustworkx_vf2(g, h):
    import rustworkx

    return rustworkx.is_isomorphic(g, h, node_matcher=lambda a, b: a == b)


def pynauty_same(g, h):
    import pynauty

    return pynauty.isomorphic(g, h)


def dejavu(g, h):
    import dejavu_gi

    return bool(dejavu_gi.are_isomorphic(g[0], g[1], h[0], h[1]))


def dejavu_graph(colors, edges):
    if len(set(colors)) > 1:
        raise NotImplementedError  # its comparison knows no colours
    return len(colors), [list(edge) for edge in edges]


def pidlab_graph(colors, edges):
    return pidlab.Graph(colors, edges)


def pidlab_same(g, h):
    return pidlab.isomorphic(g, h, node_color="color")


LIBRARIES = {
    "pidlab": (pidlab_graph, pidlab_same),
    "pidlab on networkx": (networkx_graph, pidlab_same),
    "pidlab on igraph": (igraph_graph, pidlab_same),
    "networkx": (networkx_graph, networkx_vf2),
    "networkx vf2pp": (networkx_graph, networkx_vf2pp),
    "igraph bliss": (igraph_graph, igraph_bliss),
    "igraph vf2": (igraph_graph, igraph_vf2),
    "rustworkx": (rustworkx_graph, rustworkx_vf2),
    "pynauty": (pynauty_graph, pynauty_same),
    "dejavu": (dejavu_graph, dejavu),
}


def measure(library, pair, limit, queue):
    """In a process of its own: seconds, or why there are none."""
    sys.setrecursionlimit(10**6)
    make, compare = LIBRARIES[library]
    try:
        g, h = (make(*side) for side in pair.sides)
        same = bool(compare(g, h))
        queue.put("wrong" if same != pair.same else least(lambda: compare(g, h), min(0.5, limit / 4)))
    except (ImportError, NotImplementedError):
        queue.put("n/a")
    except Exception as error:
        queue.put(type(error).__name__)


def timed(library, pair, limit):
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=measure, args=(library, pair, limit, queue))
    process.start()
    try:
        return queue.get(timeout=limit)
    except Exception:
        return "timeout" if process.is_alive() else "crash"
    finally:
        process.kill()
        process.join()


def against(times, ours, others):
    """How many times as long as the fastest of others."""
    best = min((times[name] for name in others if isinstance(times[name], float)), default=float("inf"))
    return times[ours] / best if isinstance(times[ours], float) else float("inf")


def graphs(limit):
    """`isomorphic` beside the other libraries, one row a pair."""
    for module in ("networkx", "igraph", "rustworkx", "pynauty", "dejavu_gi"):
        try:  # once, not in the time of every pair
            importlib.import_module(module)
        except ImportError:
            print(f"{module} is not installed")
    others = [name for name in LIBRARIES if not name.startswith("pidlab")]
    head = (*(f"{name}, ms" for name in LIBRARIES), "pidlab / fastest other", "pidlab on igraph / igraph")
    title = "isomorphic, both graphs of the library's own type"
    table, ratios = Table(title, "pair", "vertices, edges", *head), []
    for pair in pairs():
        times = {library: timed(library, pair, limit) for library in LIBRARIES}
        rivals = (("pidlab", others), ("pidlab on igraph", ["igraph bliss", "igraph vf2"]))
        ratios.append([against(times, *rival) for rival in rivals])
        shown = (f"{t * 1e3:.3f}" if isinstance(t, float) else t for t in times.values())
        size = f"{len(pair.sides[0][0])}, {len(pair.sides[0][1])}"
        table.row(pair.name, size, *shown, *(f"{ratio:.2f}" for ratio in ratios[-1]))
    for title, column in zip(("the fastest", "igraph on its own graphs"), zip(*ratios)):
        within = sum(ratio <= 2 for ratio in column)
        print(f"\nfaster than or within 2 times of {title}: {within} of {len(column)} pairs")


class NetworkxClasses:
    """Classes of states as the papers had them: layered graphs, compared in pairs by NetworkX."""

    def __init__(self, limit):
        self.buckets = {}
        self.end = time.perf_counter() + limit

    def __setitem__(self, state, number):
        graph, bucket = self._bucket(state)
        bucket.append((graph, number))

    def get(self, state):
        import networkx

        graph, bucket = self._bucket(state)
        if time.perf_counter() > self.end:
            raise TimeoutError
        for other, number in bucket:
            if networkx.is_isomorphic(
                graph,
                other,
                node_match=lambda a, b: a["label"] == b["label"],
                edge_match=lambda a, b: a["labels"] == b["labels"],
            ):
                return number
        return None

    def _bucket(self, state):
        """The graph with sets of labels on its arcs, and those with the same labels and sizes."""
        import networkx

        full = pidlab.layered_graph(state)
        graph = networkx.DiGraph()
        graph.add_nodes_from((n, {"label": label}) for n, label in full.nodes(data="label"))
        for x, y, label in full.edges(data="label"):
            labels = graph.get_edge_data(x, y, {}).get("labels", frozenset())
            graph.add_edge(x, y, labels=labels | {label})
        key = (tuple(sorted(label for _, label in full.nodes(data="label"))), full.number_of_edges())
        return graph, self.buckets.setdefault(key, [])


def snakes(limit):
    """State graphs of SNAKES modulo equivalence: our canonical form against NetworkX in pairs."""
    sys.path.insert(0, str(Path(__file__).resolve().parent / "examples"))
    import networkx  # noqa: F401  (imported before the clock starts)
    from snakes_nets import nets, nkm

    head = ("net", "states", "SNAKES + pidlab, s", "SNAKES + NetworkX, s", "ratio", "same counts")
    table = Table("SNAKES", *head)
    for k, m in ((1, 1), (2, 1), (1, 2), (3, 1), (2, 2), (3, 2)):
        ours, counts = state_graph(nets, nkm(k, m), None)
        theirs, others = state_graph(nets, nkm(k, m), NetworkxClasses(limit))
        agree = {None: "not finished"}.get(others, "yes" if counts == others else f"no: {others}")
        more = "more than " if others is None else ""
        shown = (f"{ours:.3f}", f"{more}{theirs:.3f}", f"{more}{theirs / ours:.1f}")
        table.row(f"N({k},{m})", counts[0], *shown, agree)


def state_graph(nets, net, classes):
    """Seconds, and the counts of the whole graph unless the limit came first."""
    start = time.perf_counter()
    try:
        counts = tuple(nets.StateGraph(net, classes=classes).counts().values())
    except TimeoutError:
        counts = None
    return time.perf_counter() - start, counts


def main():
    parts = {"calls": calls, "graphs": graphs, "snakes": snakes}
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    arguments.add_argument("--limit", type=float, help="seconds of a library on a pair, of NetworkX on a net")
    given = arguments.parse_args()
    for part in given.parts or parts:
        if part not in parts:
            arguments.error(f"there is no part {part!r}; the parts are {', '.join(parts)}")
        parts[part](given.limit or LIMITS.get(part))


if __name__ == "__main__":
    main()
