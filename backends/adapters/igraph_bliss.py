"""bliss (Junttila, Kaski) through igraph as a pidlab backend.

Speaks the protocol of docs/external-backends.md and wants the plain graphs: undirected, vertices
coloured. Both are canonically labelled and the labellings composed.
"""
import json
import sys

import igraph


def labelling(graph):
    colours = graph["colours"]
    if not colours:
        return []
    plain = igraph.Graph(n=len(colours), edges=graph["edges"])
    return plain.canonical_permutation(color=colours)


def inverse(permutation):
    result = [0] * len(permutation)
    for i, j in enumerate(permutation):
        result[j] = i
    return result


def relabelled(graph, place):
    edges = sorted(tuple(sorted((place[x], place[y]))) for x, y in graph["edges"])
    colours = [0] * len(place)
    for vertex, colour in enumerate(graph["colours"]):
        colours[place[vertex]] = colour
    return colours, edges


def answer(request):
    q, r = request["q_plain"], request["r_plain"]
    labellings = labelling(q), labelling(r)
    # igraph 0 gives the place of each vertex, igraph 1 the vertex at each place
    for q_place, r_place in (labellings, [inverse(order) for order in labellings]):
        if relabelled(q, q_place) == relabelled(r, r_place):
            at = inverse(r_place)
            return {"equivalent": True, "image": [at[place] for place in q_place]}
    return {"equivalent": False}


print(json.dumps({"format": "pidlab-external/2", "wants": ["plain"]}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], **answer(request)}), flush=True)
