"""State spaces of models and parameterised coverability."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

from . import _limits, _pidlab


class Document:
    """A result of the engine: the fields of its JSON document as attributes, and as ``to_dict()``."""

    def __init__(self, fields):
        self._fields = fields

    def __getattr__(self, name):
        try:
            return self.__dict__["_fields"][name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}") from None

    def __dir__(self):
        return [*super().__dir__(), *self._fields]

    def to_dict(self):
        """The document, as ``pidlab … --json`` prints it."""
        return self._fields

    def _repr_html_(self):
        shown = ((k, v) for k, v in self._fields.items() if isinstance(v, (str, int, float)))
        rows = (f"<tr><td>{k}</td><td>{_escape(v)}</td></tr>" for k, v in shown)
        return f"<table>{''.join(rows)}</table>"


def _escape(value):
    return str(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Exploration(Document):
    """A state space: ``states``, ``edges``, ``seen``, ``deadlocks``, ``complete``, ``stopped`` and more."""

    def __repr__(self):
        end = "" if self.complete else f", stopped: {self.stopped}"
        return f"<{self.states} states, {self.edges} edges, {self.deadlocks} deadlocks{end}>"

    def networkx(self):
        """The reduced state graph as a networkx.MultiDiGraph; needs ``explore(..., graph=True)``."""
        import networkx

        if not self._fields.get("graph"):
            raise ValueError("graph: explore again with graph=True to keep the edges")
        graph = networkx.MultiDiGraph()
        for node in self.graph["nodes"]:
            number = node["id"]
            graph.add_node(number, **{k: v for k, v in node.items() if k != "id"})
        for edge in self.graph["edges"]:
            rest = {k: v for k, v in edge.items() if k not in ("from", "to")}
            graph.add_edge(edge["from"], edge["to"], **rest)
        return graph


class Coverage(Document):
    """An answer: ``verdict`` (safe, unsafe or unknown), ``trace`` or ``certificate``, ``explored``."""

    def __repr__(self):
        return f"<{self.verdict}, says {self.algorithm}: {self.explored} configurations explored>"


def _read(model, language, endings, detect):
    """The name, bytes and language of a model given as a path or as text."""
    if isinstance(model, os.PathLike):
        path = Path(model)
    elif not isinstance(model, str):
        kind = type(model).__name__
        raise TypeError(f"model: expected a path or the text of a model, not {kind}")
    elif "\n" in model or "\0" in model or not model.endswith(tuple(f".{e}" for e in endings)):
        language = language or detect(model)
        return "model", model.encode("utf-8", "surrogatepass"), language
    else:
        path = Path(model)
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise ValueError(f"model: {path} cannot be read: {error}") from None
    return str(path), content, language or path.suffix.lstrip(".")


def _detect_model(text):
    """Nets begin with `net NAME`; all else is taken for a heap program."""
    code = re.sub(r"#[^\n]*", "", text).lstrip()
    return "tnet" if re.match(r"net\b", code) else "bir"


def _detect_question(text):
    raise ValueError("language: text needs one of spec, tts, lgfsm, bp; the ending of a path says it")


def _constant(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_constant(item) for item in value)
    if isinstance(value, (int, str)):
        return str(value)
    kind = type(value).__name__
    raise TypeError(f"constants: expected numbers, strings or lists of them, not {kind}")


def _constants(constants):
    if constants is None:
        return {}
    if not hasattr(constants, "items"):
        kind = type(constants).__name__
        raise TypeError(f"constants: expected a mapping such as {{'k': 2}}, not {kind}")
    return {_limits.text("constants", name): value for name, value in constants.items()}


def _decoded(content):
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"model: not UTF-8: {error}") from None


#: Options of nets, and of heap programs, with their defaults.
_NET = {
    "relations": "parent", "canon": True, "force": False, "properties": (), "stop": False,
    "graph": False, "threads": None, "search": "bfs",
}  # fmt: skip
_HEAP = {"thread_symmetry": "none", "heap_symmetry": True, "compress": "bytes", "search": "dfs"}


def _options(language, known, given):
    for name in given:
        if name not in known:
            raise TypeError(f"{name}: not an option of .{language} models; they have {', '.join(known)}")
    return {**known, **given}


def explore(
    model, constants=None, *, language=None, max_states=None, timeout=None, memory_limit=None, **options
):
    """Explore the state space of a model, merging equivalent states.

    Parameters
    ----------
    model : path or str
        A file (``.tnet`` or ``.bir``), or the text of a model.
    constants : mapping, optional
        Values of constants of the model, such as ``{"k": 2, "years": [2008, 2009]}``.
    language : str, optional
        ``tnet`` or ``bir``; told from the ending or the text unless given.
    max_states, timeout, memory_limit : optional
        Limits; what was found until then is returned, ``complete`` is False and ``stopped`` says why.
    **options
        Nets: ``relations`` (``"auto"``: those that the model compares with), ``canon``, ``force``,
        ``properties``, ``stop``, ``graph``, ``threads``, ``search``. Heap programs:
        ``thread_symmetry`` (``none``, ``pc``, ``kbots:<k>``, ``kbots:inf``, ``exact``),
        ``heap_symmetry``, ``compress``, ``search``.

    Returns
    -------
    Exploration
        The document that ``pidlab explore --json`` prints.

    Examples
    --------
    >>> import pidlab
    >>> net = '''net ring
    ... const n = 3
    ... place idle(pid)
    ... place busy(pid)
    ... init idle(@i) for i in 1..n
    ... transition go { take idle(p) put busy(p) }
    ... transition rest { take busy(p) put idle(p) }
    ... '''
    >>> pidlab.explore(net)
    <4 states, 6 edges, 0 deadlocks>
    >>> pidlab.explore(net, {"n": 5}, canon=False).states
    32
    """
    name, content, language = _read(model, language, ("tnet", "bir"), _detect_model)
    common = SimpleNamespace(
        name=name,
        text=_decoded(content),
        max_states=_limits.count("max_states", max_states),
        timeout=_limits.seconds("timeout", timeout),
        memory_limit=_limits.size("memory_limit", memory_limit),
    )
    constants = _constants(constants)
    if language == "tnet":
        found = _explore_net(common, constants, _options("tnet", _NET, options))
    elif language == "bir":
        found = _explore_heap(common, constants, _options("bir", _HEAP, options))
    else:
        raise ValueError(f"language: use tnet or bir, not {language!r}")
    return Exploration(json.loads(found))


def _explore_net(request, constants, options):
    if isinstance(options["properties"], str):
        raise TypeError("properties: expected a list of strings, not a string")
    request.constants = [(name, _constant(value)) for name, value in constants.items()]
    request.properties = [_limits.text("properties", text) for text in options["properties"]]
    request.search = _limits.text("search", options["search"])
    request.threads = _limits.threads(options["threads"])
    for name in ("canon", "force", "stop", "graph"):
        setattr(request, name, _limits.flag(name, options[name]))
    return _pidlab.explore_net(request, options["relations"])


def _explore_heap(request, constants, options):
    for name, value in constants.items():
        if isinstance(value, bool) or not isinstance(value, int):
            kind = type(value).__name__
            raise TypeError(f"constants: {name} of a heap program is a whole number, not {kind}")
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"constants: {name} does not fit in 64 bits")
    request.constants = list(constants.items())
    for name in ("thread_symmetry", "compress", "search"):
        setattr(request, name, _limits.text(name, options[name]))
    request.heap_symmetry = _limits.flag("heap_symmetry", options["heap_symmetry"])
    return _pidlab.explore_heap(request)


def _property_of(model, language, prop):
    """The property of a .tts model: given, or beside the file."""
    if language != "tts":
        if prop is not None:
            raise ValueError("prop: only .tts models have a property of their own")
        return None
    if isinstance(prop, str) and "\n" not in prop and not prop.endswith(".prop"):
        return prop.encode()
    beside = [Path(f"{model}.prop"), Path(model).with_suffix(".prop")] if prop is None else [Path(prop)]
    found = next((path for path in beside if path.is_file()), None)
    if found is None:
        raise ValueError(f"prop: there is no property {beside[-1]}; give a path or its text")
    return found.read_bytes()


def cover(
    model,
    *,
    language=None,
    prop=None,
    init=None,
    algorithm="auto",
    reduce=True,
    timeout=None,
    memory_limit=None,
):
    """Decide whether a bad state can be reached with some number of threads; the answer is checked.

    Parameters
    ----------
    model : path or str
        A file (``.spec``, ``.tts``, ``.lgfsm`` or ``.bp``), or the text of a model.
    language : str, optional
        Needed for text: ``spec``, ``tts``, ``lgfsm`` or ``bp``.
    prop : path or str, optional
        The property of a ``.tts`` model, if it is not beside it.
    init : str, optional
        The start of a ``.tts`` model, such as ``"0|1/2"``.
    algorithm : str
        ``auto``, ``backward``, ``mp``, ``beacon``, ``beacon:bfs``, ``karp-miller`` or ``bounded:<n>``.
    reduce : bool
        Merge states that behave alike first.
    timeout, memory_limit : optional
        Limits; the verdict is ``unknown`` when one is reached.

    Returns
    -------
    Coverage
        The document that ``pidlab cover --json`` prints.

    Examples
    --------
    >>> import pidlab
    >>> net = '''vars x y
    ... rules
    ... x >= 1 -> x' = x - 1, y' = y + 1;
    ... init
    ... x >= 1, y = 0
    ... target
    ... y >= 2
    ... '''
    >>> pidlab.cover(net, language="spec").verdict
    'unsafe'
    """
    name, content, language = _read(model, language, ("spec", "tts", "lgfsm", "bp"), _detect_question)
    request = SimpleNamespace(
        name=name,
        text=content,
        language=_limits.text("language", language),
        property=_property_of(name, language, prop),
        init=None if init is None else _limits.text("init", init),
        algorithm=_limits.text("algorithm", algorithm),
        reduce=_limits.flag("reduce", reduce),
        timeout=_limits.seconds("timeout", timeout),
        memory_limit=_limits.size("memory_limit", memory_limit),
    )
    return Coverage(json.loads(_pidlab.cover(request)))
