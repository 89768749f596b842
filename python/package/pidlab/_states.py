"""States: equivalence, canonical forms, witnesses, layered graphs; generators and transformations."""

from __future__ import annotations

from typing import NamedTuple

from . import _limits, _pidlab
from ._pidlab import State


def equivalent(q, r, relations="parent", backend="canon", *, timeout=None, memory_limit=None):
    """Decide whether two states are equivalent (SACS'10, Definition 1).

    Parameters
    ----------
    q, r : State, str or mapping
        The states; what is not a `State` is made one.
    relations : str or iterable of str
        The pid relations that must be preserved: any of ``parent``, ``ancestor``,
        ``adjacent-sibling``, ``elder-sibling``, or ``"none"`` or ``"all"``.
    backend : str
        Who decides; see `backends`.
    timeout : float or str, optional
        Seconds, or text such as ``"500ms"``.
    memory_limit : int or str, optional
        Bytes beyond the states, or text such as ``"2GiB"``.

    Returns
    -------
    Equivalence
        True or false like the answer; with ``witness``, ``reason``, ``times``. An open question (a
        limit, a heuristic backend) raises `Undecided` when it is asked for its truth.

    Examples
    --------
    >>> import pidlab
    >>> q = pidlab.State("L : <1:1> <2:0>   H : <1.1:0, 7>")
    >>> r = pidlab.State("L : <1:0> <2:1>   H : <2.1:0, 7>")
    >>> answer = pidlab.equivalent(q, r)
    >>> bool(answer)
    True
    >>> answer.witness
    {'@1': '@2', '@1.2': '@2.2', '@1.1': '@2.1', '@1.1.1': '@2.1.1', '@2': '@1', '@2.1': '@1.1'}
    >>> answer = pidlab.equivalent(q, r, relations="parent,elder-sibling")
    >>> bool(answer), answer.reason["equivalent_without"]
    (False, ['elder-sibling'])
    """
    return _pidlab.equivalent(
        q,
        r,
        relations,
        _limits.text("backend", backend),
        _limits.seconds("timeout", timeout),
        _limits.size("memory_limit", memory_limit),
    )


def equivalent_many(
    pairs, relations="parent", backend="canon", *, threads=None, timeout=None, memory_limit=None
):
    """Decide many pairs on all cores, without holding up other Python threads.

    Parameters
    ----------
    pairs : iterable of pairs of states
    relations, backend, timeout, memory_limit
        As in `equivalent`; the limits hold for each pair.
    threads : int, optional
        As many as cores unless told.

    Returns
    -------
    list of Equivalence
        In the order of the pairs.

    Examples
    --------
    >>> import pidlab
    >>> states = [pidlab.random_state(seed=n, pids=20) for n in range(3)]
    >>> moved = [pidlab.transform(s, "rename", seed=1).state for s in states]
    >>> [bool(answer) for answer in pidlab.equivalent_many(zip(states, moved))]
    [True, True, True]
    """
    return _pidlab.equivalent_many(
        pairs,
        relations,
        _limits.text("backend", backend),
        _limits.threads(threads),
        _limits.seconds("timeout", timeout),
        _limits.size("memory_limit", memory_limit),
    )


def canonical(state, relations="parent", *, timeout=None):
    """The canonical form of a state: the same for all states of its class, and only for them.

    Parameters
    ----------
    state : State, str or mapping
    relations : str or iterable of str
        As in `equivalent`.
    timeout : float or str, optional
        As in `equivalent`; `Undecided` is raised when the time is over.

    Returns
    -------
    State

    Examples
    --------
    >>> import pidlab
    >>> print(pidlab.canonical("L : <7:3> <9:0>"))
    L : <1.1:0> <2.1:0>
    """
    state = state if isinstance(state, State) else State(state)
    return state.canonical(relations, timeout=_limits.seconds("timeout", timeout))


def canonical_many(states, relations="parent", *, threads=None, timeout=None):
    """The canonical forms of many states, on all cores.

    Parameters
    ----------
    states : iterable of states
    relations, timeout
        As in `canonical`; the limit holds for each state.
    threads : int, optional
        As many as cores unless told.

    Returns
    -------
    list of State

    Examples
    --------
    >>> import pidlab
    >>> q, r = pidlab.canonical_many(["L : <1:0>", "L : <5:3>"])
    >>> q.to_json() == r.to_json()
    True
    """
    return _pidlab.canonical_many(
        states, relations, _limits.threads(threads), _limits.seconds("timeout", timeout)
    )


class WitnessCheck(NamedTuple):
    """What the independent checker says of a witness; true iff it is valid."""

    valid: bool
    violation: str | None

    def __bool__(self) -> bool:
        return self.valid


def check_witness(q, r, witness, relations="parent"):
    """Check a bijection against Definition 1 alone, with code that shares nothing with the backends.

    Parameters
    ----------
    q, r : State, str or mapping
    witness : mapping from str to str
        Every pid and next-pid of q with its image in r, such as ``{"@1": "@2"}``.
    relations : str or iterable of str
        As in `equivalent`.

    Returns
    -------
    WitnessCheck
        True or false; ``violation`` says what is wrong.

    Examples
    --------
    >>> import pidlab
    >>> q, r = pidlab.State("L : <1:0>"), pidlab.State("L : <2:4>")
    >>> bool(pidlab.check_witness(q, r, {"@1": "@2", "@1.1": "@2.5"}))
    True
    >>> pidlab.check_witness(q, r, {"@1": "@2", "@1.1": "@2.4"}).valid
    False
    """
    violation = _pidlab.check_witness(q, r, witness, relations)
    return WitnessCheck(violation is None, violation)


def layered_graph(state, relations="parent", *, kind="corrected", form="full"):
    """The layered graph of a state as a NetworkX graph (SACS'10, section 4).

    Parameters
    ----------
    state : State, str or mapping
    relations : str or iterable of str
        As in `equivalent`.
    kind : str
        ``corrected``, ``published`` (SACS'10 as printed), ``iscis`` or ``ictac``.
    form : str
        ``full``: an arc for each pair of related pids; ``links``: two arcs a pid.

    Returns
    -------
    networkx.MultiDiGraph
        Nodes have ``layer``, ``label`` and ``name``, arcs have ``label``.

    Examples
    --------
    >>> import pidlab
    >>> G = pidlab.layered_graph("L : <1:1> <1.1:0, 7>")
    >>> [(G.nodes[n]["layer"], G.nodes[n]["name"]) for n in G]
    [(1, 'L'), (2, '⟨ε⟩'), (2, '⟨ε,7⟩'), (3, '1'), (3, '1.1'), (4, '1.2'), (4, '1.1.1')]
    """
    import networkx

    if form not in ("full", "links"):
        raise ValueError("form: use full or links")
    kind = _limits.text("kind", kind)
    nodes, arcs = _pidlab.layered_graph(state, relations, kind, form == "full")
    graph = networkx.MultiDiGraph()
    for node, layer, label, name in nodes:
        graph.add_node(node, layer=layer, label=label, name=name)
    graph.add_edges_from((source, target, {"label": label}) for source, target, label in arcs)
    return graph


def random_state(*, seed=1, stream=0, **parameters):
    """A random consistent state (ISCIS'09, section 4).

    Parameters
    ----------
    seed, stream : int
        The same two numbers give the same state, on every machine.
    **parameters
        ``pids``, ``locations``, ``vectors``, ``width`` (least and largest number of components),
        ``pid_share``, ``distinct_data``, ``roots``, ``depth``, ``fan_out``, ``inactive_share``,
        ``gap_share``, ``vanished_share``; see docs/generators.md.

    Returns
    -------
    State

    Examples
    --------
    >>> import pidlab
    >>> pidlab.random_state(seed=7, pids=40, width=(1, 3))
    State(pids=40, vectors=40)
    """
    return _pidlab.random_state(seed, stream, parameters)


def transform(state, *kinds, strength=1.0, seed=1, stream=0):
    """A state similar to a given one, by the papers' transformations.

    Parameters
    ----------
    state : State, str or mapping
    *kinds : str
        Names from `transformations`, or ``"NAME:STRENGTH"``, applied one after another.
    strength : float
        Share of vectors, components or pids to touch, for kinds that do not give their own.
    seed, stream : int
        As in `random_state`.

    Returns
    -------
    Generated
        The ``state``, and what is known of it: ``expected(relations)`` is True, False or None.

    Examples
    --------
    >>> import pidlab
    >>> q = pidlab.random_state(seed=7, pids=40)
    >>> made = pidlab.transform(q, "exchange-pids:0.1", "rename", seed=2)
    >>> made.expected(), bool(pidlab.equivalent(q, made.state))
    (False, False)
    """
    if not kinds:
        raise ValueError("kinds: name at least one transformation; see pidlab.transformations()")
    names = [_limits.text("kinds", kind) for kind in kinds]
    if isinstance(strength, bool) or not isinstance(strength, (int, float)):
        raise TypeError(f"strength: expected a number, not {type(strength).__name__}")
    return _pidlab.transform_state(state, names, strength, seed, stream)


def hard_instance(family, size, *, variant="base", seed=1):
    """A state of a hard family of the isomorphism literature.

    Parameters
    ----------
    family : str
        A name from `families`.
    size : int
        In the family's own unit.
    variant : str
        ``base``, ``equivalent`` (to the base) or ``twin`` (not equivalent, but locally alike).
    seed : int

    Returns
    -------
    Generated

    Examples
    --------
    >>> import pidlab
    >>> base = pidlab.hard_instance("cfi", 8).state
    >>> twin = pidlab.hard_instance("cfi", 8, variant="twin").state
    >>> bool(pidlab.equivalent(base, twin, relations="none"))
    False
    """
    return _pidlab.hard_instance(
        _limits.text("family", family), size, _limits.text("variant", variant), seed
    )


def families():
    """The hard families, as dictionaries with ``name``, ``size``, ``least``, ``largest``, ``about``, ``twin``.

    Examples
    --------
    >>> import pidlab
    >>> [f["name"] for f in pidlab.families()][:3]
    ['cfi', 'multipede', 'multipede-tight']
    """
    fields = ("name", "size", "least", "largest", "about", "twin")
    return [dict(zip(fields, row)) for row in _pidlab.families()]


def transformations():
    """The transformations, as dictionaries with ``name``, ``about``, ``source``, ``guarantee``.

    Examples
    --------
    >>> import pidlab
    >>> [t["name"] for t in pidlab.transformations()][:2]
    ['rename', 'shuffle-vectors']
    """
    fields = ("name", "about", "source", "guarantee")
    return [dict(zip(fields, row)) for row in _pidlab.transformations()]
