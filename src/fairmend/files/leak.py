"""The leak test on a file."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairmend.files.fields import Meaning, with_types
from fairmend.files.formats import format_of, read_table
from fairmend.files.progress import Tell, silent
from fairmend.measures.leak import leak


def leak_file(
    path: Path,
    *,
    protected: Sequence[str],
    unprotected: Sequence[str] = (),
    features: Sequence[str],
    tell: Tell = silent,
    **options: Any,
) -> dict[str, Any]:
    """Measure the leak of a file's features.

    Parameters
    ----------
    path : Path
        A file of any known format, before or after a repair, with the protected columns.
    protected, unprotected, features, **options
        As in :func:`fairmend.leak`.
    tell : callable
        Is called with a sentence before each step.

    Returns
    -------
    dict
        ``rows``, ``auc``, ``null``, ``null_deviation`` (None where it cannot be told) and
        ``by_stratum``.
    """
    tell(f"Reading {path.name}")
    table = read_table(path)
    if not format_of(path).has_types:
        meanings: dict[str, Meaning] = dict.fromkeys(features, "any")
        table = with_types(table, "table", meanings, (*protected, *unprotected))
    tell("Training adversaries")
    found = leak(
        table, protected=protected, unprotected=unprotected or None, features=features, **options
    )
    return {
        "rows": table.num_rows,
        "auc": found.auc,
        "null": _number(found.null),
        "null_deviation": _number(found.null_deviation),
        "by_stratum": found.by_stratum,
    }


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None
