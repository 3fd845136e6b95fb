"""The Bayesian classifiers of the core as bytes, by which they are pickled."""

from __future__ import annotations

import copyreg

from .._core import BayesModel


def bayes_model_from_bytes(data: bytes) -> BayesModel:
    """A Bayesian classifier of the core from its bytes. Pickles hold these bytes and name this
    function, so it must not be renamed; the core validates the bytes and raises a ValueError."""
    return BayesModel.from_bytes(data)


copyreg.pickle(BayesModel, lambda model: (bayes_model_from_bytes, (model.to_bytes(),)))
