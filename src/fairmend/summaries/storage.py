"""The summary file: canonical JSON with a hash, like the plan's."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fairmend.errors import SummaryFileError
from fairmend.frames.codec import Codec
from fairmend.outputs import replacing
from fairmend.plan.documents import canonical_json, digest, read_document
from fairmend.plan.storage import factor_content, factor_from
from fairmend.summaries.counted import Counted
from fairmend.summaries.soundness import require_sound
from fairmend.transport.binned import Binned
from fairmend.transport.lattice import Lattice
from fairmend.transport.points import Points
from fairmend.transport.tally import Tally

if TYPE_CHECKING:
    from fairmend.summaries.summary import Summary

    S = TypeVar("S", bound=Summary)

FORMAT = "fairmend-summary"
VERSION = 1


def to_content(summary: "Summary") -> dict[str, Any]:
    """Lay a summary out as plain JSON types, hash included."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "creator": summary.creator,
        "protected": factor_content(summary.groups),
        "unprotected": factor_content(summary.strata),
        "sample_weight": summary.weight,
        "rows": summary.rows.tolist(),
        "weights": summary.weights.tolist(),
        "features": [_counted_content(feature) for feature in summary.features],
    }
    content["sha256"] = digest(content)
    return content


def save_summary(summary: "Summary", path: Path, *, force: bool) -> None:
    """Write the file, one line for each part and each feature."""
    content = to_content(summary)
    features = ",\n".join(canonical_json(feature) for feature in content.pop("features"))
    lines = [f'"{name}":{canonical_json(part)}' for name, part in sorted(content.items())]
    lines.append(f'"features":[\n{features}\n]')
    with replacing(path, force=force) as beside:
        beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def load_summary(summary_type: "type[S]", path: Path) -> "S":
    """Read a file, check format, version, hash and structure, and rebuild the summary."""
    words = ("summary", "Summarise the research data")
    content = read_document(path, FORMAT, VERSION, SummaryFileError, words)
    try:
        summary = from_content(summary_type, content)
        require_sound(summary)
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        message = f"{path} does not follow the summary schema ({error!r})."
        raise SummaryFileError(message) from error
    return summary


def from_content(summary_type: "type[S]", content: Mapping[str, Any]) -> "S":
    """Rebuild a summary from its content."""
    return summary_type(
        groups=factor_from(content["protected"]),
        strata=factor_from(content["unprotected"]),
        weight=content["sample_weight"],
        rows=np.array(content["rows"], dtype=np.int64),
        weights=np.array(content["weights"], dtype=np.float64),
        features=tuple(_counted(feature) for feature in content["features"]),
        creator=content["creator"],
    )


def _counted_content(feature: Counted) -> dict[str, Any]:
    tally, codec = feature.tally, feature.codec
    bins: list[Binned | None] = [*tally.binned] or [None] * len(tally.exact)
    cells = zip(tally.exact, bins, strict=True)
    return {
        "name": feature.name,
        "type": None if codec is None else codec.type,
        "levels": [] if codec is None else list(codec.levels),
        "dtype": feature.dtype,
        "order": feature.order,
        "kind": feature.kind,
        "bits": tally.bits,
        "lattice": _lattice_content(tally.lattice),
        "missing": tally.missing.tolist(),
        "missing_weights": tally.missing_weights.tolist(),
        "cells": [_cell_content(points, binned) for points, binned in cells],
    }


def _counted(content: Mapping[str, Any]) -> Counted:
    of = content["type"]
    cells = content["cells"]
    bins = [_binned(cell["bins"]) for cell in cells if cell["bins"] is not None]
    return Counted(
        name=content["name"],
        codec=None if of is None else Codec(of, tuple(content["levels"])),
        dtype=content["dtype"],
        order=content["order"],
        kind=content["kind"],
        tally=Tally(
            exact=[_points(cell) for cell in cells],
            binned=bins,
            bits=content["bits"],
            lattice=_lattice(content["lattice"]),
            missing=np.array(content["missing"], dtype=np.int64),
            missing_weights=np.array(content["missing_weights"], dtype=np.float64),
        ),
    )


def _cell_content(points: Points, binned: Binned | None) -> dict[str, Any]:
    return {
        "values": points.values.tolist(),
        **_shares(points),
        "bins": None
        if binned is None
        else {
            "keys": binned.keys.tolist(),
            "offsets": binned.offsets.tolist(),
            **_shares(binned),
        },
    }


def _shares(part: Points | Binned) -> dict[str, Any]:
    weighted = not np.array_equal(part.weights, part.rows)
    return {
        "rows": part.rows.tolist(),
        # Where each row counts as one, the weights are the rows.
        "weights": part.weights.tolist() if weighted else None,
        "squares": part.squares,
    }


def _points(content: Mapping[str, Any]) -> Points:
    return Points(np.array(content["values"], dtype=np.float64), *_read_shares(content))


def _binned(content: Mapping[str, Any]) -> Binned:
    rows, weights, squares = _read_shares(content)
    keys, offsets = (np.array(content[k], dtype=np.float64) for k in ("keys", "offsets"))
    return Binned(keys, rows, weights, offsets, squares)


def _read_shares(content: Mapping[str, Any]) -> tuple[Any, Any, float]:
    rows = np.array(content["rows"], dtype=np.int64)
    weights = rows if content["weights"] is None else content["weights"]
    return rows, np.array(weights, dtype=np.float64), float(content["squares"])


def _lattice_content(lattice: Lattice) -> dict[str, Any] | None:
    if lattice.low > lattice.high:  # no values, and JSON has no infinity
        return None
    return {
        "low": lattice.low,
        "high": lattice.high,
        "digits": lattice.digits,
        "divisor": lattice.divisor,
    }


def _lattice(content: Mapping[str, Any] | None) -> Lattice:
    return Lattice() if content is None else Lattice(**content)
