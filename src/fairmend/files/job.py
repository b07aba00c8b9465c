"""What is done to every file of a run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from fairmend.errors import ColumnError, OptionError
from fairmend.files.work import columns_needed
from fairmend.plan.labels import Draw, Labels
from fairmend.plan.plan import Plan


@dataclass(frozen=True)
class Job:
    """What is done to every file of a run.

    Attributes
    ----------
    plan : Plan
        What is applied.
    seed : int
        The address of all draws.
    key : tuple of str
        Columns that tell rows apart, maybe none.
    policies : mapping
        ``unseen`` and ``out_of_range``, where they are not the plan's.
    columns_out : tuple of str, optional
        The columns of the output; by default all.
    drop_protected : bool
        Whether the protected ones are left out.
    workers : int
        Number of threads.
    memory : int
        Bytes that batches under way may take together.
    labels : Labels, optional
        Estimates groups that were not recorded.
    draw : str
        How such rows are repaired.
    write_labels : str, optional
        Name of a column for the groups that rows were repaired as.
    """

    plan: Plan
    seed: int
    key: tuple[str, ...]
    policies: Mapping[str, Any]
    columns_out: tuple[str, ...] | None
    drop_protected: bool
    workers: int
    memory: int
    labels: Labels | None = None
    draw: Draw = "sample"
    write_labels: str | None = None

    def kept(self, schema: pa.Schema, fixed: Mapping[str, str]) -> tuple[str, ...]:
        """Name the columns of the output; refuse a file that lacks a column that is needed."""
        table, names = "archive", schema.names
        repeated = sorted(name for name, times in Counter(names).items() if times > 1)
        if repeated:
            raise ColumnError.duplicated(table, repeated)
        if self.drop_protected and set(self.plan.protected) & set(fixed):
            raise OptionError.in_folder_names(sorted(set(self.plan.protected) & set(fixed)))
        for parameter, needed in self._named().items():
            # A folder's name can give a role. What is repaired has to be in the file.
            there = names if parameter in ("features", "columns_out") else [*names, *fixed]
            for name in needed:
                if name not in there:
                    raise ColumnError.missing(table, name, parameter, there)
        gone = self.plan.protected if self.drop_protected else ()
        wanted = names if self.columns_out is None else self.columns_out
        kept = tuple(name for name in names if name in wanted and name not in gone)
        if not kept:
            raise OptionError.no_column_left()
        return kept

    @property
    def needed(self) -> tuple[str, ...]:
        """Name the columns that a repair reads."""
        return columns_needed(self.plan, self.key, self.labels)

    def _named(self) -> dict[str, Sequence[str]]:
        return {
            "protected": () if self.labels or self.plan.is_blind else self.plan.protected,
            "unprotected": self.plan.unprotected,
            "features": self.plan.feature_names,
            "key": self.key,
            "labels": () if self.labels is None else self.labels.columns,
            "columns_out": self.columns_out or (),
        }
