"""Sage's graph isomorphism, the program behind the figures of SACS'10, as pidlab backends.

Wants the layered graphs. Arcs keep their label sets as labels; Sage has no labels of vertices, and the
paper does not say how it gave them. The first argument chooses:

loops      `is_isomorphic(…, edge_labels=True)`, a vertex's label as a labelled loop on it
vertices   the same, a vertex for each label and a labelled arc to it from every vertex that has it
partition  what `is_isomorphic` does inside, started from the partition of the vertices by label
canonical  `canonical_label(partition=…, edge_labels=True)` of both graphs; dense, so slow and large

`is_isomorphic` compares the sorted lists of arc labels first and answers no where they differ: with loops or
vertices that is a comparison of all labels of the graph, and such pairs never reach the search. A list of
distinct labels is then searched from its start for every arc, so many labels cost their number times the
arcs, before the search begins.
"""
import sys

from pidlab_adapter import cells, composed, serve
from sage.graphs.digraph import DiGraph
from sage.graphs.generic_graph import graph_isom_equivalent_non_edge_labeled_graph
from sage.groups.perm_gps.partn_ref.refinement_graphs import isomorphic


def labelled_arcs(graph):
    return [(x, y, f"arc {labels}") for x, y, labels in graph["arcs"]]


def digraph(vertices, arcs):
    return DiGraph([list(vertices), arcs], format="vertices_and_edges", loops=True)


def with_loops(graph):
    colours = graph["colours"]
    own = {x: label for x, y, label in labelled_arcs(graph) if x == y}
    arcs = [(x, y, label) for x, y, label in labelled_arcs(graph) if x != y]
    loops = [(x, x, f"vertex {colour} {own.get(x, '')}") for x, colour in enumerate(colours)]
    return digraph(range(len(colours)), arcs + loops)


def with_vertices(graph):
    colours = graph["colours"]
    number = {colour: len(colours) + i for i, colour in enumerate(sorted(set(colours)))}
    labels = [(x, number[colour], f"vertex {colour}") for x, colour in enumerate(colours)]
    return digraph(range(len(colours) + len(number)), labelled_arcs(graph) + labels)


def with_partition(graph):
    colours = graph["colours"]
    return digraph(range(len(colours)), labelled_arcs(graph)), cells(colours)


def same_graph(q, r):
    return bool(q.is_isomorphic(r, edge_labels=True))


def same_cells(q, r):
    return [(colour, len(cell)) for colour, cell in q] == [(colour, len(cell)) for colour, cell in r]


def unlabelled(graph, classes):
    """The graph with its labelled arcs as vertices, a partition of the vertices, the labels."""
    parts = [cell for _, cell in classes]
    found = graph_isom_equivalent_non_edge_labeled_graph(
        graph, partition=parts, return_edge_labels=True
    )
    plain, parts, labels = found
    place = {vertex: i for i, vertex in enumerate(v for part in parts for v in part)}
    result = DiGraph(len(place), loops=True)
    for x, y in plain.edge_iterator(labels=False):
        result._backend.add_edge(place[x], place[y], None, True)
    return result._backend.c_graph()[0], [[place[v] for v in part] for part in parts], labels


def same_partitioned(q, r):
    if not same_cells(q[1], r[1]):
        return False
    if not q[1]:
        return True
    q_graph, q_parts, q_labels = unlabelled(*q)
    r_graph, r_parts, r_labels = unlabelled(*r)
    if q_labels != r_labels or [len(p) for p in q_parts] != [len(p) for p in r_parts]:
        return False
    order = [v for part in r_parts for v in part]
    return bool(isomorphic(q_graph, r_graph, q_parts, order, True, 1))


def same_canonical(q, r):
    if not same_cells(q[1], r[1]):
        return False
    forms = []
    for graph, classes in (q, r):
        if graph.order() == 0:
            return []
        parts = [cell for _, cell in classes]
        options = {"edge_labels": True, "certificate": True, "algorithm": "sage"}
        form, place = graph.canonical_label(partition=parts, **options)
        forms.append((sorted(form.edge_iterator()), sorted(place, key=place.get)))
    if forms[0][0] != forms[1][0]:
        return False
    return composed(forms[0][1], forms[1][1])


ENCODINGS = {
    "loops": (with_loops, same_graph),
    "vertices": (with_vertices, same_graph),
    "partition": (with_partition, same_partitioned),
    "canonical": (with_partition, same_canonical),
}

serve("layered", *ENCODINGS[sys.argv[1] if len(sys.argv) > 1 else "loops"])
