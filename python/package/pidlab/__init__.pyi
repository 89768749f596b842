from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, MutableSet
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, TextIO

from ._pidlab import (
    CanonicalForm as CanonicalForm,
    ClassKey as ClassKey,
    Equivalence as Equivalence,
    Generated as Generated,
    Graph as Graph,
    Isomorphism as Isomorphism,
    State as State,
    Undecided as Undecided,
    _RelationsLike,
    _StateLike,
    __version__ as __version__,
    backends as backends,
)

_Time = float | str | None
_Size = int | str | None

class ClassSet(MutableSet[State]):
    relations: str
    def __init__(
        self, states: Iterable[_StateLike] = (), *, relations: _RelationsLike = "parent"
    ) -> None: ...
    def add(self, state: _StateLike) -> bool: ...  # type: ignore[override]
    def update(self, *others: Iterable[_StateLike]) -> None: ...
    def copy(self) -> ClassSet: ...
    def discard(self, state: _StateLike) -> None: ...
    def __rand__(self, other: Iterable[_StateLike]) -> ClassSet: ...
    def __ror__(self, other: Iterable[_StateLike]) -> ClassSet: ...
    def __rsub__(self, other: Iterable[_StateLike]) -> ClassSet: ...
    def __rxor__(self, other: Iterable[_StateLike]) -> ClassSet: ...
    def representative(self, state: _StateLike) -> State | None: ...
    def __contains__(self, state: object) -> bool: ...
    def __iter__(self) -> Iterator[State]: ...
    def __len__(self) -> int: ...

class ClassMap(MutableMapping[_StateLike, Any]):
    relations: str
    def __init__(
        self,
        items: Mapping[_StateLike, Any] | Iterable[tuple[_StateLike, Any]] = (),
        *,
        relations: _RelationsLike = "parent",
    ) -> None: ...
    def copy(self) -> ClassMap: ...
    def representative(self, state: _StateLike) -> State | None: ...
    def __getitem__(self, state: _StateLike) -> Any: ...
    def __setitem__(self, state: _StateLike, value: Any) -> None: ...
    def __delitem__(self, state: _StateLike) -> None: ...
    def __contains__(self, state: object) -> bool: ...
    def __iter__(self) -> Iterator[State]: ...
    def __len__(self) -> int: ...

class WitnessCheck(NamedTuple):
    valid: bool
    violation: str | None
    def __bool__(self) -> bool: ...

class Exploration:
    def __getattr__(self, name: str) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...
    def networkx(self) -> Any: ...

class Coverage:
    def __getattr__(self, name: str) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...

class Run:
    path: Path
    manifest: dict[str, Any]
    analysis: dict[str, Any]
    experiment: dict[str, Any]
    def __init__(self, path: str | PathLike[str], engine: Any) -> None: ...
    @property
    def rows(self) -> Any: ...
    @property
    def claims(self) -> Any: ...
    @property
    def tables(self) -> list[str]: ...
    @property
    def figures(self) -> dict[str, Any]: ...
    def table(self, name: str) -> Any: ...

def equivalent(
    q: _StateLike,
    r: _StateLike,
    relations: _RelationsLike = "parent",
    backend: str = "canon",
    *,
    timeout: _Time = None,
    memory_limit: _Size = None,
) -> Equivalence: ...
def equivalent_many(
    pairs: Iterable[tuple[_StateLike, _StateLike]],
    relations: _RelationsLike = "parent",
    backend: str = "canon",
    *,
    threads: int | None = None,
    timeout: _Time = None,
    memory_limit: _Size = None,
) -> list[Equivalence]: ...
def canonical(
    state: _StateLike, relations: _RelationsLike = "parent", *, timeout: _Time = None
) -> State: ...
def canonical_many(
    states: Iterable[_StateLike],
    relations: _RelationsLike = "parent",
    *,
    threads: int | None = None,
    timeout: _Time = None,
) -> list[State]: ...
def check_witness(
    q: _StateLike, r: _StateLike, witness: Mapping[str, str], relations: _RelationsLike = "parent"
) -> WitnessCheck: ...
def layered_graph(
    state: _StateLike,
    relations: _RelationsLike = "parent",
    *,
    kind: str = "corrected",
    form: str = "full",
) -> Any: ...
def isomorphic(
    G: Any,
    H: Any,
    *,
    node_color: str | None = None,
    edge_color: str | None = None,
    timeout: _Time = None,
) -> Isomorphism: ...
def canonical_form(
    G: Any, *, node_color: str | None = None, edge_color: str | None = None, timeout: _Time = None
) -> CanonicalForm: ...
def random_state(*, seed: int = 1, stream: int = 0, **parameters: Any) -> State: ...
def transform(
    state: _StateLike, *kinds: str, strength: float = 1.0, seed: int = 1, stream: int = 0
) -> Generated: ...
def hard_instance(family: str, size: int, *, variant: str = "base", seed: int = 1) -> Generated: ...
def families() -> list[dict[str, Any]]: ...
def transformations() -> list[dict[str, Any]]: ...
def explore(
    model: str | PathLike[str],
    constants: Mapping[str, Any] | None = None,
    *,
    language: str | None = None,
    max_states: int | None = None,
    timeout: _Time = None,
    memory_limit: _Size = None,
    **options: Any,
) -> Exploration: ...
def cover(
    model: str | PathLike[str],
    *,
    language: str | None = None,
    prop: str | PathLike[str] | None = None,
    init: str | None = None,
    algorithm: str = "auto",
    reduce: bool = True,
    timeout: _Time = None,
    memory_limit: _Size = None,
) -> Coverage: ...
def load_run(
    path: str | PathLike[str], frames: Literal["polars", "pandas"] | None = None
) -> Run: ...
def backend(
    decide: Callable[..., Any],
    *,
    wants: Iterable[str] = ("states",),
    input: TextIO | None = None,
    output: TextIO | None = None,
) -> None: ...
def generator(
    make: Callable[..., Any],
    *,
    input: TextIO | None = None,
    output: TextIO | None = None,
) -> None: ...
