"""The rows that can be compared: a feature cut into strata with at least two groups in each."""

import zlib
from dataclasses import dataclass
from typing import Self

import numpy as np

from fairmend.measures.arrays import Codes, Floats, Labels
from fairmend.measures.cells import Cells
from fairmend.measures.inference.cells import Cell, measure_cell
from fairmend.measures.inference.results import Excluded
from fairmend.measures.inference.tables import count
from fairmend.measures.sample import Sample
from fairmend.transport.kinds import Kind, atoms_of, kind_of
from fairmend.transport.points import Points

FEWEST_ROWS = 2
"""Fewer values have no law."""


@dataclass(frozen=True)
class Rows:
    """The rows with a group and a stratum, sorted once for all features.

    Attributes
    ----------
    cells : Cells
        Where those of each stratum and group are, among ``kept``.
    kept : ndarray of shape (m,) or None
        Their places among all rows; None where all have both.
    """

    cells: Cells
    kept: Codes | None

    @classmethod
    def of(cls, groups: Labels, strata: Labels, weights: Floats | None) -> Self:
        """Leave out rows without a label, and sort the others."""
        labelled = (groups.codes >= 0) & (strata.codes >= 0)
        if labelled.all():
            return cls(Cells.of(strata, groups, weights), None)
        kept = np.flatnonzero(labelled)
        group, stratum = (Labels(one.codes[kept], one.levels) for one in (groups, strata))
        return cls(Cells.of(stratum, group, None if weights is None else weights[kept]), kept)

    def of_feature(self, values: Floats) -> Floats:
        """Return the values of these rows."""
        return values if self.kept is None else values[self.kept]


@dataclass(frozen=True)
class Part:
    """The groups of one stratum that have enough values.

    Attributes
    ----------
    stratum : int
        Its place among the levels.
    groups : list of int
        Theirs.
    samples : list of Sample
        Their values.
    """

    stratum: int
    groups: list[int]
    samples: list[Sample]

    @property
    def sizes(self) -> list[int]:
        """Rows of each group."""
        return [one.values.size for one in self.samples]

    @property
    def rows(self) -> int:
        """Rows of all."""
        return sum(self.sizes)

    @property
    def mass(self) -> float:
        """Their weight."""
        return sum(one.mass for one in self.samples)


@dataclass(frozen=True)
class Comparable:
    """A feature, cut into what can be compared.

    Attributes
    ----------
    name, kind : str
        Of the feature.
    atoms : ndarray of shape (k,)
        Its values with mass of their own.
    parts : list of Part
        Strata with at least two groups of 2 values.
    excluded : Excluded
        Rows in none of them.
    """

    name: str
    kind: Kind
    atoms: Floats
    parts: list[Part]
    excluded: Excluded

    @classmethod
    def of(
        cls, name: str, values: Floats, rows: Rows, kind: Kind | None, atoms: Floats | None
    ) -> Self:
        """Cut a feature."""
        missing = int(np.isnan(values).sum())
        labelled = rows.of_feature(values)
        known = int(labelled.size - np.isnan(labelled).sum())
        parts = [
            Part(u, groups, [row[g] for g in groups])
            for u, row in enumerate(rows.cells.samples(labelled))
            if len(groups := [g for g, one in enumerate(row) if one.values.size >= FEWEST_ROWS]) > 1
        ]
        kind, found = _law(labelled, kind, atoms)
        excluded = Excluded(
            missing=missing,
            unlabelled=values.size - missing - known,
            small=known - sum(part.rows for part in parts),
        )
        return cls(name, kind, found, parts, excluded)

    @property
    def rows(self) -> int:
        """Rows that are compared."""
        return sum(part.rows for part in self.parts)

    @property
    def ordered(self) -> bool:
        """Whether "below" means anything."""
        return self.kind != "categorical"

    def measured(self, draws: int, seed: int, further: int | None = None) -> list[Cell]:
        """Measure each stratum, with random numbers of its own."""
        named = zlib.crc32(self.name.encode())
        return [
            measure_cell(
                count(part.samples, self.atoms),
                draws,
                np.random.default_rng([seed, named, part.stratum]),
                ordered=self.ordered,
                further=further,
            )
            for part in self.parts
        ]


def _law(values: Floats, kind: Kind | None, atoms: Floats | None) -> tuple[Kind, Floats]:
    """Tell the kind and the atoms of a feature, from all its values together."""
    if kind == "continuous":
        return kind, np.empty(0)
    if kind == "mixed" and atoms is not None:
        return kind, np.unique(atoms)
    points = Points.of(values)
    found = kind or kind_of(points)[0]
    return found, atoms_of(points, found)
