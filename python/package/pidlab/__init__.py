"""State equivalence up to pid renaming, in process.

`State` and `equivalent` decide equivalence of states (Definition 1 of SACS'10), `ClassSet` and
`ClassMap` are what a model checker needs, `isomorphic` and `canonical_form` do the same for graphs of
NetworkX and igraph. `explore` and `cover` answer questions about models. `load_run` reads what
``pidlab run`` measured. `backend` makes a function a backend of the program ``pidlab``, `generator` a source of
pairs for its experiments; the plugin for SNAKES is ``pidlab.snakes``.

All calls let other Python threads run while they work and end at Ctrl-C.
"""

from ._classes import ClassMap, ClassSet
from ._external import backend, generator
from ._graphs import canonical_form, isomorphic
from ._models import Coverage, Exploration, cover, explore
from ._pidlab import (
    CanonicalForm,
    ClassKey,
    Equivalence,
    Generated,
    Graph,
    Isomorphism,
    State,
    Undecided,
    __version__,
    backends,
)
from ._runs import Run, load_run
from ._states import (
    WitnessCheck,
    canonical,
    canonical_many,
    check_witness,
    equivalent,
    equivalent_many,
    families,
    hard_instance,
    layered_graph,
    random_state,
    transform,
    transformations,
)

__all__ = [
    "CanonicalForm",
    "ClassKey",
    "ClassMap",
    "ClassSet",
    "Coverage",
    "Equivalence",
    "Exploration",
    "Generated",
    "Graph",
    "Isomorphism",
    "Run",
    "State",
    "Undecided",
    "WitnessCheck",
    "__version__",
    "backend",
    "backends",
    "canonical",
    "canonical_form",
    "canonical_many",
    "check_witness",
    "cover",
    "equivalent",
    "equivalent_many",
    "explore",
    "families",
    "generator",
    "hard_instance",
    "isomorphic",
    "layered_graph",
    "load_run",
    "random_state",
    "transform",
    "transformations",
]
