"""The leak test on a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairmend.files.fields import Meaning, with_types
from fairmend.files.progress import Tell, silent
from fairmend.files.tables import read_tables
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
    """Measure how well an adversary tells the protected attribute from a file's columns.

    Parameters
    ----------
    path : Path
        A file of any known format, a folder or a pattern of files, before or after a repair, with
        the protected columns.
    protected, unprotected, features, **options
        As in :func:`fairmend.leak`.
    tell : callable
        Is called with a sentence before each step.

    Returns
    -------
    dict
        As :meth:`fairmend.measures.leak.Leak.to_dict`, with ``features`` and, of all features
        together, ``auc``, ``null``, ``null_deviation`` and ``by_stratum`` beside it.
    """
    tell(f"Reading {path.name}")
    table, form = read_tables(path)
    if not form.has_types:
        labels = (*protected, *unprotected)
        meanings: dict[str, Meaning] = {
            name: "any" for name in table.column_names if name not in labels
        }
        table = with_types(table, "table", meanings, labels)
    tell("Training adversaries")
    found = leak(
        table, protected=protected, unprotected=unprotected or None, features=features, **options
    )
    content = found.to_dict()
    joint = {name: content["joint"][name] for name in ("auc", "null", "null_deviation")}
    return {"features": list(features), **joint, "by_stratum": found.by_stratum, **content}
