"""nauty through pynauty (dense graphs) as a pidlab backend.

Speaks the protocol of docs/external-backends.md and wants the plain graphs: undirected, vertices
coloured. Both are canonically labelled and the labellings composed.
"""
import json
import sys

import pynauty


def labelling(graph):
    """The vertices in canonical order, classes of equal colour first come first."""
    colours = graph["colours"]
    if not colours:
        return []
    neighbours = {vertex: [] for vertex in range(len(colours))}
    for x, y in graph["edges"]:
        neighbours[x].append(y)
    classes = {}
    for vertex, colour in enumerate(colours):
        classes.setdefault(colour, set()).add(vertex)
    plain = pynauty.Graph(
        len(colours),
        adjacency_dict=neighbours,
        vertex_coloring=[classes[colour] for colour in sorted(classes)],
    )
    return pynauty.canon_label(plain)


def relabelled(graph, order):
    place = {vertex: i for i, vertex in enumerate(order)}
    edges = sorted(tuple(sorted((place[x], place[y]))) for x, y in graph["edges"])
    return [graph["colours"][vertex] for vertex in order], edges


def answer(request):
    q, r = request["q_plain"], request["r_plain"]
    q_order, r_order = labelling(q), labelling(r)
    if relabelled(q, q_order) != relabelled(r, r_order):
        return {"equivalent": False}
    image = [0] * len(q_order)
    for x, y in zip(q_order, r_order):
        image[x] = y
    return {"equivalent": True, "image": image}


print(json.dumps({"format": "pidlab-external/2", "wants": ["plain"]}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], **answer(request)}), flush=True)
