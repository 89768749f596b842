"""nauty through pynauty (dense graphs) as a pidlab backend.

Wants the plain graphs: undirected, vertices coloured. Both are canonically labelled and compared.
"""
import pynauty
from pidlab_adapter import cells, composed, serve


def build(graph):
    colours = graph["colours"]
    neighbours = {vertex: [] for vertex in range(len(colours))}
    for x, y in graph["edges"]:
        neighbours[x].append(y)
    plain = None
    if colours:
        classes = [set(cell) for _, cell in cells(colours)]
        plain = pynauty.Graph(len(colours), adjacency_dict=neighbours, vertex_coloring=classes)
    return graph, plain


def order(plain):
    """The vertices in canonical order, those of the first colour first."""
    return [] if plain is None else pynauty.canon_label(plain)


def relabelled(graph, order):
    place = {vertex: i for i, vertex in enumerate(order)}
    edges = sorted(tuple(sorted((place[x], place[y]))) for x, y in graph["edges"])
    return [graph["colours"][vertex] for vertex in order], edges


def decide(q, r):
    q_order, r_order = order(q[1]), order(r[1])
    if relabelled(q[0], q_order) != relabelled(r[0], r_order):
        return False
    return composed(q_order, r_order)


serve("plain", build, decide)
