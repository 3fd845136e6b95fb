"""The bundled data sets: `list_datasets`, the ``load_...`` functions, and the registry `BUNDLED`.

What
    Sets that follow a rule are computed on request (`all_cases`, `bit_problems`, `monks`); iris,
    wine and breast cancer come from scikit-learn's copies. No data file is shipped. `load` looks
    plain names up in `BUNDLED`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import numpy as np

from ..exports.tables.listing import Records
from ..table import Table
from .all_cases import make_balance_scale, make_tic_tac_toe
from .bit_problems import make_xor
from .monks import make_monks
from .textbook_tables import make_contact_lenses, make_weather

Loader = Callable[[], Table]


@dataclass(frozen=True, slots=True)
class Entry:
    """One bundled data set: how to load it, its size, and where it comes from."""

    load: Loader
    rows: int
    features: int
    classes: int
    source: str


def _from_sklearn(name: str) -> Table:
    """A data set of scikit-learn with its names of features and classes."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    labels = np.array([str(v) for v in bunch.target_names])
    levels = {"class": labels.tolist()}
    title = name.replace("_", "-")
    names = [str(n) for n in bunch.feature_names]
    return Table(bunch.data, labels[bunch.target], feature_names=names, levels=levels, name=title)


BUNDLED: dict[str, Entry] = {}
"""Entries by name, in alphabetical order, as the loaders stand in this file."""


def _bundled(rows: int, features: int, classes: int, source: str) -> Callable[[Loader], Loader]:
    """Enter a loader into `BUNDLED`; its Tables name the data set as their origin."""

    def decorate(load: Loader) -> Loader:
        @wraps(load)
        def loaded() -> Table:
            table = load()
            table.origin = f"fasttree.datasets.{load.__name__}()"
            return table

        name = load.__name__.removeprefix("load_").replace("_", "-")
        BUNDLED[name] = Entry(loaded, rows, features, classes, source)
        return loaded

    return decorate


@_bundled(625, 4, 3, "computed; Siegler 1976")
def load_balance_scale() -> Table:
    """Balance scale (625 settings); see `make_balance_scale`."""
    return make_balance_scale()


@_bundled(569, 30, 2, "scikit-learn; Street et al. 1993")
def load_breast_cancer() -> Table:
    """Wisconsin diagnostic breast cancer (569 tumours), scikit-learn's copy."""
    return _from_sklearn("breast_cancer")


@_bundled(24, 4, 3, "computed; Cendrowska 1987")
def load_contact_lenses() -> Table:
    """Contact lenses (24 patients); see `make_contact_lenses`."""
    return make_contact_lenses()


@_bundled(150, 4, 3, "scikit-learn; Fisher 1936")
def load_iris() -> Table:
    """Fisher's iris (150 flowers), scikit-learn's copy.

    Examples:
        >>> load_iris()
        Table 'iris': 150 rows, 4 features (4 numeric), target 'class' with 3 classes
    """
    return _from_sklearn("iris")


@_bundled(432, 6, 2, "computed; Thrun et al. 1991")
def load_monks_1() -> Table:
    """MONK's problem 1, all 432 robots."""
    return make_monks(1)


@_bundled(432, 6, 2, "computed; Thrun et al. 1991")
def load_monks_2() -> Table:
    """MONK's problem 2, all 432 robots."""
    return make_monks(2)


@_bundled(432, 6, 2, "computed; Thrun et al. 1991")
def load_monks_3() -> Table:
    """MONK's problem 3 without noise, all 432 robots."""
    return make_monks(3)


@_bundled(958, 9, 2, "computed; Aha 1991")
def load_tic_tac_toe() -> Table:
    """Tic-tac-toe endgames (958 boards); see `make_tic_tac_toe`."""
    return make_tic_tac_toe()


@_bundled(14, 4, 2, "Quinlan 1986")
def load_weather() -> Table:
    """Play tennis (14 days, nominal); see `make_weather`."""
    return make_weather()


@_bundled(14, 4, 2, "Quinlan 1993")
def load_weather_numeric() -> Table:
    """Play tennis (14 days, temperature and humidity as numbers); see `make_weather`."""
    return make_weather(numeric=True)


@_bundled(178, 13, 3, "scikit-learn; Forina et al. 1988")
def load_wine() -> Table:
    """Forina's wines (178), scikit-learn's copy."""
    return _from_sklearn("wine")


@_bundled(8, 3, 2, "computed")
def load_xor() -> Table:
    """The 3-bit cube with class x1 xor x2 (8 rows)."""
    return make_xor()


def list_datasets() -> Records:
    """The bundled data sets: name, rows, features, classes, source; ``load(name)`` or
    ``load_<name>()`` gives one.

    Examples:
        >>> [d["name"] for d in list_datasets()][:3]
        ['balance-scale', 'breast-cancer', 'contact-lenses']
    """
    facts = ("rows", "features", "classes", "source")
    rows = [
        {"name": name, **{fact: getattr(entry, fact) for fact in facts}}
        for name, entry in BUNDLED.items()
    ]
    return Records(rows, title=f"{len(rows)} data sets: load(name)")
