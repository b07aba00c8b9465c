"""Tables that tell of groups which were not recorded: research data, and rows of an archive."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from fairmend.errors import ColumnError
from fairmend.files.excerpt import columns_of, names_in
from fairmend.files.fields import Meaning, with_types
from fairmend.files.folder import pieces_in
from fairmend.files.formats import Format
from fairmend.files.progress import Tell
from fairmend.files.tables import read_tables

RESEARCH, ARCHIVE = "research data", "archive"


@dataclass(frozen=True)
class Clues:
    """The columns by their roles.

    Attributes
    ----------
    protected, unprotected, features, also : sequence of str
        As in :class:`fairmend.LabelModel`.
    binned : collection of str
        Unprotected columns that are numbers.
    """

    protected: Sequence[str]
    unprotected: Sequence[str]
    features: Sequence[str]
    also: Sequence[str] = ()
    binned: Collection[str] = ()

    def read(
        self, research: Path, archive: Path | None, tell: Tell
    ) -> tuple[pa.Table, pa.Table | None]:
        """Read research data whole, and the columns of an archive that a label model reads."""
        tell(f"Reading {research.name}")
        known = self._typed(*read_tables(research), RESEARCH)
        if archive is None:
            return known, None
        there = names_in(archive)
        for parameter in ("unprotected", "features", "also"):
            for name in getattr(self, parameter):
                if name not in there:
                    raise ColumnError.missing(ARCHIVE, name, parameter, there)
        tell(f"Reading {archive.name}")
        rest = columns_of(archive, [*self.unprotected, *self.features, *self.also])
        return known, self._typed(rest, pieces_in(archive)[0].source, ARCHIVE)

    def _typed(self, table: pa.Table, form: Format, name: str) -> pa.Table:
        if form.has_types:
            return table
        meanings: dict[str, Meaning] = dict.fromkeys((*self.features, *self.also), "any")
        meanings |= dict.fromkeys(self.binned, "number")
        labels = [one for one in (*self.protected, *self.unprotected) if one not in self.binned]
        return with_types(table, name, meanings, labels)
