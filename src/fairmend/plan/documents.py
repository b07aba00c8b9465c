"""Documents: canonical JSON with a hash, readable by an auditor, loaded without executing."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairmend.errors import FairmendError


def canonical_json(content: Any) -> str:
    """Write content in the one form that is hashed: sorted keys, no spaces, shortest floats."""
    return json.dumps(
        content,
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
        default=lambda array: array.tolist(),  # options may come as NumPy numbers and arrays
    )


def digest(content: Mapping[str, Any]) -> str:
    """Hash all of a document's content but the hash itself."""
    hashed = {name: part for name, part in content.items() if name != "sha256"}
    return hashlib.sha256(canonical_json(hashed).encode()).hexdigest()


def read_document(
    path: Path,
    form: str,
    version: int,
    error: type[FairmendError],
    words: tuple[str, str],
    older: Sequence[int] = (),
) -> dict[str, Any]:
    """Read a file and check its format, version and hash.

    Parameters
    ----------
    path : Path
        The file.
    form, version : str, int
        What its members ``format`` and ``version`` must be.
    error : type
        What is raised otherwise.
    words : tuple of str
        What the errors call the document, and how it is made again.
    older : sequence of int
        Other versions that can be read.
    """
    what, make = words
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        message = f"The {what} file {path} cannot be read ({fault.strerror})."
        raise error(message) from fault
    except (ValueError, RecursionError) as fault:
        message = f"{path} is no {what} file: it is not JSON ({fault}). {make} again."
        raise error(message) from fault
    if not isinstance(content, dict) or content.get("format") != form:
        message = f"{path} is no {what} file: its format is not {form!r}."
        raise error(message)
    if content.get("version") not in (*older, version):
        readable = " and ".join(map(str, (*older, version)))
        message = (
            f"{path} has {what} version {content.get('version')!r}, and this fairmend reads "
            f"version {readable}. Use the fairmend that wrote it ({content.get('creator')}) or a "
            f"newer one."
        )
        raise error(message)
    try:
        undamaged = content.get("sha256") == digest(content)
    except ValueError:  # NaN, or half of a surrogate pair
        undamaged = False
    if not undamaged:
        message = f"{path} was changed or damaged: its hash does not fit. {make} again."
        raise error(message)
    return content
