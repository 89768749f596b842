"""A generator for pidlab: prints pairs of states, one a line (JSON Lines).

    python3 FILE > pairs.jsonl
    pidlab check --pairs pairs.jsonl --json

A number on the command line is the seed. Replace `listeners` by your own states: `sigma` says which vectors lie where, pids
in them begin with "@"; `eta` says how many threads each active pid has created (docs/state-json.md).
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


def pair(name, q, r):
    # relations: what a renaming has to keep, here only who has created whom
    return {"id": name, "relations": ["parent"], "q": listeners(q), "r": listeners(r)}


rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
for size in (2, 5, 20):
    requests = [[rng.randrange(10) for _ in range(rng.randrange(1, 4))] for _ in range(size)]
    # the same listeners under other names: equivalent
    renamed = rng.sample(requests, size)
    print(json.dumps(pair(f"renamed-{size}", requests, renamed)))
    # one request has a number that occurs nowhere else: not equivalent
    changed = [list(numbers) for numbers in renamed]
    changed[0][0] = 99
    print(json.dumps(pair(f"changed-{size}", requests, changed)))
