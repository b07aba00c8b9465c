"""Outputs appear only when they are complete: written beside, synced, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairmend.errors import OutputError


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise if a file is there already and may not be replaced."""
    if path.is_dir():
        message = f"{path} is a directory. Name a file to write."
        raise OutputError(message)
    if path.exists() and not force:
        message = f"{path} exists already. Pass --force (force=True) to replace it."
        raise OutputError(message)


@contextmanager
def replacing(path: Path, *, force: bool) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; on success it takes the place of ``path``.

    Whatever goes wrong, an existing file survives and nothing half-written is left.

    Parameters
    ----------
    path : Path
        The output.
    force : bool
        Whether an existing file may be replaced.
    """
    refuse_existing(path, force=force)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield beside
        with beside.open("rb+") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    except OSError as error:
        message = f"{path} cannot be written ({error.strerror or error}). Nothing was changed."
        raise OutputError(message) from error
    finally:
        with suppress(OSError):
            beside.unlink()
