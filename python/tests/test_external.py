"""`pidlab.backend` speaks the protocol of external backends, here with our own engine as the asker."""

import io
import json
import sys
import textwrap

import pidlab
import pytest

PROGRAM = """
    import pidlab

    def decide(q, r):
        print("this goes to standard error")
        return {answer}

    pidlab.backend(decide)
"""


def asked(tmp_path, answer, q, r, **options):
    program = tmp_path / "mine.py"
    program.write_text(textwrap.dedent(PROGRAM.format(answer=answer)))
    return pidlab.equivalent(q, r, backend=f"external:{sys.executable} {program}", **options)


Q = pidlab.State("L : <1:1> <2:0>   H : <1.1:0, 7>")
R = pidlab.State("L : <1:0> <2:1>   H : <2.1:0, 7>")


def test_a_function_is_a_backend(tmp_path):
    yes = asked(tmp_path, "pidlab.equivalent(q, r)", Q, R)
    assert yes and pidlab.check_witness(Q, R, yes.witness)
    assert asked(tmp_path, "pidlab.equivalent(q, r).witness", Q, R)
    assert asked(tmp_path, "True", Q, R).witness
    no = asked(tmp_path, "q.pid_count == r.pid_count", Q, "L : <1:0>")
    assert no.equivalent is False
    assert asked(tmp_path, "None", Q, R).equivalent is None


def test_failures_are_reported(tmp_path):
    failed = asked(tmp_path, "1 / 0", Q, R)
    assert failed.equivalent is None and "ZeroDivisionError" in failed.undecided
    lie = asked(tmp_path, "True", Q, "L : <1:0>")
    assert lie.equivalent is None
    late = asked(tmp_path, "__import__('time').sleep(30)", Q, R, timeout=1.0)
    assert late.equivalent is None


def served(decide, requests, **options):
    output = io.StringIO()
    text = "".join(json.dumps(request) + "\n" for request in requests)
    pidlab.backend(decide, input=io.StringIO(text), output=output, **options)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def test_graphs_and_whole_requests():
    graph = {"colours": [0], "arcs": []}
    request = {"id": 4, "relations": ["parent"], "q_layered": graph, "r_layered": graph}
    greeting, answer = served(
        lambda q, r, request: {"equivalent": q == r, "image": [0]}, [request], wants="layered"
    )
    assert greeting == {"format": "pidlab-external/2", "wants": ["layered"]}
    assert answer == {"id": 4, "equivalent": True, "image": [0]}


def test_wrong_arguments():
    with pytest.raises(TypeError, match="decide"):
        pidlab.backend(3)
    with pytest.raises(ValueError, match="wants"):
        pidlab.backend(lambda q, r: None, wants=["everything"])


def generated(make, requests):
    output = io.StringIO()
    text = "".join(json.dumps(request) + "\n" for request in requests)
    pidlab.generator(make, input=io.StringIO(text), output=output)
    return [json.loads(line) for line in output.getvalue().splitlines()]


ASK = {"id": 1, "seed": 7, "size": 12, "set": "mine", "transformation": None, "variant": 0}


def test_a_function_is_a_generator():
    greeting, answer = generated(lambda size, seed: pidlab.random_state(pids=size, seed=seed), [ASK])
    assert greeting == {"format": "pidlab-generator/1"}
    assert answer["id"] == 1 and pidlab.State(answer["q"]).pid_count == 12 and "r" not in answer
    _, answer = generated(lambda size, seed: (Q, "L : <1:0>", False), [ASK])
    assert answer["expected"] is False and pidlab.State(answer["r"]).pid_count == 1
    _, answer = generated(lambda size, seed, request: {"q": Q, "r": R, "relations": [request["set"]]}, [ASK])
    assert answer["relations"] == ["mine"] and pidlab.equivalent(answer["q"], answer["r"])
    _, skipped, failed = generated(lambda size, seed: None if size > 10 else 1 / 0, [ASK, ASK | {"size": 3}])
    assert skipped == {"id": 1, "skip": True} and "ZeroDivisionError" in failed["error"]
    with pytest.raises(TypeError, match="make"):
        pidlab.generator(3)
