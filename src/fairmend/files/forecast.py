"""A forecast from a file of research data."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairmend.errors import OutputError
from fairmend.files.design import made_from
from fairmend.files.formats import check_outputs
from fairmend.files.progress import Tell, silent
from fairmend.files.records import write_record
from fairmend.foresight import forecast
from fairmend.foresight.results import Forecast
from fairmend.outputs import replacing
from fairmend.summaries import Summary

SUFFIXES = (".json", ".svg")


def forecast_file(
    research: Path | Sequence[Path],
    out: Sequence[Path] = (),
    *,
    force: bool = False,
    tell: Tell = silent,
    **options: Any,
) -> Forecast:
    """Forecast from a file of research data what a repair will leave in the archive.

    Parameters
    ----------
    research : Path or sequence of Path
        As in :func:`fairmend.files.design.design_file`.
    out : sequence of Path
        Files to write: figures to ``.json``, curves to ``.svg``; refused before any work if they
        cannot be written.
    force : bool
        Whether existing files may be replaced.
    tell : callable
        Is called with a sentence before each step.
    **options
        As in :func:`fairmend.forecast`, and so in :func:`fairmend.design`.

    Returns
    -------
    Forecast
    """
    for path in out:
        if not path.name.lower().endswith(SUFFIXES):
            message = f"{path} is no forecast file: name one that ends in .json or .svg."
            raise OutputError(message)
    paths = [research] if isinstance(research, Path) else list(research)
    check_outputs(*out, inputs=paths, force=force)
    found, _ = made_from(paths, _forecast, options, tell, "Trying plans on held-out rows")
    for path in out:
        tell(f"Writing {path.name}")
        with replacing(path, force=force) as beside:
            if path.name.lower().endswith(".svg"):
                beside.write_text(found.to_svg(), encoding="utf-8")
            else:
                write_record(found.to_dict(), beside)
    return found


def _forecast(data: Any, *, leak: bool = True, **options: Any) -> Forecast:
    """Forecast; tables that come one after the other are kept for an adversary, who needs rows."""
    if leak and not isinstance(data, pa.Table | Summary):
        data = pa.concat_tables(data, promote_options="default")
    return forecast(data, leak=leak, **options)
