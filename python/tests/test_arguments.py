"""Whatever is passed in, the interpreter lives: TypeError or ValueError that name the argument."""

import json
import math

import networkx as nx
import pidlab
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

settings.register_profile("pidlab", deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("pidlab")

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.binary(max_size=6),
    st.sampled_from(["@1", "@1.1", "1", "@", "@@", "@0", "parent", "all", "L : <1:0>", "{", "\udc80", "\0"]),
)
junk = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(st.text(max_size=6), st.integers()), inner, max_size=4),
        st.frozensets(scalars, max_size=3),
    ),
    max_leaves=8,
)


class Odd:
    """Lies about everything."""

    def __iter__(self):
        raise RuntimeError("not really iterable")

    def __len__(self):
        return -1

    def __hash__(self):
        raise ValueError("no hash")

    def __index__(self):
        return "three"

    def keys(self):
        return [self]

    def items(self):
        return 5


anything = st.one_of(junk, st.builds(Odd), st.just(int), st.just(nx), st.just(...))

FUNCTIONS = {
    "State": lambda a, b, c: pidlab.State(a),
    "State of parts": lambda a, b, c: pidlab.State(sigma=a, eta=b),
    "State of fields": lambda a, b, c: pidlab.State({"sigma": a, "eta": b}),
    "State inside": lambda a, b, c: pidlab.State(sigma={"L": [[a, b]]}, eta={"1": c}),
    "canonical": lambda a, b, c: pidlab.canonical(a, b, timeout=c),
    "class_hash": lambda a, b, c: pidlab.State("L : <1:0>").class_hash(a),
    "equivalent": lambda a, b, c: pidlab.equivalent(a, b, c),
    "equivalent's options": lambda a, b, c: pidlab.equivalent(
        "L : <1:0>", "L : <2:0>", backend=a, timeout=b, memory_limit=c
    ),
    "equivalent_many": lambda a, b, c: pidlab.equivalent_many([a, (b, c)], threads=2),
    "equivalent_many's options": lambda a, b, c: pidlab.equivalent_many(a, threads=b, timeout=c),
    "canonical_many": lambda a, b, c: pidlab.canonical_many(a, b, threads=c),
    "check_witness": lambda a, b, c: pidlab.check_witness("L : <1:0>", "L : <1:0>", a, b),
    "layered_graph": lambda a, b, c: pidlab.layered_graph("L : <1:0>", a, kind=b, form=c),
    "random_state": lambda a, b, c: pidlab.random_state(seed=a, stream=b, roots=c),
    "transform": lambda a, b, c: pidlab.transform("L : <1:0>", a, strength=b, seed=c),
    "hard_instance": lambda a, b, c: pidlab.hard_instance(a, 4, variant=b, seed=c),
    "hard size": lambda a, b, c: pidlab.hard_instance("cfi", a if not isinstance(a, int) else a % 64),
    "Graph": lambda a, b, c: pidlab.Graph(_small(a), b),
    "Graph's edges": lambda a, b, c: pidlab.Graph(3, [(0, 1, a), (b, c)]),
    "isomorphic": lambda a, b, c: pidlab.isomorphic(a, nx.path_graph(2), node_color=b, edge_color=c),
    "canonical_form": lambda a, b, c: pidlab.canonical_form(nx.path_graph(2), timeout=a, node_color=b),
    "explore": lambda a, b, c: pidlab.explore(a, b, language=c),
    "explore's options": lambda a, b, c: pidlab.explore(
        "net x\nplace p(pid)\ninit p(@1)\n", relations=a, threads=b, max_states=c
    ),
    "explore's others": lambda a, b, c: pidlab.explore(
        "net x\nplace p(pid)\ninit p(@1)\n", canon=a, properties=b, search=c
    ),
    "cover": lambda a, b, c: pidlab.cover(a, language=b, prop=c),
    "cover's options": lambda a, b, c: pidlab.cover(
        "lgfsm 1\nshared 1\nlocal 1\ninit 0 0\nerror 0|0\n", language="lgfsm", algorithm=a, reduce=b, init=c
    ),
    "load_run": lambda a, b, c: pidlab.load_run(a, b),
    "ClassSet": lambda a, b, c: pidlab.ClassSet([a], relations=b).add(c),
    "ClassMap": lambda a, b, c: pidlab.ClassMap(relations=a).get(b),
}


def _small(value):
    """Large numbers of vertices are asked for elsewhere: they would take time here."""
    return value % 100 if isinstance(value, int) else value


#: What Python itself raises for odd objects: iterators that fail, text that is not UTF-8.
ALLOWED = (TypeError, ValueError, RuntimeError)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(a=anything, b=anything, c=anything)
@settings(max_examples=60)
def test_no_argument_crashes(name, a, b, c):
    try:
        FUNCTIONS[name](a, b, c)
    except ALLOWED:
        pass


CASES = [
    (lambda: pidlab.State(3), TypeError, "source"),
    (lambda: pidlab.State("{"), ValueError, "source"),
    (lambda: pidlab.State(), ValueError, "source"),
    (lambda: pidlab.State("L : <1:0>", eta={}), ValueError, "source"),
    (lambda: pidlab.State({"sigma": {}, "eta": {}, "x": 1}), ValueError, "`x`"),
    (lambda: pidlab.State({"sigma": {}}), ValueError, "`eta`"),
    (lambda: pidlab.State({"sigma": {}, "eta": {}, "format": "y"}), ValueError, "format"),
    (lambda: pidlab.State(sigma=3), TypeError, "sigma"),
    (lambda: pidlab.State(sigma={"L": 3}), TypeError, r"sigma\['L'\]"),
    (lambda: pidlab.State(sigma={"L": ["@1"]}), TypeError, r"sigma\['L'\]"),
    (lambda: pidlab.State(sigma={"L": [[1.5]]}), TypeError, r"sigma\['L'\]"),
    (lambda: pidlab.State(sigma={"L": [["@0"]]}), ValueError, r"sigma\['L'\]"),
    (lambda: pidlab.State(sigma={"L": [[2**64]]}), ValueError, r"sigma\['L'\]"),
    (lambda: pidlab.State(sigma={"L": [[()]]}), ValueError, r"sigma\['L'\]"),
    (lambda: pidlab.State(sigma={1: []}), TypeError, "sigma"),
    (lambda: pidlab.State(sigma={"L": [["@1"]]}, eta={"1": -1}), ValueError, "eta"),
    (lambda: pidlab.State(sigma={"L": [["@1"]]}, eta={"1": "x"}), TypeError, "eta"),
    (lambda: pidlab.State(sigma={"L": [["@1"]]}, eta={"1": 2**64 - 1}), ValueError, "eta"),
    (lambda: pidlab.State(sigma={"L": [["@1"]]}, eta={"1": 0, "@1": 0}), ValueError, "eta"),
    (lambda: pidlab.State(sigma={"L": [["@1"]]}, eta={1.5: 0}), TypeError, "eta"),
    (lambda: pidlab.State(sigma={"L": [["@1"]]}, eta=3), TypeError, "eta"),
    (lambda: pidlab.equivalent(3, "L : <1:0>"), TypeError, "q"),
    (lambda: pidlab.equivalent("L : <1:0>", None), TypeError, "r"),
    (lambda: pidlab.equivalent("L:<1:0>", "L:<1:0>", 3), TypeError, "relations"),
    (lambda: pidlab.equivalent("L:<1:0>", "L:<1:0>", "cousin"), ValueError, "relations"),
    (lambda: pidlab.equivalent("L:<1:0>", "L:<1:0>", [3]), TypeError, "relations"),
    (lambda: pidlab.equivalent("L:<1:0>", "L:<1:0>", backend=3), TypeError, "backend"),
    (lambda: pidlab.equivalent("L:<1:0>", "L:<1:0>", timeout=-1), ValueError, "timeout"),
    (lambda: pidlab.equivalent("L:<1:0>", "L:<1:0>", timeout=math.nan), ValueError, "timeout"),
    (lambda: pidlab.equivalent("L:<1:0>", "L:<1:0>", timeout=[]), TypeError, "timeout"),
    (lambda: pidlab.equivalent("L:<1:0>", "L:<1:0>", timeout="5 fortnights"), ValueError, "timeout"),
    (lambda: pidlab.equivalent("L:<1:0>", "L:<1:0>", memory_limit="lots"), ValueError, "memory_limit"),
    (lambda: pidlab.equivalent_many(3), TypeError, "pairs"),
    (lambda: pidlab.equivalent_many([("L:<1:0>", "L:<1:0>"), 4]), TypeError, r"pairs\[1\]"),
    (lambda: pidlab.equivalent_many([], threads=0), ValueError, "threads"),
    (lambda: pidlab.canonical_many([3]), TypeError, r"states\[0\]"),
    (lambda: pidlab.check_witness("L:<1:0>", "L:<1:0>", 3), TypeError, "witness"),
    (lambda: pidlab.check_witness("L:<1:0>", "L:<1:0>", {1: 2}), TypeError, "witness"),
    (lambda: pidlab.layered_graph("L:<1:0>", kind="x"), ValueError, "kind"),
    (lambda: pidlab.layered_graph("L:<1:0>", form="x"), ValueError, "form"),
    (lambda: pidlab.random_state(seed=-1), ValueError, "seed"),
    (lambda: pidlab.random_state(seed=2**64), ValueError, "seed"),
    (lambda: pidlab.random_state(seed="x"), TypeError, "seed"),
    (lambda: pidlab.random_state(pid_share=2), ValueError, "pid_share"),
    (lambda: pidlab.random_state(width=(3, 1)), ValueError, "width"),
    (lambda: pidlab.random_state(pids="x"), TypeError, "pids"),
    (lambda: pidlab.random_state(colour=1), ValueError, "colour"),
    (lambda: pidlab.transform("L:<1:0>"), ValueError, "kinds"),
    (lambda: pidlab.transform("L:<1:0>", "x"), ValueError, "kinds"),
    (lambda: pidlab.transform("L:<1:0>", "rename", strength=None), TypeError, "strength"),
    (lambda: pidlab.hard_instance("x", 4), ValueError, "family"),
    (lambda: pidlab.hard_instance("cfi", 10**9), ValueError, "size"),
    (lambda: pidlab.hard_instance("cfi", 8, variant="x"), ValueError, "variant"),
    (lambda: pidlab.isomorphic(nx.Graph(), nx.Graph(), node_color=3), TypeError, "node_color"),
    (lambda: pidlab.isomorphic(nx.Graph(), None), TypeError, "H"),
    (lambda: pidlab.explore(3), TypeError, "model"),
    (lambda: pidlab.explore("net x\n", 3), TypeError, "constants"),
    (lambda: pidlab.explore("net x\n", canon=1), TypeError, "canon"),
    (lambda: pidlab.explore("net x\n", search="x"), ValueError, "search"),
    (lambda: pidlab.explore("net x\n", properties="x"), TypeError, "properties"),
    (lambda: pidlab.cover(3), TypeError, "model"),
    (lambda: pidlab.cover("x", language="c"), ValueError, "language"),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_errors_name_the_argument(number):
    call, kind, name = CASES[number]
    with pytest.raises(kind, match=name):
        call()


@given(st.text())
def test_any_text_is_a_state_or_an_error(text):
    try:
        pidlab.State(text)
    except ValueError:
        pass


pids = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple)
components = st.one_of(pids, st.integers(0, 2), st.sampled_from(["x", "@@y"]), st.booleans())
vectors = st.lists(st.lists(components, max_size=3), max_size=4)
states = st.builds(
    lambda sigma, eta: pidlab.State(sigma=sigma, eta=eta, allow_inconsistent=True),
    st.dictionaries(st.sampled_from(["L", "M"]), vectors, max_size=2),
    st.dictionaries(pids, st.integers(0, 3), max_size=3),
)
relation_sets = st.lists(
    st.sampled_from(["parent", "ancestor", "adjacent-sibling", "elder-sibling"]), unique=True
)


@given(states, states, relation_sets)
@settings(max_examples=300)
def test_backends_agree_and_witnesses_hold(q, r, relations):
    answers = {name: pidlab.equivalent(q, r, relations, name) for name in ("canon", "refine", "vf2")}
    assert len({answer.equivalent for answer in answers.values()}) == 1
    for answer in answers.values():
        if answer:
            assert pidlab.check_witness(q, r, answer.witness, relations)
    assert pidlab.equivalent(q, q, relations)


@given(states)
def test_states_survive_all_formats(state):
    for text in (state.to_json(), state.to_pst()):
        again = pidlab.State(text or " ", allow_inconsistent=True)
        assert again.to_dict() == state.to_dict()
    assert json.loads(state.to_json()) == state.to_dict()


@given(st.lists(states, max_size=8), relation_sets)
def test_class_sets_are_sets_of_classes(found, relations):
    found = [state for state in found if state.is_consistent]
    classes = pidlab.ClassSet(found, relations=relations)
    firsts = []
    for state in found:
        if not any(pidlab.equivalent(state, first, relations) for first in firsts):
            firsts.append(state)
    assert len(classes) == len(firsts) and all(state in classes for state in found)
