"""bliss (Junttila, Kaski) through igraph as a pidlab backend.

Wants the plain graphs: undirected, vertices coloured. Both are brought into canonical order and compared.
"""
import igraph
from pidlab_adapter import composed, serve


def build(graph):
    plain = igraph.Graph(n=len(graph["colours"]), edges=graph["edges"])
    plain.vs["colour"] = graph["colours"]
    plain.vs["number"] = range(len(graph["colours"]))
    return plain


def canonical(plain):
    if plain.vcount() == 0:
        return plain
    # attributes move with their vertices, so it does not matter which way the permutation is meant
    return plain.permute_vertices(plain.canonical_permutation(color=plain.vs["colour"]))


def contents(plain):
    return plain.vs["colour"], sorted(tuple(sorted(edge)) for edge in plain.get_edgelist())


def decide(q, r):
    q, r = canonical(q), canonical(r)
    if contents(q) != contents(r):
        return False
    return composed(q.vs["number"], r.vs["number"])


serve("plain", build, decide)
