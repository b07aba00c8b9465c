"""Seeds in files, so that neither a list of processes nor a terminal shows them."""

import json
from pathlib import Path
from typing import Any

from fairmend.errors import InputError
from fairmend.files.formats import names_beside

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
