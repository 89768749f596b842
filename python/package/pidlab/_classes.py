"""A set and a dictionary whose keys are equivalence classes of states."""

from __future__ import annotations

from collections.abc import MutableMapping, MutableSet

from ._pidlab import ClassKey, State


def _state(state):
    return state if isinstance(state, State) else State(state)


class ClassSet(MutableSet):
    """A set of equivalence classes, each with the state that was added first.

    Parameters
    ----------
    states : iterable of states
    relations : str or iterable of str
        As in `equivalent`.

    Examples
    --------
    >>> import pidlab
    >>> seen = pidlab.ClassSet()
    >>> seen.add("L : <1:0>"), seen.add("L : <7:2>")
    (True, False)
    >>> pidlab.State("L : <3:1>") in seen, len(seen)
    (True, 1)
    """

    def __init__(self, states=(), *, relations="parent"):
        self.relations = relations if isinstance(relations, str) else tuple(relations)
        self._states = {}
        for state in states:
            self.add(state)

    @classmethod
    def _from_iterable(cls, states):
        return cls(states)

    def _key(self, state):
        return ClassKey(state, self.relations)

    def add(self, state):
        """Add the class of a state; whether it is new."""
        state = _state(state)
        return self._states.setdefault(self._key(state), state) is state

    def discard(self, state):
        """Remove the class of a state, if it is there."""
        self._states.pop(self._key(state), None)

    def representative(self, state):
        """The state of the same class that was added first, or None."""
        return self._states.get(self._key(state))

    def __contains__(self, state):
        return self._key(state) in self._states

    def __iter__(self):
        return iter(self._states.values())

    def __len__(self):
        return len(self._states)

    def __repr__(self):
        return f"<ClassSet of {len(self)} classes under {{{self.relations}}}>"


class ClassMap(MutableMapping):
    """A dictionary from equivalence classes; iterates over the states that were entered first.

    Parameters
    ----------
    items : mapping or iterable of pairs
    relations : str or iterable of str
        As in `equivalent`.

    Examples
    --------
    >>> import pidlab
    >>> depth = pidlab.ClassMap()
    >>> depth["L : <1:0>"] = 0
    >>> depth["L : <5:3>"]
    0
    >>> depth.get("L : <1:0> <2:0>") is None
    True
    """

    def __init__(self, items=(), *, relations="parent"):
        self.relations = relations if isinstance(relations, str) else tuple(relations)
        self._items = {}
        self.update(items)

    def _key(self, state):
        return ClassKey(state, self.relations)

    def __getitem__(self, state):
        key = self._key(state)
        if key not in self._items:
            raise KeyError(state)
        return self._items[key][1]

    def __setitem__(self, state, value):
        state = _state(state)
        key = self._key(state)
        first = self._items.get(key)
        self._items[key] = (first[0] if first else state, value)

    def __delitem__(self, state):
        key = self._key(state)
        if key not in self._items:
            raise KeyError(state)
        del self._items[key]

    def representative(self, state):
        """The state of the same class that was entered first, or None."""
        entry = self._items.get(self._key(state))
        return entry[0] if entry else None

    def __contains__(self, state):
        return self._key(state) in self._items

    def __iter__(self):
        return (state for state, _ in self._items.values())

    def __len__(self):
        return len(self._items)

    def __repr__(self):
        return f"<ClassMap of {len(self)} classes under {{{self.relations}}}>"
