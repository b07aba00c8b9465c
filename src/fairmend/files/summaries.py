"""Summaries on disk: made from research data, told apart from it, and described."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairmend.errors import SummaryError
from fairmend.files.describe import describe_bins
from fairmend.files.formats import check_outputs
from fairmend.files.progress import Tell, silent
from fairmend.files.research import Research
from fairmend.research import summarise
from fairmend.summaries import Summary
from fairmend.summaries.counted import Counted
from fairmend.summaries.storage import FORMAT, to_content

HEAD = 1 << 12
"""Bytes within which a summary says that it is one."""


def summarise_file(
    research: Path, out: Path, *, force: bool = False, tell: Tell = silent, **roles: Any
) -> Summary:
    """Count research data on disk and save the counts.

    Parameters
    ----------
    research : Path
        A file, folder or pattern, see :class:`fairmend.files.research.Research`.
    out : Path
        The summary file, refused before any work if it cannot be written.
    force : bool
        Whether an existing file may be replaced.
    tell : callable
        Hears of the progress.
    **roles
        As in :func:`fairmend.summarise`.
    """
    check_outputs(out, inputs=(research,), force=force)
    rows = Research(research, {**dict.fromkeys(("unprotected", "sample_weight")), **roles}, tell)
    with rows.faults_named():
        data, roles = rows.given()
        summary = summarise(data, **roles)
    tell(f"Writing {out.name}")
    summary.save(out, force=force)
    return summary


def is_summary(path: Path) -> bool:
    """Tell by its content whether a file is a summary."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(HEAD)
    return head.lstrip()[:1] == b"{" and f'"{FORMAT}"'.encode() in head


def are_summaries(paths: Sequence[Path]) -> bool:
    """Tell whether paths are summaries; summaries beside tables are refused."""
    found = [is_summary(path) for path in paths]
    if any(found) and not all(found):
        raise SummaryError.mixed()
    if len(paths) > 1 and not any(found):
        raise SummaryError.several(paths)
    return any(found)


def refuse_twice(paths: Sequence[Path]) -> None:
    """Refuse a summary that is named twice, or of which a copy is: no two sites have one."""
    known: dict[str, Path] = {}
    for path in paths:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest in known:
            raise SummaryError.twice(known[digest], path)
        known[digest] = path


def describe_summary_file(path: Path) -> dict[str, Any]:
    """Describe a summary: roles, rows by group and stratum, features and hash."""
    summary = Summary.load(path)
    content = to_content(summary)
    strata = (summary.strata.label(at) for at in range(len(summary.strata)))
    return {
        "protected": list(summary.protected),
        "unprotected": list(summary.unprotected),
        "sample_weight": summary.weight,
        "rows": summary.n_rows,
        "groups": [summary.groups.label(at) for at in range(len(summary.groups))],
        "strata": [
            {"stratum": stratum, "rows": rows}
            for stratum, rows in zip(strata, summary.rows.tolist(), strict=True)
        ],
        "bins": describe_bins(summary.strata),
        "features": [_feature(feature) for feature in summary.features],
        "creator": summary.creator,
        "sha256": content["sha256"],
    }


def _feature(feature: Counted) -> dict[str, Any]:
    codec, tally = feature.codec, feature.tally
    values = [np.concatenate([p.values for p in tally.exact])]
    values += [binned.keys for binned in tally.binned]
    return {
        "name": feature.name,
        "type": None if codec is None else codec.type,
        "column": feature.dtype,
        "kind": feature.kind,
        "levels": [] if codec is None else list(codec.levels),
        "values": int(np.unique(np.concatenate(values)).size),
        "rounded": bool(tally.binned),
        "missing": int(tally.missing.sum()),
    }
