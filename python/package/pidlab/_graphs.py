"""Isomorphism and canonical forms of graphs of NetworkX and igraph."""

from __future__ import annotations

from . import _limits, _pidlab


def isomorphic(G, H, *, node_color=None, edge_color=None, timeout=None):
    """Decide whether two graphs are isomorphic; the answer is exact.

    Parameters
    ----------
    G, H : networkx graph, igraph.Graph or Graph
        Directed or not, with loops and parallel edges; the two may come from different libraries.
    node_color, edge_color : str, optional
        Names of the attributes that an isomorphism has to keep. In NetworkX a missing attribute is
        None. Values are None, numbers, strings, bytes, or tuples of them.
    timeout : float or str, optional
        Seconds, or text such as ``"500ms"``; `Undecided` is raised when the time is over.

    Returns
    -------
    Isomorphism
        True or false like the answer; ``mapping`` is the bijection of nodes.

    Examples
    --------
    >>> import networkx as nx, pidlab
    >>> G, H = nx.cycle_graph(4), nx.cycle_graph("abcd")
    >>> bool(pidlab.isomorphic(G, H))
    True
    >>> nx.set_node_attributes(G, {0: "red"}, "color")
    >>> bool(pidlab.isomorphic(G, H, node_color="color"))
    False
    """
    return _pidlab.isomorphic(
        G,
        H,
        _limits.attribute("node_color", node_color),
        _limits.attribute("edge_color", edge_color),
        _limits.seconds("timeout", timeout),
    )


def canonical_form(G, *, node_color=None, edge_color=None, timeout=None):
    """The canonical form of a graph: a hashable object, equal for isomorphic graphs and only for them.

    Parameters
    ----------
    G, node_color, edge_color, timeout
        As in `isomorphic`.

    Returns
    -------
    CanonicalForm
        Has ``order`` (the nodes in canonical order), ``colors``, ``edges`` and ``directed``.

    Examples
    --------
    >>> import networkx as nx, pidlab
    >>> forms = {pidlab.canonical_form(nx.gnp_random_graph(4, 0.5, seed=n)) for n in range(300)}
    >>> len(forms)
    11
    """
    return _pidlab.canonical_form(
        G,
        _limits.attribute("node_color", node_color),
        _limits.attribute("edge_color", edge_color),
        _limits.seconds("timeout", timeout),
    )
