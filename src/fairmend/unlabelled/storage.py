"""The label model's file: canonical JSON with a hash, loaded without executing anything."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairmend._version import __version__
from fairmend.errors import FairmendError, LabelFileError
from fairmend.frames.codec import Codec
from fairmend.outputs import replacing
from fairmend.plan.documents import canonical_json, digest, read_document
from fairmend.plan.storage import factor_content, factor_from
from fairmend.unlabelled.bayes import Bayes
from fairmend.unlabelled.calibration import Calibration
from fairmend.unlabelled.fitted import Fitted
from fairmend.unlabelled.mixture import Mixture

FORMAT = "fairmend-label-model"
VERSION = 1
TELLERS: dict[str, Any] = {"bayes": Bayes, "mixture": Mixture}


def to_content(known: Fitted) -> dict[str, Any]:
    """Lay it out as plain JSON types, hash included."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "creator": f"fairmend {__version__}",
        "protected": factor_content(known.groups),
        "unprotected": factor_content(known.strata),
        "columns": [
            {"name": name, "type": codec.type, "levels": list(codec.levels)}
            for name, codec in known.codecs.items()
        ],
        "method": known.method,
        "temper": known.temper,
        "calibration": known.calibration.to_dict(),
        "model": known.teller.to_content(),
    }
    content["sha256"] = digest(content)
    return content


def from_content(content: Mapping[str, Any]) -> Fitted:
    """Rebuild it."""
    return Fitted(
        factor_from(content["protected"]),
        factor_from(content["unprotected"]),
        {one["name"]: Codec(one["type"], tuple(one["levels"])) for one in content["columns"]},
        TELLERS[content["method"]].from_content(content["model"]),
        content["method"],
        float(content["temper"]),
        Calibration.from_dict(content["calibration"]),
    )


def save(known: Fitted, path: Path, *, force: bool) -> None:
    """Write the file, one line for each part."""
    content = to_content(known)
    lines = [f'"{name}":{canonical_json(part)}' for name, part in sorted(content.items())]
    with replacing(path, force=force) as beside:
        beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def load(path: Path) -> Fitted:
    """Read a file, check format, version and hash, and rebuild what it holds."""
    content = read_document(path, FORMAT, VERSION, LabelFileError, ("label model", "Fit the model"))
    try:
        return from_content(content)
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        if isinstance(error, FairmendError):
            raise
        message = f"{path} is no sound label model ({error!r}). Fit the model again."
        raise LabelFileError(message) from error
