"""The protocol of docs/external-backends.md for adapters in Python, with both clocks.

An adapter gives two functions: `build` makes the library's own graph of one side, `decide` compares
two of them. They are timed apart, by the wall clock and by the CPU clock of this process (all its
threads); reading requests and writing answers is not part of either.
"""
import json
import os
import sys
import time


def serve(form, build, decide, size=None):
    """Answers requests until standard input ends.

    `form` is "layered", "plain" or "states"; then `build` gets a state and the names of the relations. `decide` returns the image of every vertex, True (isomorphic, no
    image at hand), False, or None (undecided). `size` tells vertices and arcs of what was built, where that is not the
    graph that was sent.
    """
    # libraries written in C print what they like; answers have a way of their own
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps({"format": "pidlab-external/2", "wants": [form]}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        sides = sides_of(request, form)
        try:
            reply = timed(sides, build, decide, size)
        except Exception as error:  # the row fails with this message, the run goes on
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request["id"], **reply}), file=answers, flush=True)


def sides_of(request, form):
    """The arguments of `build`, for both sides."""
    if form == "states":
        return [(request[side], request["relations"]) for side in "qr"]
    return [(request[f"{side}_{form}"],) for side in "qr"]


def timed(sides, build, decide, size):
    cpu, begin = time.process_time(), time.perf_counter()
    q, r = build(*sides[0]), build(*sides[1])
    built = time.perf_counter()
    found = decide(q, r)
    end = time.perf_counter()
    reply = {
        "build_seconds": built - begin,
        "decide_seconds": end - built,
        "cpu_seconds": time.process_time() - cpu,
    }
    if size is not None:
        reply["vertices"], reply["arcs"] = size(q)
    if isinstance(found, list):
        return {"equivalent": True, "image": found, **reply}
    return {"equivalent": found, **reply}


def cells(colours):
    """The vertices by colour: a list of pairs, in order of colours."""
    classes = {}
    for vertex, colour in enumerate(colours):
        classes.setdefault(colour, []).append(vertex)
    return sorted(classes.items())


def composed(q_order, r_order):
    """The image of every vertex where two canonical orders list the vertices place by place."""
    image = [0] * len(q_order)
    for x, y in zip(q_order, r_order):
        image[x] = y
    return image
