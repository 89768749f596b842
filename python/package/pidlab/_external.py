"""Python functions as backends and generators of the program ``pidlab`` (docs/external-backends.md, docs/generators.md)."""

from __future__ import annotations

import json
import sys

from ._pidlab import State

FORMAT = "pidlab-external/2"
FORMS = ("states", "layered", "plain")
GENERATOR_FORMAT = "pidlab-generator/1"


def backend(decide, *, wants=("states",), input=None, output=None):
    """Serve a function as an external backend until standard input ends.

    Parameters
    ----------
    decide : callable
        Called as ``decide(q, r)``, or ``decide(q, r, request)`` if it takes three arguments: two `State`
        if ``wants`` has ``"states"``, else the two graphs as dictionaries; ``request`` is the whole
        request. Returns True, False, None (undecided), or a dictionary: a witness (``{"@1": "@2", …}``),
        or an answer of the protocol (``{"equivalent": True, "image": […]}``). Any object that is true or
        false will do, such as an `Equivalence`.
    wants : iterable of str
        Which forms of a problem to send: ``states``, ``layered``, ``plain``.
    input, output : text files, optional
        Standard input and output unless given.

    Notes
    -----
    What `decide` prints goes to standard error, for standard output belongs to the protocol. An
    exception is reported as the failure of that question; the program goes on.

    Examples
    --------
    A whole program, for ``pidlab check A.json B.json --backend "external:python3 mine.py"``::

        import pidlab

        def decide(q, r):
            return False if q.pid_count != r.pid_count else None

        pidlab.backend(decide)
    """
    wants = _checked(decide, wants)
    greeting = {"format": FORMAT, "wants": wants}
    _serve(greeting, lambda request: _document(_call(decide, wants, request)), input, output)


def generator(make, *, input=None, output=None):
    """Serve a function as an external generator until standard input ends.

    Parameters
    ----------
    make : callable
        Called as ``make(size, seed)``, or ``make(size, seed, request)`` if it takes three arguments;
        ``request`` is the whole request, with the names of the set and of the transformation. Returns one
        state (the experiment makes the second), a pair ``(q, r)``, ``(q, r, equivalent)`` where the verdict is
        known for ``parent``, a dictionary of the protocol (``{"q": …, "r": …, "expected": True,
        "relations": […]}``), or None if there is no such pair. States are `State`, dictionaries or text,
        as everywhere. The same arguments must make the same pair.
    input, output : text files, optional
        Standard input and output unless given.

    Notes
    -----
    What `make` prints goes to standard error, for standard output belongs to the protocol. An exception
    ends the experiment with its message.

    Examples
    --------
    A whole program, for ``generator = "python3 mine.py"`` of an experiment::

        import pidlab

        def make(size, seed):
            return pidlab.random_state(pids=size, seed=seed)

        pidlab.generator(make)
    """
    if not callable(make):
        raise TypeError(f"make: expected a function, not {type(make).__name__}")
    _serve({"format": GENERATOR_FORMAT}, lambda request: _pair(_made(make, request)), input, output)


def _serve(greeting, answer, input, output):
    input = sys.stdin if input is None else input
    output = sys.stdout if output is None else output
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        _send(output, greeting)
        for line in input:
            request = json.loads(line)
            _send(output, {"id": request["id"], **_answered(answer, request)})
    finally:
        sys.stdout = stdout


def _made(make, request):
    arguments = request["size"], request["seed"]
    return make(*arguments, request) if _takes(make, 3) else make(*arguments)


def _pair(made):
    if made is None:
        return {"skip": True}
    if isinstance(made, dict) and ("q" in made or "error" in made):
        return {key: _state(value) if key in ("q", "r") else value for key, value in made.items()}
    if not isinstance(made, (tuple, list)):
        return {"q": _state(made)}
    if len(made) not in (2, 3):
        raise ValueError(f"make: expected a state, (q, r) or (q, r, equivalent), not {len(made)} values")
    known = {"expected": None if made[2] is None else bool(made[2])} if len(made) == 3 else {}
    return {"q": _state(made[0]), "r": _state(made[1]), **known}


def _state(state):
    return (state if isinstance(state, State) else State(state)).to_dict()


def _checked(decide, wants):
    if not callable(decide):
        raise TypeError(f"decide: expected a function, not {type(decide).__name__}")
    wants = [wants] if isinstance(wants, str) else list(wants)
    if not wants or any(form not in FORMS for form in wants):
        raise ValueError(f"wants: expected some of {', '.join(FORMS)}, not {wants!r}")
    return wants


def _send(output, document):
    output.write(json.dumps(document) + "\n")
    output.flush()


def _answered(answer, request):
    try:
        return answer(request)
    except Exception as error:  # whatever it is, the next question may go well
        return {"error": f"{type(error).__name__}: {error}"}


def _call(decide, wants, request):
    if "states" in wants:
        q, r = (State(request[side], allow_inconsistent=True) for side in "qr")
    else:
        q, r = (request[f"{side}_{wants[0]}"] for side in "qr")
    return decide(q, r, request) if _takes(decide, 3) else decide(q, r)


def _takes(function, count):
    code = getattr(function, "__code__", None)
    return code is not None and code.co_argcount - hasattr(function, "__self__") >= count


def _document(answer):
    witness = getattr(answer, "witness", None)
    if isinstance(witness, dict):
        return {"equivalent": True, "witness": witness}
    if isinstance(answer, dict):
        if "equivalent" in answer or "error" in answer:
            return answer
        return {"equivalent": True, "witness": answer}
    return {"equivalent": None if answer is None else bool(answer)}
