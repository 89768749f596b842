"""Times and sizes as the command line takes them: ``20``, ``"500ms"``, ``"2GiB"``."""

from __future__ import annotations

import re

_TIMES = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "m": 60.0, "h": 3600.0}
_SIZES = {
    "": 1, "B": 1,
    "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip


def _quantity(name: str, value: object, units: dict, example: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        kind = type(value).__name__
        raise TypeError(f"{name}: expected a number or text such as {example!r}, not {kind}")
    if isinstance(value, str):
        parts = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", value)
        if not parts or parts[2] not in units:
            known = ", ".join(unit for unit in units if unit)
            raise ValueError(f"{name}: {value!r} is not a number with one of the units {known}")
        return float(parts[1]) * units[parts[2]]
    if not value >= 0:
        raise ValueError(f"{name}: expected 0 or more, not {value!r}")
    return value


def seconds(name: str, value: float | str | None) -> float | None:
    """A time in seconds, or None for no limit."""
    if value is None:
        return None
    try:
        return float(_quantity(name, value, _TIMES, "500ms"))
    except OverflowError:
        raise ValueError(f"{name}: too large") from None


def size(name: str, value: float | str | None) -> int | None:
    """A number of bytes, or None for no limit."""
    if value is None:
        return None
    return count(name, int(min(_quantity(name, value, _SIZES, "2GiB"), 2.0**63)))


def count(name: str, value: object) -> int | None:
    """A natural number of 64 bits, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: expected a whole number, not {type(value).__name__}")
    number = value.__index__()
    if not 0 <= number < 2**64:
        raise ValueError(f"{name}: expected a number from 0 to 2^64-1")
    return number


def threads(value: object) -> int | None:
    """A number of threads, at least one; None for all cores."""
    number = count("threads", value)
    if number == 0 or (number or 0) > 1024:
        raise ValueError("threads: expected a number from 1 to 1024")
    return number


def text(name: str, value: object) -> str:
    """A string."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, not {type(value).__name__}")
    return value


def attribute(name: str, value: object) -> str | None:
    """The name of an attribute, or None."""
    return None if value is None else text(name, value)


def flag(name: str, value: object) -> bool:
    """True or False and nothing else, so that swapped arguments are noticed."""
    if not isinstance(value, bool):
        raise TypeError(f"{name}: expected True or False, not {type(value).__name__}")
    return value
