"""A plugin for SNAKES: state graphs modulo equivalence of pids.

Load it as any other plugin; `import pidlab.snakes` makes its name known::

    import pidlab.snakes, snakes.plugins
    snakes.plugins.load("pidlab", "snakes.nets", "nets")
    from nets import *

Tokens are pids (`Pid`), data, or tuples of them. One place, named ``eta`` unless told, is the generator:
its tokens ``(pid, n)`` say which pids are active and how many children each has created. Nothing else
in a net is special. ``StateGraph(net, relations="parent")`` then has one state for each class of
markings, by the canonical form of `pidlab`; numbers, edges, traces and `goto` work as in SNAKES.
"""

from __future__ import annotations

import importlib.util
import sys
import types

if importlib.util.find_spec("imp") is None:
    # SNAKES 0.9.33 wants it for this one function; Python 3.12 has it no more
    sys.modules["imp"] = types.ModuleType("imp")
    setattr(sys.modules["imp"], "new_module", types.ModuleType)

import snakes.plugins
from snakes.hashables import hdict, hset

from ._classes import ClassMap
from ._pidlab import State


class Pid(tuple):
    """A pid: one or more positive integers.

    Examples
    --------
    >>> from pidlab.snakes import Pid
    >>> p = Pid(1)
    >>> p.child(2), p.is_parent(p.child(2))
    (Pid('1.2'), True)
    """

    __slots__ = ()

    def __new__(cls, *parts):
        if len(parts) == 1 and isinstance(parts[0], str):
            parts = parts[0].split(".")
        numbers = tuple(int(part) for part in parts)
        if not numbers or min(numbers) < 1:
            raise ValueError(f"parts: a pid is made of positive integers, not {parts!r}")
        return super().__new__(cls, numbers)

    def child(self, number):
        """The child of that number, counted from 1."""
        return Pid(*self, number)

    def is_parent(self, other):
        """Whether the other pid is a child of this one."""
        return len(other) == len(self) + 1 and other[: len(self)] == tuple(self)

    def is_ancestor(self, other):
        """Whether the other pid descends from this one."""
        return len(other) > len(self) and other[: len(self)] == tuple(self)

    def is_elder_sibling(self, other):
        """Whether the other pid has the same parent and came later."""
        return self[:-1] == other[:-1] and self[-1] < other[-1]

    def is_adjacent_sibling(self, other):
        """Whether the other pid came right after this one."""
        return self[:-1] == other[:-1] and self[-1] + 1 == other[-1]

    def __str__(self):
        return ".".join(map(str, self))

    def __repr__(self):
        return f"Pid('{self}')"


#: Marks of our own in vectors; data strings never start with this character.
_OWN = "\0"
_OPEN, _CLOSE = _OWN + "(", _OWN + ")"


class States:
    """Turns markings into states; data that JSON does not know is numbered, equal values alike."""

    def __init__(self, generator):
        self.generator = generator
        self._numbers = {}

    def state(self, marking):
        """The state of a marking."""
        sigma, eta = {}, {}
        for place, tokens in marking.items():
            if place == self.generator:
                eta = self._eta(tokens)
            else:
                # a multiset of SNAKES repeats its tokens
                sigma[place] = [self._vector(place, token) for token in tokens.items()]
        try:
            return State(sigma=sigma, eta=eta)
        except ValueError as error:
            raise ValueError(f"{error} (marking {marking!r})") from None

    def _eta(self, tokens):
        eta = {}
        for token in tokens.items():
            if not (isinstance(token, tuple) and len(token) == 2 and isinstance(token[0], Pid)):
                raise TypeError(f"{self.generator}: expected tokens (pid, number), not {token!r}")
            pid, created = token
            if pid in eta:
                raise ValueError(f"{self.generator}: pid {pid} is there twice")
            eta[pid] = created
        return eta

    def _vector(self, place, token):
        if isinstance(token, tuple) and not isinstance(token, Pid) and len(token) > 1:
            vector = []
            for component in token:
                self._append(place, component, vector)
            return vector
        vector = []
        self._append(place, token, vector)
        return vector

    def _append(self, place, value, vector):
        """Adds a component, nested tuples in brackets."""
        if isinstance(value, Pid):
            vector.append(value)
        elif type(value) is int and -(2**63) <= value < 2**63:
            vector.append(value)
        elif type(value) is str and not value.startswith(_OWN):
            vector.append("@" + value if value.startswith("@") else value)
        elif isinstance(value, tuple):
            vector.append(_OPEN)
            for part in value:
                self._append(place, part, vector)
            vector.append(_CLOSE)
        else:
            vector.append(self._numbered(place, value))

    def _numbered(self, place, value):
        if isinstance(value, bool):
            return int(value)  # SNAKES takes True and 1 for one token, and so do we
        if isinstance(value, (set, frozenset, hset, list, dict, hdict)) and any(
            isinstance(item, Pid) for item in value
        ):
            kind = type(value).__name__
            raise TypeError(f"{place}: pids within a {kind} cannot be renamed; use tuples")
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
            return int(value)
        return f"{_OWN}{self._numbers.setdefault(value, len(self._numbers))}"


@snakes.plugins.plugin("snakes.nets")
def extend(module):
    """Extends `module`: nets know their generator place, state graphs merge equivalent markings."""

    class PetriNet(module.PetriNet):
        """A net with a generator place; `generator` is its name."""

        def __init__(self, name, **args):
            self.generator = args.pop("generator", "eta")
            module.PetriNet.__init__(self, name, **args)

        def copy(self, name=None):
            net = module.PetriNet.copy(self, name)
            net.generator = self.generator
            return net

    class StateGraph(module.StateGraph):
        """A state graph with one state for each class of equivalent markings.

        `relations` are those that the net compares pids with; `classes` may be any mapping from
        `pidlab.State` to numbers that takes equivalent states for one key.
        """

        def __init__(self, net, relations="parent", classes=None, **args):
            self._states = States(getattr(net, "generator", "eta"))
            self._classes = ClassMap(relations=relations) if classes is None else classes
            self._recent = (None, None)
            module.StateGraph.__init__(self, net, **args)

        def state_of(self, marking):
            """The `pidlab.State` of a marking."""
            if self._recent[0] is not marking:
                self._recent = (marking, self._states.state(marking))
            return self._recent[1]

        def _create_state(self, marking, source, trans, mode):
            number = module.StateGraph._create_state(self, marking, source, trans, mode)
            self._classes[self.state_of(marking)] = number
            return number

        def _get_state(self, marking):
            return self._classes.get(self.state_of(marking))

        def _remove_state(self, state):
            del self._classes[self.state_of(self._marking[state])]
            return module.StateGraph._remove_state(self, state)

        def __contains__(self, marking):
            return self._get_state(marking) is not None

        def counts(self):
            """States, edges (distinct class, transition, class) and deadlocks of the whole graph."""
            self.build()
            names = (
                (source, target, transition.name)
                for source, targets in self._succ.items()
                for target, labels in targets.items()
                for transition, _ in labels
            )
            return {
                "states": len(self),
                "edges": len(set(names)),
                "deadlocks": sum(not targets for targets in self._succ.values()),
            }

    return PetriNet, StateGraph, Pid


# snakes.plugins.load("pidlab", …) looks for this name
sys.modules["snakes.plugins.pidlab"] = sys.modules[__name__]
snakes.plugins.pidlab = sys.modules[__name__]
