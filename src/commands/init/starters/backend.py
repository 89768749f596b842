"""A backend for pidlab: decides whether two graphs with coloured vertices are isomorphic.

    pidlab check A.json B.json --backend "external:python3 FILE"

pidlab starts this program once, reads its greeting, and then asks one question a line (JSON) and reads one answer a
line. "plain" in the greeting asks for undirected graphs with coloured vertices; two states are equivalent iff their graphs
are isomorphic. "layered" and "states" are the other forms (docs/external-backends.md). Replace `isomorphism` below by
your own algorithm. Messages for people go to standard error.
"""

import json
import sys


def neighbours(graph):
    lists = [[] for _ in graph["colours"]]
    for x, y in graph["edges"]:
        lists[x].append(y)
        lists[y].append(x)
    return lists


def refine(graphs, colours):
    """Splits colours by the colours of neighbours until nothing changes; one numbering for both graphs."""
    while True:
        signatures = [
            [(own[x], tuple(sorted(own[y] for y in lists[x]))) for x in range(len(own))]
            for own, lists in zip(colours, graphs)
        ]
        number = {s: i for i, s in enumerate(sorted(set(signatures[0]) | set(signatures[1])))}
        if len(number) == len(set(colours[0]) | set(colours[1])):
            return colours
        colours = [[number[s] for s in side] for side in signatures]


def isomorphism(graphs, colours):
    """Where each vertex of the first graph goes in the second, or None: refine, then try what is left open."""
    q, r = refine(graphs, colours)
    if sorted(q) != sorted(r):
        return None
    members = {}
    for x, colour in enumerate(q):
        members.setdefault(colour, []).append(x)
    open_classes = [c for c, xs in members.items() if len(xs) > 1]
    if not open_classes:
        place = {colour: y for y, colour in enumerate(r)}
        return [place[colour] for colour in q]
    chosen = min(open_classes, key=lambda c: (len(members[c]), c))
    x, fresh = members[chosen][0], max(q) + 1
    for y in (y for y, colour in enumerate(r) if colour == chosen):
        fixed_q, fixed_r = list(q), list(r)
        fixed_q[x] = fixed_r[y] = fresh
        image = isomorphism(graphs, [fixed_q, fixed_r])
        if image is not None:
            return image
    return None


def answer(question):
    q, r = question["q_plain"], question["r_plain"]
    image = isomorphism([neighbours(q), neighbours(r)], [q["colours"], r["colours"]])
    if image is None:
        return {"id": question["id"], "equivalent": False}
    # pidlab checks that this is an isomorphism
    return {"id": question["id"], "equivalent": True, "image": image}


sys.setrecursionlimit(100_000)
print(json.dumps({"format": "pidlab-external/2", "name": "my-backend", "wants": ["plain"]}), flush=True)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
