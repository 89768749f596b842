"""Isomorphism and canonical forms of graphs, against NetworkX and by brute force."""

import gc
import itertools
import random

import igraph
import networkx as nx
import pidlab
import pytest

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def random_graph(kind, rng, nodes, edges):
    graph = kind()
    graph.add_nodes_from((n, {"color": rng.choice("ab")}) for n in range(nodes))
    for _ in range(edges):
        graph.add_edge(rng.randrange(nodes), rng.randrange(nodes), weight=rng.choice([1, 2]))
    return graph


def renamed(graph, rng):
    names = [f"v{n}" for n in graph]
    rng.shuffle(names)
    mapping = dict(zip(graph, names))
    other = graph.__class__()
    nodes = list(graph.nodes(data=True))
    rng.shuffle(nodes)
    other.add_nodes_from((mapping[n], data) for n, data in nodes)
    edges = list(graph.edges(data=True))
    rng.shuffle(edges)
    for x, y, data in edges:
        if not graph.is_directed() and rng.random() < 0.5:
            x, y = y, x
        other.add_edge(mapping[x], mapping[y], **data)
    return other


def content(graph, mapping=None):
    """Nodes with colours and edges with weights, as they are under a mapping of nodes."""
    mapping = mapping or {n: n for n in graph}
    nodes = sorted((str(mapping[n]), c) for n, c in graph.nodes(data="color"))
    ends = lambda x, y: (str(mapping[x]), str(mapping[y]))
    edges = (
        (ends(x, y) if graph.is_directed() else tuple(sorted(ends(x, y))), w)
        for x, y, w in graph.edges(data="weight")
    )
    return nodes, sorted(edges)


def by_force(G, H):
    if len(G) != len(H):
        return False
    wanted = content(H)
    return any(content(G, dict(zip(G, p))) == wanted for p in itertools.permutations(H))


@pytest.mark.parametrize("kind", KINDS)
def test_agrees_with_brute_force(kind):
    rng = random.Random(2010)
    found = {True: 0, False: 0}
    for round in range(120):
        G = random_graph(kind, rng, rng.randrange(1, 6), rng.randrange(8))
        H = renamed(G, rng)
        if round % 2:
            H = random_graph(kind, rng, len(G), G.number_of_edges())
        answer = pidlab.isomorphic(G, H, node_color="color", edge_color="weight")
        assert bool(answer) == by_force(G, H)
        forms = [pidlab.canonical_form(g, node_color="color", edge_color="weight") for g in (G, H)]
        assert (forms[0] == forms[1]) == bool(answer)
        if answer:
            assert content(G, answer.mapping) == content(H)
            assert hash(forms[0]) == hash(forms[1])
        found[bool(answer)] += 1
    assert min(found.values()) > 20


@pytest.mark.parametrize("kind", KINDS)
def test_agrees_with_networkx(kind):
    rng = random.Random(7)
    for _ in range(20):
        G = random_graph(kind, rng, 30, 60)
        for H in (renamed(G, rng), random_graph(kind, rng, 30, 60)):
            same = nx.is_isomorphic(G, H)
            assert bool(pidlab.isomorphic(G, H)) == same
            assert (pidlab.canonical_form(G) == pidlab.canonical_form(H)) == same


def test_libraries_may_be_mixed():
    G = nx.petersen_graph()
    H = igraph.Graph.Famous("Petersen")
    P = pidlab.Graph(10, list(G.edges))
    for a, b in itertools.product((G, H, P), repeat=2):
        assert pidlab.isomorphic(a, b)
        assert pidlab.canonical_form(a) == pidlab.canonical_form(b)
    assert pidlab.isomorphic(nx.Graph(), igraph.Graph()) and pidlab.isomorphic(nx.Graph(), pidlab.Graph(0, []))
    assert not pidlab.isomorphic(nx.Graph(), nx.DiGraph())


def test_igraph_colours_and_directions():
    G = igraph.Graph([(0, 1), (1, 2)], directed=True)
    H = igraph.Graph([(2, 1), (1, 0)], directed=True)
    assert pidlab.isomorphic(G, H).mapping == {0: 2, 1: 1, 2: 0}
    G.vs["color"], H.vs["color"] = ["a", "b", "a"], ["a", "a", "b"]
    assert not pidlab.isomorphic(G, H, node_color="color")
    G.es["weight"], H.es["weight"] = [1, 2], [1, 2]
    assert pidlab.isomorphic(G, H, edge_color="weight")
    H.es["weight"] = [2, 1]
    assert not pidlab.isomorphic(G, H, edge_color="weight")
    with pytest.raises(ValueError, match="node_color: G has no attribute"):
        pidlab.isomorphic(G, H, node_color="shade")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("edges", [30, 700])
def test_igraph_sparse_and_dense_with_loops_and_parallel_edges(directed, edges):
    """Both ways of reading: the edges are those that igraph lists, however many there are to a vertex."""
    rng = random.Random(edges)
    pairs = [(rng.randrange(25), rng.randrange(25)) for _ in range(edges)] + [(3, 3)] * 3
    G = igraph.Graph(n=25, edges=pairs, directed=directed)
    G.vs["color"], G.es["weight"] = [n % 2 for n in range(25)], [n % 3 for n in range(len(pairs))]
    turn = lambda x, y: (x, y) if directed else (min(x, y), max(x, y))
    wanted = sorted(turn(x, y) for x, y in pairs)
    for options in ({}, {"node_color": "color"}, {"edge_color": "weight"}):
        read = pidlab.Graph.of_graph(G, **options)
        assert sorted(turn(x, y) for x, y, _ in read.edges) == wanted
    assert sorted((*turn(x, y), w) for x, y, w in read.edges) == sorted(
        (*turn(x, y), n % 3) for n, (x, y) in enumerate(pairs)
    )
    places = rng.sample(range(25), 25)
    H = G.permute_vertices(places)
    assert pidlab.isomorphic(G, H, node_color="color")
    H.delete_edges([0])
    H.add_edges([(places[3], places[3])])
    assert not pidlab.isomorphic(G, H)


class Odd(igraph.Graph):
    """Neighbours as in no graph."""

    def neighbors(self, vertex, mode="all"):
        return [0] * 3


def test_subclasses_of_igraph_may_have_neighbours_of_their_own():
    pairs = list(itertools.combinations(range(20), 2))
    assert pidlab.isomorphic(Odd(n=20, edges=pairs), igraph.Graph.Full(20))


class Pretender:
    """Has the methods of a graph of igraph and says what it likes."""

    def __init__(self, vertices, edges=0, pairs=()):
        self.vcount, self.ecount, self.get_edgelist = (lambda: vertices), (lambda: edges), (lambda: list(pairs))

    def is_directed(self):
        return False

    def neighbors(self, vertex, mode):
        return [None, 2**40]


@pytest.mark.parametrize(
    "says",
    [(2**41,), (2**62,), (2**70,), (-1,), ("x",), (None,), (2, -1), (2, "x"), (2, 2**44), (2, 2**62), (2, 2**70)]
    + [(2, 99, [(0, 2)]), (2, 1, [(0, 2**40)]), (2, 1, [(0, -1)]), (2, 1, [0]), (2, 1, [("a", "b")])],
    ids=str,
)
def test_what_only_looks_like_a_graph_of_igraph_is_refused(says):
    with pytest.raises((TypeError, ValueError), match="G"):
        pidlab.isomorphic(Pretender(*says), igraph.Graph(2))


def test_reading_igraph_leaves_the_collector_as_it_was():
    G = igraph.Graph.Ring(50)
    try:
        for switch, enabled in ((gc.disable, False), (gc.enable, True)):
            switch()
            assert pidlab.isomorphic(G, G) and gc.isenabled() == enabled
    finally:
        gc.enable()


def test_views_and_subclasses_of_networkx():
    G = nx.cycle_graph(6)
    part = G.subgraph([0, 1, 2])
    assert pidlab.isomorphic(part, nx.path_graph(3))
    assert pidlab.isomorphic(G.to_directed(as_view=True), nx.cycle_graph(6).to_directed())
    D = nx.DiGraph([(0, 1), (1, 2)])
    assert pidlab.isomorphic(D.reverse(copy=False), nx.DiGraph([(5, 4), (4, 3)]))


def test_colours_are_equal_as_python_says():
    def coloured(*colours):
        G = nx.empty_graph(len(colours))
        nx.set_node_attributes(G, dict(enumerate(colours)), "color")
        return G

    same = lambda *pair: bool(pidlab.isomorphic(*(coloured(*c) for c in pair), node_color="color"))
    assert same([1, "x"], ["x", True]) and same([1.0, None], [None, 1]) and same([(1, "a")], [(1.0, "a")])
    assert not same([1], ["1"]) and not same([b"a"], ["a"]) and not same([0.5], [0.25])
    assert same([2**100, -0.0], [0, 2**100])
    for bad in (object(), {1}, 2**200, float("nan"), 1j):
        with pytest.raises((TypeError, ValueError), match="node_color"):
            same([bad], [bad])


def test_many_edge_colours():
    rng = random.Random(1)
    G = nx.gnm_random_graph(80, 200, seed=3)
    for x, y in G.edges:
        G.edges[x, y]["weight"] = rng.randrange(150)
    H = renamed(G, rng)
    assert pidlab.isomorphic(G, H, edge_color="weight")
    assert pidlab.canonical_form(G, edge_color="weight") == pidlab.canonical_form(H, edge_color="weight")
    x, y = next(iter(H.edges))
    H.edges[x, y]["weight"] += 1
    assert not pidlab.isomorphic(G, H, edge_color="weight")


def test_canonical_form_is_the_graph_again():
    rng = random.Random(4)
    G = random_graph(nx.MultiDiGraph, rng, 12, 30)
    form = pidlab.canonical_form(G, node_color="color", edge_color="weight")
    H = nx.MultiDiGraph()
    H.add_nodes_from((n, {"color": c}) for n, c in enumerate(form.colors))
    H.add_edges_from((x, y, {"weight": w}) for x, y, w in form.edges)
    assert sorted(form.order) == sorted(G) and form.directed
    assert content(G, {n: i for i, n in enumerate(form.order)}) == content(H)


def test_hard_pairs():
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    shrikhande = nx.Graph()
    for x, y in itertools.product(range(4), repeat=2):
        for dx, dy in ((1, 0), (0, 1), (1, 1)):
            shrikhande.add_edge((x, y), ((x + dx) % 4, (y + dy) % 4))
    assert not pidlab.isomorphic(rook, shrikhande)
    assert pidlab.isomorphic(rook, nx.convert_node_labels_to_integers(rook))


def test_graphs_of_our_own():
    G = pidlab.Graph(["a", "a", "b"], [(0, 1), (1, 2, "thick")], directed=True)
    assert len(G) == 3 and G.directed and G.colors == ["a", "a", "b"]
    assert G.edges == [(0, 1, None), (1, 2, "thick")]
    assert repr(G) == "Graph(vertices=3, edges=2, directed)" and G._repr_svg_().startswith("<svg")
    assert pidlab.Graph.of_graph(nx.path_graph(3)).edges == [(0, 1, None), (1, 2, None)]
    for vertices, edges in ((2, [(0, 2)]), (-1, []), (2**40, []), (2, [(0, -1)])):
        with pytest.raises(ValueError):
            pidlab.Graph(vertices, edges)
    for vertices, edges in ((None, []), (2, 5), (2, [0]), (2, ["ab"]), (2, [(0, 1, 2, 3)]), ("ab", [])):
        with pytest.raises(TypeError):
            pidlab.Graph(vertices, edges)
    with pytest.raises(TypeError, match="G: expected a graph"):
        pidlab.isomorphic(3, G)


def test_a_time_limit_raises():
    base = nx.random_regular_graph(3, 4000, seed=1)
    with pytest.raises(pidlab.Undecided):
        pidlab.canonical_form(base, timeout=0)
