"""From a file of research data to a label model's file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairmend.files.fields import Meaning, with_types
from fairmend.files.formats import check_outputs, format_of, read_table
from fairmend.files.progress import Tell, silent
from fairmend.frames.bins import BinSpec
from fairmend.unlabelled import LabelModel


def label_model_file(
    research: Path,
    out: Path,
    *,
    protected: Sequence[str],
    features: Sequence[str],
    unprotected: Sequence[str] = (),
    also: Sequence[str] = (),
    unprotected_bins: Mapping[str, BinSpec] | None = None,
    archive: Path | None = None,
    force: bool = False,
    tell: Tell = silent,
    **options: Any,
) -> tuple[LabelModel, int]:
    """Fit a label model to a file and save it.

    Parameters
    ----------
    research : Path
        A file of any format in :data:`fairmend.files.formats.FORMATS`.
    out : Path
        The model file, refused before any work if it cannot be written.
    protected, unprotected, features, also, unprotected_bins, **options
        As in :class:`fairmend.LabelModel`.
    archive : Path, optional
        A file of rows without a group, read as a whole.
    force : bool
        Whether an existing file may be replaced.
    tell : callable
        Is called with a sentence before each step.

    Returns
    -------
    model, rows
        The model, and how many research rows it was fitted to.
    """
    check_outputs(out, inputs=(research, archive), force=force)
    binned = tuple(unprotected_bins or ())
    meanings: dict[str, Meaning] = dict.fromkeys((*features, *also), "any")
    meanings |= dict.fromkeys(binned, "number")
    labels = [name for name in (*protected, *unprotected) if name not in binned]
    tell(f"Reading {research.name}")
    known = _typed(research, "research data", meanings, labels)
    rest = None
    if archive is not None:
        tell(f"Reading {archive.name}")
        rest = _typed(archive, "archive", meanings, labels)
    tell("Fitting the model")
    model = LabelModel(
        protected=protected,
        unprotected=unprotected,
        features=features,
        also=also,
        unprotected_bins=unprotected_bins,
        **options,
    ).fit(known, rest)
    tell(f"Writing {out.name}")
    model.save(out, force=force)
    return model, known.num_rows


def _typed(
    path: Path, name: str, meanings: Mapping[str, Meaning], labels: Sequence[str]
) -> pa.Table:
    table = read_table(path)
    return table if format_of(path).has_types else with_types(table, name, meanings, labels)
