"""NetworkX's VF2 as a pidlab backend: the program used in the experiments of ISCIS'09 and SACS'10.

Wants the layered graphs: vertices with colours, arcs with label sets, matched as a directed graph.
`is_isomorphic` first compares the numbers of vertices and the sequences of degrees, as it always did.
"""
import sys
import threading

import networkx
from networkx.algorithms.isomorphism import DiGraphMatcher
from pidlab_adapter import serve


def build(graph):
    result = networkx.DiGraph()
    for vertex, colour in enumerate(graph["colours"]):
        result.add_node(vertex, colour=colour)
    for source, target, labels in graph["arcs"]:
        result.add_edge(source, target, labels=labels)
    return result


def decide(q, r):
    matcher = DiGraphMatcher(
        q,
        r,
        node_match=lambda a, b: a["colour"] == b["colour"],
        edge_match=lambda a, b: a["labels"] == b["labels"],
    )
    if not matcher.is_isomorphic():
        return False
    return [matcher.mapping[v] for v in range(len(matcher.mapping))]


# the matcher recurses once for each vertex
sys.setrecursionlimit(1_000_000)
threading.stack_size(512 << 20)
worker = threading.Thread(target=serve, args=("layered", build, decide))
worker.start()
worker.join()
