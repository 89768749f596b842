"""NetworkX's VF2 as a pidlab backend: the program used in the experiments of ISCIS'09 and SACS'10.

Speaks the protocol of docs/external-backends.md and wants the layered graphs: vertices with colours,
arcs with label sets, matched as a directed graph.
"""
import json
import sys

import networkx
from networkx.algorithms.isomorphism import DiGraphMatcher

sys.setrecursionlimit(1_000_000)  # the matcher recurses once for each vertex
try:
    import resource
    import threading

    threading.stack_size(512 << 20)
except (ImportError, ValueError):
    threading = None


def digraph(graph):
    result = networkx.DiGraph()
    for vertex, colour in enumerate(graph["colours"]):
        result.add_node(vertex, colour=colour)
    for source, target, labels in graph["arcs"]:
        result.add_edge(source, target, labels=labels)
    return result


def answer(request):
    matcher = DiGraphMatcher(
        digraph(request["q_layered"]),
        digraph(request["r_layered"]),
        node_match=lambda a, b: a["colour"] == b["colour"],
        edge_match=lambda a, b: a["labels"] == b["labels"],
    )
    if not matcher.is_isomorphic():
        return {"equivalent": False}
    return {"equivalent": True, "image": [matcher.mapping[v] for v in range(len(matcher.mapping))]}


def main():
    print(json.dumps({"format": "pidlab-external/2", "wants": ["layered"]}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = answer(request)
        except (RecursionError, MemoryError) as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request["id"], **reply}), flush=True)


if threading is None:
    main()
else:
    worker = threading.Thread(target=main)
    worker.start()
    worker.join()
