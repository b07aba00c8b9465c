"""Small JSON files beside the tables: summaries and audits."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairmend.errors import InputError


def read_record(path: Path) -> Any:
    """Read JSON that somebody wrote."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise InputError.no_json(path, str(fault)) from fault


def write_record(content: Mapping[str, Any], path: Path, *, private: bool = False) -> None:
    """Write JSON for people and machines; a private file is nobody else's from its first byte."""
    mode = 0o600 if private else 0o666
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2, ensure_ascii=False, allow_nan=False)
        file.write("\n")
