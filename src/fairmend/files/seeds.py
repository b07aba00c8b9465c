"""Seeds in files, so that neither a list of processes nor a terminal shows them."""

import json
import os
from pathlib import Path
from typing import Any

from fairmend.errors import InputError, OptionError
from fairmend.files.formats import names_beside
from fairmend.kernel.draws import checked_seed, fresh_seed
from fairmend.outputs import replacing

LARGEST_EXACT = 2**53
"""Many readers of JSON round larger numbers, and a rounded seed repeats nothing."""


def read_seed(path: Path) -> int:
    """Read a seed from a file that holds it alone, or from the summary of an earlier repair."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return _whole(text)
    except FileNotFoundError as error:
        raise InputError.missing(path, path.name, names_beside(path)) from error
    except OSError as error:
        raise InputError.damaged(path, "a seed", error.strerror or str(error)) from error
    except (ValueError, RecursionError):
        # Without its cause, whose words would show what the file holds.
        reason = "it is neither one whole number nor the JSON of --summary"
        raise InputError.damaged(path, "a seed", reason) from None


def save_fresh_seed(path: Path, *, force: bool) -> int:
    """Write 64 fresh secret bits to a file that nobody but its owner may read."""
    seed = fresh_seed()
    with replacing(path, force=force) as beside:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{seed}\n")
    return seed


def chosen_seed(
    seed: int | None, seed_file: Path | None, save_seed: Path | None, *, force: bool
) -> int:
    """Find the seed of a run: given, read, or drawn, and then maybe saved before any work."""
    if sum(way is not None for way in (seed, seed_file, save_seed)) > 1:
        message = (
            "--seed, --seed-file and --save-seed each give the seed. Pass one of them: "
            "--save-seed draws a new one, --seed-file reads what it saved."
        )
        raise OptionError(message)
    if save_seed is not None:
        return save_fresh_seed(save_seed, force=force)
    return checked_seed(seed if seed_file is None else read_seed(seed_file))


def safe_seed(seed: int) -> int | str:
    """Write a seed that JSON's readers might round as text.

    Examples
    --------
    >>> safe_seed(7), safe_seed(2**53 + 1)
    (7, '9007199254740993')
    """
    return seed if seed <= LARGEST_EXACT else str(seed)


def _whole(text: str) -> int:
    content: Any = json.loads(text) if text.lstrip().startswith("{") else text
    if isinstance(content, dict):
        content = content.get("seed")
    if isinstance(content, bool) or not isinstance(content, str | int):
        raise ValueError
    return int(content)
