"""A set and a dictionary whose keys are equivalence classes of states."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping, MutableSet, Set

from ._pidlab import ClassKey, State, relations_text


def _state(state):
    return state if isinstance(state, State) else State(state)


def _made(kind, content, relations):
    """Makes a copy: out of a pickle, or by `copy`."""
    return kind(content, relations=relations)


def _combined(name):
    """An operator of sets that first takes the other side under the same relations."""
    operation = getattr(MutableSet, name)

    def operator(self, other):
        return operation(self, self._alike(other)) if isinstance(other, Iterable) else NotImplemented

    return operator


def _compared(name):
    """As `_combined`, for comparisons: these are between sets, and under different relations there is none."""
    operation = getattr(MutableSet, name)

    def operator(self, other):
        if not isinstance(other, Set) or getattr(other, "relations", self.relations) != self.relations:
            return NotImplemented
        return operation(self, self._alike(other))

    return operator


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
        self.relations = relations_text(relations)
        self._states = {}
        for state in states:
            self.add(state)

    def _from_iterable(self, states):
        # not of the class, as in other sets: what is made of this set has its relations
        return type(self)(states, relations=self.relations)

    def _alike(self, other):
        """Another set as one of classes under the same relations."""
        if not isinstance(other, ClassSet):
            return self._from_iterable(other)
        if other.relations != self.relations:
            both = f"{{{self.relations}}} and {{{other.relations}}}"
            raise ValueError(f"other: sets of classes under different relations: {both}")
        return other

    __and__ = __rand__ = _combined("__and__")
    __or__ = __ror__ = _combined("__or__")
    __xor__ = __rxor__ = _combined("__xor__")
    __sub__, __rsub__ = _combined("__sub__"), _combined("__rsub__")
    __ixor__ = _combined("__ixor__")
    __eq__, __le__, __lt__ = _compared("__eq__"), _compared("__le__"), _compared("__lt__")
    __ge__, __gt__ = _compared("__ge__"), _compared("__gt__")

    def _key(self, state):
        return ClassKey(state, self.relations)

    def add(self, state):
        """Add the class of a state; whether it is new."""
        state = _state(state)
        return self._states.setdefault(self._key(state), state) is state

    def update(self, *others):
        """Add the classes of all states of some iterables."""
        for states in others:
            for state in states:
                self.add(state)

    def copy(self):
        """Another set of the same classes."""
        return self._from_iterable(self)

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

    def __reduce__(self):
        return _made, (type(self), list(self), self.relations)

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
        self.relations = relations_text(relations)
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

    def copy(self):
        """Another dictionary with the same entries."""
        return _made(*self.__reduce__()[1])

    def __reduce__(self):
        return _made, (type(self), list(self._items.values()), self.relations)

    def __repr__(self):
        return f"<ClassMap of {len(self)} classes under {{{self.relations}}}>"
