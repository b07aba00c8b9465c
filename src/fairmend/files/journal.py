"""The record of a run over many files: what it does, and which files are complete.

It lies in the folder of the results while the run is not complete. It says what an interrupted run
was, so that it can be taken up again by the same one only, and it holds nothing of the seed.
"""

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairmend.errors import OutputError
from fairmend.outputs import PART, replacing

NAME = ".fairmend-run.jsonl"
CHECK = ".fairmend-check."
"""How folders are named in which a seed is tried."""


@dataclass
class Journal:
    """A record of one run.

    Attributes
    ----------
    folder : Path
        The results' folder.
    run : dict
        What the run is: its plan's hash, its options, and its sources with size and time.
    done : dict
        By name, what is known of each complete file: its size, its rows and its counts.
    resumed : bool
        Whether the run was interrupted before, so that all that is there is its own.
    """

    folder: Path
    run: dict[str, Any]
    done: dict[str, dict[str, Any]] = field(default_factory=dict)
    resumed: bool = False

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.folder / NAME

    def start(self) -> None:
        """Write it anew, with all that is known to be done, in one step."""
        lines = [self.run, *({"name": name, **about} for name, about in self.done.items())]
        with replacing(self.path, force=True) as beside:
            beside.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def add(self, name: str, about: Mapping[str, Any]) -> None:
        """Note that a file is complete; a line that a power cut tears is not read again."""
        self.done[name] = dict(about)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"name": name, **about}) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def finish(self) -> None:
        """Remove it: the run is complete."""
        self.path.unlink()


def journal_in(folder: Path) -> Journal | None:
    """Read the record of an interrupted run, if there is one."""
    path = folder / NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        first, *lines = text.splitlines(keepends=True)
        journal = Journal(folder, json.loads(first))
        for line in lines:
            if line.endswith("\n"):
                about = json.loads(line)
                journal.done[about.pop("name")] = about
    except (ValueError, KeyError, AttributeError) as error:
        raise OutputError.damaged_record(path) from error
    return journal


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Name what two runs have not in common.

    Examples
    --------
    >>> differences({"plan": "a", "files": {"x": [1, 2]}}, {"plan": "b", "files": {"x": [1, 3]}})
    ['files (x)', 'plan']
    """
    found = []
    for name in sorted({*old, *new}):
        one, other = old.get(name), new.get(name)
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            parts = sorted(k for k in {*one, *other} if one.get(k) != other.get(k))
            found.append(f"{name} ({', '.join(parts[:5])}{', …' if len(parts) > 5 else ''})")
        else:
            found.append(name)
    return found


def remove_parts(folder: Path, outputs: Iterable[Path]) -> None:
    """Remove what a killed run has left in a folder of files that it was writing."""
    for check in folder.glob(CHECK + "*"):
        shutil.rmtree(check)
    names: dict[Path, set[str]] = {}
    for path in outputs:
        names.setdefault(path.parent, set()).add(path.name)
    for folder, wanted in names.items():
        for beside in folder.glob(".*.part"):
            matched = re.fullmatch(PART, beside.name)
            if matched and matched["name"] in wanted:
                beside.unlink()
