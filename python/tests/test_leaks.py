"""Memory stays where it is over many calls, errors included; in a process of its own."""

import subprocess
import sys

import pytest

PROGRAM = """
import gc, sys
import pidlab

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

R = pidlab.State("L : <1:0> <2:1>   H : <2.1:0, 7>")
GRAPH = pidlab.Graph(3, [(0, 1), (1, 2)])

def calls(count):
    for number in range(count):
        q = pidlab.State(sigma={"L": [["@1"], ["@2", number % 7, "x"]]}, eta={"1": 0, "2": 1})
        answer = pidlab.equivalent(q, R)
        assert not answer and hash(q) and q == q and answer.witness is None
        assert pidlab.isomorphic(GRAPH, GRAPH).mapping and pidlab.canonical_form(GRAPH)
        try:
            pidlab.State(sigma=number)
        except TypeError:
            pass

calls(int(sys.argv[1]) // 10)
gc.collect()
before = resident()
calls(int(sys.argv[1]))
gc.collect()
print(resident() - before)
"""


def growth(count):
    command = [sys.executable, "-c", PROGRAM, str(count)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@linux
def test_no_leak_over_some_calls():
    assert growth(20_000) < 4 << 20


@linux
@pytest.mark.slow
def test_no_leak_over_a_million_calls():
    assert growth(1_000_000) < 8 << 20
