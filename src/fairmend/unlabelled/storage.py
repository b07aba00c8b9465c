"""The label model's file: canonical JSON with a hash, loaded without executing anything."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fairmend._version import __version__
from fairmend.errors import FairmendError, LabelFileError
from fairmend.frames.codec import Codec
from fairmend.outputs import replacing
from fairmend.plan.documents import canonical_json, digest, read_document
from fairmend.plan.storage import factor_content, factor_from
from fairmend.unlabelled.bayes import Bayes
from fairmend.unlabelled.calibration import Calibration
from fairmend.unlabelled.mixture import Mixture

if TYPE_CHECKING:
    from fairmend.unlabelled.model import LabelModel

    M = TypeVar("M", bound=LabelModel)

FORMAT = "fairmend-label-model"
VERSION = 1
TELLERS: dict[str, Any] = {"bayes": Bayes, "mixture": Mixture}


def save_model(model: "LabelModel", path: Path, *, force: bool) -> None:
    """Write the file, one line for each part."""
    known = model.fitted_ if hasattr(model, "fitted_") else model._known
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
    lines = [f'"{name}":{canonical_json(part)}' for name, part in sorted(content.items())]
    with replacing(path, force=force) as beside:
        beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def load_model(model_type: "type[M]", path: Path) -> "M":
    """Read a file, check format, version and hash, and rebuild the model."""
    from fairmend.unlabelled.model import Fitted

    words = ("label model", "Fit the model")
    content = read_document(path, FORMAT, VERSION, LabelFileError, words)
    try:
        groups, strata = factor_from(content["protected"]), factor_from(content["unprotected"])
        codecs = {
            one["name"]: Codec(one["type"], tuple(one["levels"])) for one in content["columns"]
        }
        model = model_type(
            protected=groups.columns,
            unprotected=strata.columns,
            features=tuple(codecs),
            method=content["method"],
        )
        model.fitted_ = Fitted(
            groups,
            strata,
            codecs,
            TELLERS[content["method"]].from_content(content["model"]),
            content["method"],
            float(content["temper"]),
            Calibration.from_dict(content["calibration"]),
        )
        return model
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        if isinstance(error, FairmendError):
            raise
        message = f"{path} is no sound label model ({error!r}). Fit the model again."
        raise LabelFileError(message) from error
