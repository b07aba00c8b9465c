"""From a file of research data to a label model's file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairmend.files.clues import Clues
from fairmend.files.formats import check_outputs
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
        A file of any format in :data:`fairmend.files.formats.FORMATS`, a folder or a pattern.
    out : Path
        The model file, refused before any work if it cannot be written.
    protected, unprotected, features, also, unprotected_bins, **options
        As in :class:`fairmend.LabelModel`.
    archive : Path, optional
        Rows without a group, likewise; the columns that the model reads are read of all of them.
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
    clues = Clues(protected, unprotected, features, also, tuple(unprotected_bins or ()))
    known, rest = clues.read(research, archive, tell)
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
