"""A generator for pidlab: makes pairs of states, for experiments or as a file of pairs.

In an experiment, which starts the program and asks it for one pair at a time (docs/generators.md):

    [[states]]
    label = "listeners"
    generator = "python3 FILE"

As a file:

    python3 FILE --pairs > pairs.jsonl
    pidlab check --pairs pairs.jsonl --json

Replace `listeners` and `make` by your own: `sigma` says which vectors lie where, pids in them begin with "@"; `eta` says
how many threads each active pid has created (docs/state-json.md).
"""

import json
import random
import sys


def listeners(requests):
    """Listener i + 1 has created a handler for each of its requests, and each handler holds its number."""
    sigma = {"listening": [], "handling": []}
    eta = {}
    for i, numbers in enumerate(requests):
        listener = str(i + 1)
        sigma["listening"].append(["@" + listener])
        eta[listener] = len(numbers)
        for j, number in enumerate(numbers):
            handler = f"{listener}.{j + 1}"
            sigma["handling"].append(["@" + handler, number])
            eta[handler] = 0
    return {"format": "pidlab-state/1", "sigma": sigma, "eta": eta}


def make(size, seed):
    """A pair of states with about `size` pids; the same seed makes the same pair."""
    rng = random.Random(seed)
    count = max(2, size // 3)
    requests = [[rng.randrange(10) for _ in range(rng.randrange(1, 4))] for _ in range(count)]
    # the same listeners under other names: equivalent, as long as only who has created whom is kept
    other = rng.sample(requests, count)
    equivalent = rng.random() < 0.5
    if not equivalent:
        # one request has a number that occurs nowhere else
        other[0] = [99] + other[0][1:]
    return {"relations": ["parent"], "q": listeners(requests), "r": listeners(other), "expected": equivalent}


def serve():
    """Answers an experiment until it has no more questions."""
    print(json.dumps({"format": "pidlab-generator/1"}), flush=True)
    for line in sys.stdin:
        ask = json.loads(line)
        print(json.dumps({"id": ask["id"], **make(ask["size"], ask["seed"])}), flush=True)


if "--pairs" in sys.argv:
    for size in (6, 15, 60):
        for seed in (1, 2, 3, 4):
            print(json.dumps({"id": f"{size}-{seed}", **make(size, seed)}))
else:
    serve()
