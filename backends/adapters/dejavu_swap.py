"""dejavu (Anders, Schweitzer) through dejavu-gi as a pidlab backend that answers only what is certain.

The binding's `are_isomorphic` knows no colours and errs, so symmetries are asked for instead: both
plain graphs side by side, each with one more vertex joined to all of its own. The graphs are
isomorphic iff a symmetry exchanges these two vertices. dejavu's symmetries are true ones, and it misses
some with a probability of at most 2^-ERR: a symmetry found proves "equivalent", colour refinement (exact
in dejavu) that tells the sides apart proves "not equivalent", and the rest stays undecided.
"""
import dejavu_gi
from pidlab_adapter import serve

ERR = 16


def build(graph):
    return graph["colours"], graph["edges"]


def side_by_side(q, r):
    """Number of vertices, edges and colours; vertices of q come first, the two extra ones last."""
    n, m = len(q[0]), len(r[0])
    edges = [[min(x, y), max(x, y)] for x, y in q[1]]
    edges += [[min(x, y) + n, max(x, y) + n] for x, y in r[1]]
    edges += [[x, n + m] for x in range(n)] + [[n + y, n + m + 1] for y in range(m)]
    # colours of the program are numbers of its own; 0 is for the extra vertices
    return n + m + 2, edges, [colour + 1 for colour in q[0] + r[0]] + [0, 0]


def decide(q, r):
    n = len(q[0])
    if n == 0 or len(r[0]) == 0:
        return [] if n == len(r[0]) else False
    size, edges, colours = side_by_side(q, r)
    group = dejavu_gi.get_automorphisms(size, edges, err=ERR, vertex_labels=colours)
    for symmetry in group["generators"]:
        if symmetry[size - 2] == size - 1:
            return [image - n for image in symmetry[:n]]
    refined = dejavu_gi.color_refinement(size, edges, vertex_labels=colours)
    if sorted(refined[:n]) != sorted(refined[n:-2]):
        return False
    return None


serve("plain", build, decide)
