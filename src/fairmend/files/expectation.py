"""What to expect of each way to repair an unlabelled archive, from a file of research data."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairmend.errors import OutputError
from fairmend.files.clues import Clues
from fairmend.files.formats import check_outputs
from fairmend.files.progress import Tell, silent
from fairmend.files.records import write_record
from fairmend.frames.bins import BinSpec
from fairmend.outputs import replacing
from fairmend.unlabelled import expect_unlabelled
from fairmend.unlabelled.expected import Expectation


def expect_unlabelled_file(
    research: Path,
    out: Path | None = None,
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
) -> Expectation:
    """Say what to expect, and write it to a file if one is named.

    Parameters
    ----------
    research, archive : Path
        As in :func:`fairmend.files.label_model.label_model_file`.
    out : Path, optional
        A ``.json`` file for the figures, refused before any work if it cannot be written.
    protected, unprotected, features, also, unprotected_bins, **options
        As in :func:`fairmend.expect_unlabelled`.
    force : bool
        Whether an existing file may be replaced.
    tell : callable
        Is called with a sentence before each step.
    """
    if out is not None and out.suffix.lower() != ".json":
        message = f"{out} is no file of expectations: name one that ends in .json."
        raise OutputError(message)
    check_outputs(out, inputs=(research, archive), force=force)
    clues = Clues(protected, unprotected, features, also, tuple(unprotected_bins or ()))
    known, rest = clues.read(research, archive, tell)
    tell("Trying every way of repair in worlds like this")
    found = expect_unlabelled(
        known,
        rest,
        protected=protected,
        unprotected=unprotected,
        features=features,
        also=also,
        unprotected_bins=unprotected_bins,
        **options,
    )
    if out is not None:
        tell(f"Writing {out.name}")
        with replacing(out, force=force) as beside:
            write_record(found.to_dict(), beside)
    return found
