"""The SNAKES plugin: the papers' nets have our counts."""

import sys

import pidlab
import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "python" / "examples"))
snakes_nets = pytest.importorskip("snakes_nets")
nets = snakes_nets.nets


def counts_of(model, constants, relations="parent"):
    found = pidlab.explore(ROOT / "models" / f"{model}.tnet", constants, relations=relations)
    return {name: getattr(found, name) for name in ("states", "edges", "deadlocks")}


@pytest.mark.parametrize("k, m", [(1, 1), (1, 2), (2, 1), (3, 1), (2, 2)])
def test_nkm(k, m):
    graph = nets.StateGraph(snakes_nets.nkm(k, m))
    assert graph.counts() == counts_of("nkm", {"k": k, "m": m})


def test_nkm_with_sibling_relations():
    relations = "parent,adjacent-sibling"
    graph = nets.StateGraph(snakes_nets.nkm(2, 1), relations=relations)
    assert graph.counts() == counts_of("nkm", {"k": 2, "m": 1}, relations)
    assert len(graph) == 37


@pytest.mark.parametrize("listeners, handlers, years", [(1, 1, [2009]), (2, 1, [2008, 2009]), (1, 2, [2009])])
def test_server(listeners, handlers, years):
    graph = nets.StateGraph(snakes_nets.server(listeners, handlers, years))
    constants = {"listeners": listeners, "handlers": handlers, "years": years}
    assert graph.counts() == counts_of("server", constants)


def test_markings_and_numbers_work_as_in_snakes():
    graph = nets.StateGraph(snakes_nets.nkm(1, 1))
    graph.build()
    assert len(graph) == 7 and all(graph[n] in graph for n in graph)
    graph.goto(3)
    assert graph.net.get_marking() == graph[3]
    targets = {target for target, _, _ in graph.successors()}
    assert targets <= set(range(7)) and targets


def test_tokens_of_all_kinds_are_told_apart():
    from snakes.nets import Marking, MultiSet, dot

    states = pidlab.snakes.States("eta")
    Pid = pidlab.snakes.Pid
    tokens = [
        Pid(1), (Pid(1),), ((Pid(1),),), (Pid(1), 1), (Pid(1), "1"), (Pid(1), (1,)), ((Pid(1), 1), 2),
        (Pid(1), 1, 2), dot, (), 0.5, "@x", "\0(", ("\0(", Pid(1), "\0)"), None,
    ]  # fmt: skip
    forms = [states.state(Marking(a=MultiSet([token]))).canonical().to_json() for token in tokens]
    assert len(set(forms)) == len(tokens)
    twice = states.state(Marking(a=MultiSet([Pid(1), Pid(1)])))
    assert twice.vector_count == 2
    assert states.state(Marking(a=MultiSet([Pid(7)]))) == states.state(Marking(a=MultiSet([Pid(1)])))
    with pytest.raises(TypeError, match="frozenset"):
        states.state(Marking(a=MultiSet([frozenset([Pid(1)])])))
    with pytest.raises(TypeError, match="eta: expected tokens"):
        states.state(Marking(eta=MultiSet([3])))
    with pytest.raises(ValueError, match="marking"):
        states.state(Marking(eta=MultiSet([(Pid(1), 0)])))


def test_pids():
    Pid = pidlab.snakes.Pid
    assert Pid("1.2") == Pid(1, 2) and str(Pid(1, 2)) == "1.2" and repr(Pid(3)) == "Pid('3')"
    one, two = Pid(1), Pid(1, 2)
    assert one.is_parent(two) and one.is_ancestor(two.child(1)) and not one.is_parent(two.child(1))
    assert two.is_elder_sibling(Pid(1, 4)) and two.is_adjacent_sibling(Pid(1, 3))
    for wrong in ((), (0,), ("",), ("1.x",)):
        with pytest.raises(ValueError):
            Pid(*wrong)
