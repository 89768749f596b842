"""A Python function as a backend of the program ``pidlab`` (docs/external-backends.md)."""

from __future__ import annotations

import json
import sys

from ._pidlab import State

FORMAT = "pidlab-external/2"
FORMS = ("states", "layered", "plain")


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
    input = sys.stdin if input is None else input
    output = sys.stdout if output is None else output
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        _send(output, {"format": FORMAT, "wants": wants})
        for line in input:
            request = json.loads(line)
            _send(output, {"id": request["id"], **_answer(decide, wants, request)})
    finally:
        sys.stdout = stdout


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


def _answer(decide, wants, request):
    try:
        return _document(_call(decide, wants, request))
    except Exception as error:  # whatever it is, the next question may go well
        return {"error": f"{type(error).__name__}: {error}"}


def _call(decide, wants, request):
    if "states" in wants:
        q, r = (State(request[side], allow_inconsistent=True) for side in "qr")
    else:
        q, r = (request[f"{side}_{wants[0]}"] for side in "qr")
    code = getattr(decide, "__code__", None)
    takes_request = code is not None and code.co_argcount - hasattr(decide, "__self__") >= 3
    return decide(q, r, request) if takes_request else decide(q, r)


def _document(answer):
    witness = getattr(answer, "witness", None)
    if isinstance(witness, dict):
        return {"equivalent": True, "witness": witness}
    if isinstance(answer, dict):
        if "equivalent" in answer or "error" in answer:
            return answer
        return {"equivalent": True, "witness": answer}
    return {"equivalent": None if answer is None else bool(answer)}
