"""Outputs appear only when they are complete: written beside, synced, then renamed."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairmend.errors import OutputError

PART = r"\.(?P<name>.+)\.[0-9a-f]{8}\.part"
"""How files are named while they are written."""


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise if a file is there already and may not be replaced, or is no file that can be."""
    if path.is_dir():
        message = f"{path} is a directory. Name a file to write."
        raise OutputError(message)
    if path.exists() and not path.is_file():
        message = f"{path} is a device or a pipe, which cannot be replaced. Name a file to write."
        raise OutputError(message)
    if path.exists() and not force:
        raise OutputError.exists(path)


@contextmanager
def replacing(path: Path, *, force: bool) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; on success it takes the place of ``path``.

    Whatever goes wrong, an existing file survives and nothing half-written is left. A link is
    followed, so that it still points to the new file; a replaced file's permissions are kept. Two
    writers do not share a part file, and without ``force`` a file that appears meanwhile survives.

    Parameters
    ----------
    path : Path
        The output.
    force : bool
        Whether an existing file may be replaced.
    """
    path = path.resolve()
    refuse_existing(path, force=force)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        yield beside
        with beside.open("rb+") as written:
            os.fsync(written.fileno())
        if force:
            if path.exists():
                beside.chmod(path.stat().st_mode & 0o7777)
            beside.replace(path)
        else:
            _appear(beside, path)
        _sync_folder(path.parent)
    except OSError as error:
        message = f"{path} cannot be written ({error.strerror or error}). Nothing was changed."
        raise OutputError(message) from error
    finally:
        with suppress(OSError):
            beside.unlink()


def _appear(beside: Path, path: Path) -> None:
    """Give the file its name, unless another has taken it meanwhile."""
    try:
        path.hardlink_to(beside)
    except FileExistsError as error:
        raise OutputError.exists(path) from error
    except OSError:  # a file system without hard links
        beside.replace(path)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
