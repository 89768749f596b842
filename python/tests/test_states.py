"""States, equivalence, canonical forms, classes."""

import copy
import json
import pickle
import threading

import pidlab
import pytest

Q = {"sigma": {"L": [["@1"], ["@2"]], "H": [["@1.1", 7]]}, "eta": {"1": 1, "2": 0, "1.1": 0}}
R = {"sigma": {"L": [["@1"], ["@2"]], "H": [["@2.1", 7]]}, "eta": {"1": 0, "2": 1, "2.1": 0}}


def test_all_ways_to_make_a_state_agree():
    text = json.dumps(Q)
    ways = [
        pidlab.State(Q),
        pidlab.State(text),
        pidlab.State("  " + text),
        pidlab.State("L : <1:1> <2:0>\nH : <1.1:0, 7>\n"),
        pidlab.State(sigma=Q["sigma"], eta=Q["eta"]),
        pidlab.State(
            sigma={"L": [[(1,)], ((2,),)], "H": iter([[(1, 1), 7]])},
            eta={(1,): 1, "@2": 0, "1.1": 0},
        ),
        pidlab.State({"format": "pidlab-state/1", **Q}),
    ]
    for state in ways:
        assert state.to_dict() == {"format": "pidlab-state/1", **Q}
        assert pidlab.State(state.to_pst()).to_dict() == state.to_dict()
        assert pidlab.State(state).to_json() == ways[0].to_json()


def test_data_survives():
    sigma = {"A": [["@1", "@@x", "", -5, 2**64 - 1, -(2**63), True, False, 1, "1", "ünïcode\n"]]}
    state = pidlab.State(sigma=sigma, eta={"1": 0})
    assert state.sigma == sigma
    assert [type(c) for c in state.sigma["A"][0]] == [type(c) for c in sigma["A"][0]]
    assert state.pids == ["@1"] and state.pid_count == 1 and state.vector_count == 1


def test_equality_and_hash_are_by_class():
    q, r = pidlab.State(Q), pidlab.State(R)
    assert q == r and hash(q) == hash(r) and not q != r
    assert len({q, r, pidlab.State("L : <1:0>")}) == 2
    assert q.class_hash() == r.class_hash() != q.class_hash("all")
    assert q.canonical().to_json() == r.canonical().to_json()
    assert q != "a state" and q != 3
    assert hash(q.canonical()) == hash(q)


def test_copies_and_pickles():
    q = pidlab.State(Q)
    for other in (copy.copy(q), copy.deepcopy(q), pickle.loads(pickle.dumps(q))):
        assert other.to_json() == q.to_json()
    odd = pidlab.State(sigma={}, eta={"1": 0}, allow_inconsistent=True)
    assert pickle.loads(pickle.dumps(odd)).to_json() == odd.to_json()


def test_inconsistent_states_are_refused_unless_allowed():
    with pytest.raises(ValueError, match="source: pid 1 is active"):
        pidlab.State('{"sigma": {}, "eta": {"1": 0}}')
    odd = pidlab.State(sigma={}, eta={"1": 0}, allow_inconsistent=True)
    assert not odd.is_consistent and "inconsistent" in repr(odd)
    with pytest.raises(ValueError, match="consistent"):
        hash(odd)
    assert odd == pidlab.State(sigma={}, eta={"2": 0}, allow_inconsistent=True)


@pytest.mark.parametrize("backend", ["canon", "refine", "vf2", "petgraph"])
def test_verdicts_witnesses_and_reasons(backend):
    yes = pidlab.equivalent(Q, R, backend=backend)
    assert yes and yes.equivalent is True and yes.reason is None and yes.backend == backend
    assert pidlab.check_witness(Q, R, yes.witness)
    assert all(time >= 0 for time in yes.times)
    no = pidlab.equivalent(Q, R, relations=["parent", "elder-sibling"], backend=backend)
    assert not no and no.equivalent is False and no.witness is None
    assert no.reason["equivalent_without"] == ["elder-sibling"]
    assert "not equivalent" in repr(no) and "not equivalent" in no._repr_html_()
    assert "<table>" in yes._repr_html_()


def test_a_wrong_witness_is_refused():
    witness = pidlab.equivalent(Q, R).witness
    witness["@1"], witness["@2"] = witness["@2"], witness["@1"]
    check = pidlab.check_witness(Q, R, witness)
    assert not check and isinstance(check.violation, str)


def test_open_questions_are_not_taken_for_an_answer():
    q = pidlab.random_state(seed=3, pids=30)
    open_question = pidlab.equivalent(q, q, backend="wl")
    assert open_question.equivalent is None and "no difference" in open_question.undecided
    with pytest.raises(pidlab.Undecided):
        bool(open_question)
    base = pidlab.hard_instance("multipede", 400).state
    twin = pidlab.hard_instance("multipede", 400, variant="twin").state
    late = pidlab.equivalent(base, twin, relations="none", timeout="1ms")
    assert late.equivalent is None and "time" in late.undecided
    with pytest.raises(pidlab.Undecided):
        base.canonical("none", timeout=0.0)


def test_known_pairs(root):
    """The engine-neutral cases of the repository."""
    with open(root / "testdata" / "equivalence" / "pairs.jsonl", encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        relations, expected = case["relations"], case["expected"]
        q, r = (pidlab.State(case[side], allow_inconsistent=True) for side in "qr")
        if expected is None:
            continue
        assert pidlab.equivalent(q, r, relations).equivalent == expected, case["id"]
        if q.is_consistent and r.is_consistent:
            same = q.canonical(relations).to_json() == r.canonical(relations).to_json()
            assert same == expected, case["id"]
    assert sum(all(case["ct"]) for case in cases) > 100


def test_batches_answer_in_order():
    states = [pidlab.random_state(seed=1, stream=n, pids=60) for n in range(60)]
    others = [pidlab.transform(s, "rename", seed=n).state for n, s in enumerate(states)]
    others[7::9] = [pidlab.transform(s, "near-miss", seed=1).state for s in states[7::9]]
    expected = [bool(pidlab.equivalent(q, r)) for q, r in zip(states, others)]
    assert False in expected and True in expected
    for threads in (1, 3, None):
        answers = pidlab.equivalent_many(zip(states, others), threads=threads)
        assert [bool(a) for a in answers] == expected
    forms = pidlab.canonical_many(states, threads=2)
    assert [f.to_json() for f in forms] == [s.canonical().to_json() for s in states]
    assert pidlab.equivalent_many([]) == [] and pidlab.canonical_many([]) == []


def test_class_set_and_map():
    seen = pidlab.ClassSet(relations="all")
    assert seen.add(Q) and not seen.add(pidlab.State(Q)) and seen.add(R)
    assert len(seen) == 2 and Q in seen and seen.representative(R).to_dict()["sigma"] == R["sigma"]
    seen.discard(Q)
    assert Q not in seen and len(seen) == 1
    depth = pidlab.ClassMap({pidlab.State(Q): 1})
    depth[R] = 2
    assert len(depth) == 1 and depth[Q] == 2 and depth.representative(R) == pidlab.State(Q)
    assert depth.setdefault("L : <1:0>", 5) == 5 and "L : <9:4>" in depth
    with pytest.raises(KeyError):
        depth["L : <1:0> <2:0> <3:0>"]
    del depth[Q]
    assert len(depth) == 1


def test_scalars_of_numpy_are_data():
    numpy = pytest.importorskip("numpy")
    values = [numpy.int64(3), numpy.bool_(True), numpy.uint8(200), numpy.str_("x")]
    assert pidlab.State(sigma={"L": [values]}, eta={}).sigma == {"L": [[3, True, 200, "x"]]}
    with pytest.raises(TypeError, match=r"sigma\['L'\]: .*not numpy.float32"):
        pidlab.State(sigma={"L": [[numpy.float32(1)]]}, eta={})


def test_operators_of_class_sets_keep_their_relations():
    q, r = pidlab.State(Q), pidlab.State(R)
    assert q == r and not pidlab.equivalent(q, r, "all")
    apart = pidlab.ClassSet([q], relations="all")
    both = pidlab.ClassSet([q, r], relations=["elder-sibling", "parent", "ancestor", "adjacent-sibling"])
    for union in (apart | {r}, apart | [r], [r] | apart, apart ^ [r, q, q] | apart):
        assert len(union) == 2 and union == both and union.relations == apart.relations
    # a set of Python, and a list, know no relations but the default
    for other in ({r}, [r]):
        assert len(apart - other) == 1 and not apart & other and apart.isdisjoint(other)
        assert len(other - apart) == 1
    assert apart < both and both >= apart and apart != both and both - apart == pidlab.ClassSet([r], relations="all")
    together = pidlab.ClassSet([q])
    assert together == {r} and together != apart
    with pytest.raises(ValueError, match="other: sets of classes under different relations"):
        apart | together
    for wrong in (lambda: apart | 3, lambda: apart <= together, lambda: hash(apart)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="relations"):
        pidlab.ClassSet(relations="parnt")


@pytest.mark.parametrize("relations", ["parent", "none", "all", ("ancestor", "parent")])
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s)), lambda s: s.copy()])
def test_copies_of_sets_and_dictionaries_are_their_own(relations, again):
    seen, depth = pidlab.ClassSet([Q], relations=relations), pidlab.ClassMap([(Q, 1)], relations=relations)
    others = again(seen), again(depth)
    assert others[0] == seen and others[1][Q] == 1
    assert [other.relations for other in others] == [seen.relations, depth.relations]
    others[0].update(["L : <1:0>"], ["L : <1:0> <2:0>"])
    others[1]["L : <1:0>"] = 2
    assert (len(others[0]), len(seen), len(others[1]), len(depth)) == (3, 1, 2, 1)


def test_generators_repeat_and_guarantee():
    q = pidlab.random_state(seed=5, stream=2, pids=40, vectors=50, width=(1, 3), pid_share=0.5)
    assert q.pid_count == 40 and q.vector_count == 50
    again = pidlab.random_state(seed=5, stream=2, pids=40, vectors=50, width=(1, 3), pid_share=0.5)
    assert again.to_json() == q.to_json()
    for entry in pidlab.transformations():
        made = pidlab.transform(q, entry["name"], strength=0.3, seed=8)
        expected = made.expected()
        if expected is not None:
            assert bool(pidlab.equivalent(q, made.state)) == expected, entry["name"]
    for family in ("cfi", "cubic", "latin-random", "grid"):
        base, twin = (pidlab.hard_instance(family, 10, variant=v).state for v in ("base", "twin"))
        other = pidlab.hard_instance(family, 10, variant="equivalent").state
        assert pidlab.equivalent(base, other, relations="none")
        assert not pidlab.equivalent(base, twin, relations="none")


def test_layered_graph_is_the_definition():
    import networkx as nx

    match = lambda a, b: a["label"] == b["label"]
    edges = lambda a, b: sorted(e["label"] for e in a.values()) == sorted(e["label"] for e in b.values())
    for relations, same in (("parent", True), ("all", False)):
        graphs = [pidlab.layered_graph(s, relations) for s in (Q, R)]
        assert nx.is_isomorphic(*graphs, node_match=match, edge_match=edges) == same


def test_drawings_of_small_states_only():
    assert pidlab.State(Q)._repr_svg_().startswith("<svg")
    assert pidlab.random_state(pids=500)._repr_svg_() is None


def test_backends_are_listed():
    names = {b["name"]: b for b in pidlab.backends()}
    assert names["canon"]["exact"] and names["canon"]["available"] and not names["wl"]["exact"]
    with pytest.raises(ValueError, match="backend: "):
        pidlab.equivalent(Q, R, backend="nonsense")
    with pytest.raises(ValueError, match="backend: .*nauty"):
        pidlab.equivalent(Q, R, backend="nauty")


def test_threads_may_share_states():
    states = [pidlab.random_state(seed=1, stream=n, pids=300) for n in range(8)]
    moved = [pidlab.transform(s, "rename", seed=2).state for s in states]
    failures = []

    def work():
        for _ in range(20):
            for q, r in zip(states, moved):
                if hash(q) != hash(r) or q != r or not pidlab.equivalent(q, r):
                    failures.append((q, r))

    threads = [threading.Thread(target=work) for _ in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures
