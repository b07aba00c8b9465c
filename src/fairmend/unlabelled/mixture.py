"""A Gaussian mixture a stratum, learnt from rows with a group and rows without one together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fairmend.frames.codec import Codec
from fairmend.frames.columns import Columns as Rows
from fairmend.frames.levels import Codes, Factor
from fairmend.plan.storage import factor_content, factor_from
from fairmend.transport.support import Floats
from fairmend.unlabelled.folds import folds_of
from fairmend.unlabelled.gaussian import Columns, Gaussians, Shape
from fairmend.unlabelled.tellers import Research, names_in, strata_of

if TYPE_CHECKING:
    from fairmend.frames.table import Frame

MOST_FREE = 200_000
"""Rows without a group that are learnt from; more of them change nothing that can be seen."""

MOST_TRIED = 5_000
"""Of these, rows that the shape is chosen by; each then weighs as much more."""

WEIGHTS = (0.0, 0.1, 1.0)


@dataclass(frozen=True)
class Reader:
    """How a table is read as arrays.

    Attributes
    ----------
    codecs : mapping of str to Codec
        The columns that tell groups.
    centre, scale : ndarray of shape (numbers,)
        Means and deviations of the research data's numbers, which become 0 and 1.
    """

    codecs: Mapping[str, Codec]
    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, research: Research) -> Self:
        """Standardise the research data."""
        numbers, _ = names_in(list(research.codecs), research.codecs)
        values = research.frame.finite_numbers({name: research.codecs[name] for name in numbers})
        known = [values[name][~np.isnan(values[name])] for name in numbers]
        centre = np.array([x.mean() if x.size else 0.0 for x in known])
        scale = np.array([x.std() if x.size else 0.0 for x in known])
        return cls(research.codecs, centre, np.where(scale > 0, scale, 1.0))

    def read(self, frame: Rows) -> Columns:
        """Read a table."""
        numbers, categories = names_in(list(self.codecs), self.codecs)
        values = frame.finite_numbers(self.codecs)
        x = np.empty((len(frame), len(numbers)))
        for k, name in enumerate(numbers):
            x[:, k] = (values[name] - self.centre[k]) / self.scale[k]
        places = np.full((len(frame), len(categories)), -1, dtype=np.int64)
        for k, name in enumerate(categories):
            known = values[name] >= 0
            places[known, k] = values[name][known].astype(np.int64)
        return Columns(x, places, [max(len(self.codecs[name].levels), 1) for name in categories])


@dataclass(frozen=True)
class Mixture:
    """Normal laws of numbers and shares of categories, for each stratum and for everywhere.

    Attributes
    ----------
    reader : Reader
        How tables are read.
    groups, strata : Factor
        What the laws are of.
    shape : Shape
        What is assumed.
    laws : tuple of Gaussians
        One a stratum, and last everywhere.
    """

    reader: Reader
    groups: Factor
    strata: Factor
    shape: Shape
    laws: tuple[Gaussians, ...]

    @classmethod
    def fit(cls, research: Research, archive: "Frame | None", shape: Shape) -> Self:
        """Learn the laws."""
        reader = Reader.of(research)
        known = reader.read(research.frame)
        free, free_stratum = _free(reader, research, archive)
        laws = _laws(research, known, free, free_stratum, shape)
        return cls(reader, research.groups, research.strata, shape, laws)

    def scores(self, frame: Rows) -> tuple[Floats, Floats]:
        """Give log Pr[s | u] and the log-likelihood of each row's columns."""
        stratum = strata_of(frame, self.strata)
        columns = self.reader.read(frame)
        prior = np.log(np.array([law.prior for law in self.laws]))[stratum].T
        likelihood = np.zeros((len(self.groups), len(frame)))
        for code, law in enumerate(self.laws):
            rows = np.flatnonzero(stratum == code)
            if rows.size:
                likelihood[:, rows] = law.log_likelihood(columns.rows(rows))
        return prior, likelihood

    def moments(self, name: str) -> tuple[Floats, Floats]:
        """Give mean and deviation of a number in each stratum and group, in its own units."""
        numbers, _ = names_in(list(self.reader.codecs), self.reader.codecs)
        k = numbers.index(name)
        centre, scale = self.reader.centre[k], self.reader.scale[k]
        means = np.array([law.mean[:, k] for law in self.laws[:-1]])
        variances = np.array([law.covariance[:, k, k] for law in self.laws[:-1]])
        return centre + scale * means, scale * np.sqrt(variances)

    def to_content(self) -> dict[str, Any]:
        """Lay it out as plain JSON types."""
        return {
            "columns": {
                name: {"type": codec.type, "levels": list(codec.levels)}
                for name, codec in self.reader.codecs.items()
            },
            "order": list(self.reader.codecs),
            "centre": self.reader.centre.tolist(),
            "scale": self.reader.scale.tolist(),
            "groups": factor_content(self.groups),
            "strata": factor_content(self.strata),
            "own_covariances": self.shape.own,
            "archive_weight": self.shape.weight,
            "laws": [
                {
                    "prior": law.prior.tolist(),
                    "mean": law.mean.tolist(),
                    "covariance": law.covariance.tolist(),
                    "shares": [one.tolist() for one in law.shares],
                }
                for law in self.laws
            ],
        }

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> Self:
        """Rebuild it."""
        columns = content["columns"]
        codecs = {
            name: Codec(columns[name]["type"], tuple(columns[name]["levels"]))
            for name in content["order"]
        }
        d = len(content["centre"])
        groups = factor_from(content["groups"])
        laws = [
            Gaussians(
                np.array(law["prior"], dtype=np.float64),
                np.array(law["mean"], dtype=np.float64).reshape(len(groups), d),
                np.array(law["covariance"], dtype=np.float64).reshape(len(groups), d, d),
                tuple(np.array(one, dtype=np.float64) for one in law["shares"]),
            )
            for law in content["laws"]
        ]
        return cls(
            Reader(codecs, np.array(content["centre"]), np.array(content["scale"])),
            groups,
            factor_from(content["strata"]),
            Shape(content["own_covariances"], content["archive_weight"]),
            tuple(laws),
        )


def _free(reader: Reader, research: Research, archive: "Frame | None") -> tuple[Columns, Codes]:
    """Read the archive, of which nothing but the columns that tell and the strata is used."""
    if archive is None or not len(archive):
        empty = reader.read(research.frame.rows(np.empty(0, dtype=np.intp)))
        return empty, np.empty(0, dtype=np.int64)
    if len(archive) > MOST_FREE:
        archive = archive.rows(np.linspace(0, len(archive) - 1, MOST_FREE).astype(np.intp))
    return reader.read(archive), strata_of(archive, research.strata)


def _laws(
    research: Research, known: Columns, free: Columns, free_stratum: Codes, shape: Shape
) -> tuple[Gaussians, ...]:
    n = len(research.groups)
    laws = [
        Gaussians.fit(
            known.rows(research.stratum == code),
            research.group[research.stratum == code],
            n,
            free.rows(free_stratum == code),
            shape,
        )
        for code in range(len(research.strata))
    ]
    # For strata that research did not show, what is known of all others.
    everywhere = Gaussians.fit(known, research.group, n, free, Shape(shape.own, 0.0))
    return (*laws, everywhere)


def best_shape(research: Research, archive: "Frame | None") -> Shape:
    """Choose by the likelihood of held-out research rows together with their groups."""
    reader = Reader.of(research)
    known = reader.read(research.frame)
    free, free_stratum = _free(reader, research, archive)
    some = np.linspace(0, len(free.x) - 1, min(len(free.x), MOST_TRIED)).astype(np.intp)
    times = len(free.x) / max(some.size, 1)
    free, free_stratum = free.rows(some), free_stratum[some]
    weights: Sequence[float] = WEIGHTS if len(free.x) else (0.0,)
    best, shapes = -np.inf, [Shape(own, weight) for weight in weights for own in (False, True)]
    chosen = shapes[0]
    parts = folds_of(research, 5, 0)
    for shape in shapes:
        total = 0.0
        for held in parts:
            taught = np.setdiff1d(np.arange(research.group.size), held)
            heavier = Shape(shape.own, shape.weight * times)
            laws = _laws(research.rows(taught), known.rows(taught), free, free_stratum, heavier)
            for code, law in enumerate(laws[:-1]):
                rows = held[research.stratum[held] == code]
                log = np.log(law.prior)[:, None] + law.log_likelihood(known.rows(rows))
                total += float(log[research.group[rows], np.arange(rows.size)].sum())
        if total > best:
            best, chosen = total, shape
    return chosen
