"""Any scikit-learn classifier, calibrated, as a way to tell groups."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from fairmend.errors import LabelError
from fairmend.frames.codec import Codec
from fairmend.frames.columns import Columns
from fairmend.frames.levels import Codes, Factor
from fairmend.transport.support import Floats
from fairmend.unlabelled.tellers import Research, names_in, strata_of

LEAST = 1e-6
"""No group is impossible."""


@dataclass(frozen=True)
class Matrix:
    """How a table becomes a matrix: numbers and whether they are missing, categories and strata.

    Attributes
    ----------
    codecs : mapping of str to Codec
        The columns that tell groups.
    strata : Factor
        Each is a column.
    fill : ndarray of shape (numbers,)
        Medians, which stand for missing numbers.
    """

    codecs: Mapping[str, Codec]
    strata: Factor
    fill: Floats

    @classmethod
    def of(cls, research: Research) -> Self:
        """Find the medians."""
        numbers, _ = names_in(list(research.codecs), research.codecs)
        values = research.frame.finite_numbers({name: research.codecs[name] for name in numbers})
        known = [values[name][~np.isnan(values[name])] for name in numbers]
        fill = np.array([np.median(x) if x.size else 0.0 for x in known])
        return cls(research.codecs, research.strata, fill)

    def read(self, frame: Columns) -> Floats:
        """Read a table."""
        numbers, categories = names_in(list(self.codecs), self.codecs)
        values = frame.finite_numbers(self.codecs)
        columns = []
        for fill, name in zip(self.fill, numbers, strict=True):
            gap = np.isnan(values[name])
            columns += [np.where(gap, fill, values[name]), gap.astype(np.float64)]
        for name in categories:
            places = np.arange(len(self.codecs[name].levels))
            columns += list((values[name] == places[:, None]).astype(np.float64))
        stratum = strata_of(frame, self.strata)
        columns += [(stratum == code).astype(np.float64) for code in range(len(self.strata))]
        return np.column_stack(columns)


@dataclass(frozen=True)
class Classified:
    """A fitted classifier.

    Attributes
    ----------
    matrix : Matrix
        What it sees.
    groups : int
        Number of groups.
    fitted : object
        scikit-learn's, with ``predict_proba`` and ``classes_``.
    """

    matrix: Matrix
    groups: int
    fitted: Any

    @classmethod
    def fit(cls, research: Research, classifier: Any) -> Self:
        """Fit a clone, calibrated by cross-validation where there are rows enough."""
        from sklearn.base import clone
        from sklearn.calibration import CalibratedClassifierCV

        matrix = Matrix.of(research)
        smallest = int(np.bincount(research.group, minlength=len(research.groups)).min())
        fresh = clone(classifier)
        if smallest >= 6:
            fresh = CalibratedClassifierCV(fresh, method="sigmoid", cv=3)
        return cls(
            matrix, len(research.groups), fresh.fit(matrix.read(research.frame), research.group)
        )

    def scores(self, frame: Columns) -> tuple[Floats, Floats]:
        """Give zeros and the classifier's log probabilities, which hold Pr[s | u] already."""
        probability = np.full((self.groups, len(frame)), LEAST)
        if len(frame):
            classes: Codes = self.fitted.classes_
            told = self.fitted.predict_proba(self.matrix.read(frame)).T
            probability[classes] = np.maximum(told, LEAST)
        return np.zeros_like(probability), np.log(probability)

    def to_content(self) -> dict[str, Any]:
        """Refuse: a classifier has no form but a pickle, which runs code when it is loaded."""
        raise LabelError.cannot_be_saved(type(self.fitted).__name__)
