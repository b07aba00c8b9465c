"""The description of the server that machines read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairmend.serve.streams import STREAM

if TYPE_CHECKING:
    from fastapi import FastAPI

    from fairmend.frames.levels import Factor
    from fairmend.serve.records import Reader

REFUSALS = {
    400: "The body is not what its Content-Type says.",
    408: "The body did not arrive in time.",
    413: "The body or the batch is too large.",
    415: "The body is of another type.",
    422: "The records lack members, or the plan has no law for them.",
    503: "The repair took too long.",
}

DETAIL = {
    "type": "object",
    "properties": {"detail": {"type": "string"}},
    "required": ["detail"],
}


def repair_operation(reader: "Reader") -> dict[str, Any]:
    """Describe ``POST /repair``: what a record must hold, and what may be answered."""
    record = record_schema(reader)
    either = {"oneOf": [record, {"type": "array", "items": record}]}
    arrow = {"type": "string", "format": "binary"}
    bodies = {"application/json": {"schema": either}, STREAM: {"schema": arrow}}
    answers: dict[int | str, Any] = {
        status: {"description": what, "content": {"application/json": {"schema": DETAIL}}}
        for status, what in REFUSALS.items()
    }
    open_record = {"oneOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}
    answers[200] = {
        "description": "The same records with repaired features.",
        "content": {"application/json": {"schema": open_record}, STREAM: {"schema": arrow}},
    }
    return {
        "openapi_extra": {"requestBody": {"required": True, "content": bodies}},
        "responses": answers,
        "response_model": None,
    }


def record_schema(reader: "Reader") -> dict[str, Any]:
    """Describe a record: the members that a repair needs; others are handed back as they are."""
    plan, labels = reader.plan, reader.labels
    members: dict[str, Any] = {}
    for codecs in ({} if labels is None else labels.codecs, plan.codecs):
        members |= {n: _feature_schema(codec.type, codec.levels) for n, codec in codecs.items()}
    for factor in (*(() if labels is None else (labels.strata,)), plan.strata):
        members |= _role_schemas(factor)
    if not plan.is_blind:
        groups = _role_schemas(plan.groups)
        if labels is not None:  # a group that is not known is estimated
            groups = {name: {"enum": [*one["enum"], None]} for name, one in groups.items()}
        members |= groups
    whole = {"type": "integer", "minimum": -(2**63), "maximum": 2**64 - 1}
    members |= {name: {"oneOf": [whole, {"type": "string"}]} for name in reader.key}
    return {"type": "object", "properties": members, "required": sorted(reader.needed)}


def documented(app: "FastAPI", *, with_token: bool) -> None:
    """Complete the description: the token, and what FastAPI adds that is not so."""
    make = app.openapi

    def openapi() -> dict[str, Any]:
        described: dict[str, Any] = make()
        parts = described.setdefault("components", {})
        if with_token:
            parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            for path, operations in described["paths"].items():
                for operation in operations.values():
                    if path != "/health":
                        operation["security"] = [{"token": []}]
                        operation["responses"]["401"] = {
                            "description": "The token is missing or not this server's.",
                            "content": {"application/json": {"schema": DETAIL}},
                        }
        return described

    app.openapi = openapi


def _feature_schema(kind: str, levels: Sequence[Any]) -> dict[str, Any]:
    if kind == "number":
        # No bounds: 1e300 is a number that is repaired, 2^60 in digits is refused as inexact.
        exact = "numbers written without a fraction or exponent must be below 2^53"
        return {"type": ["number", "null"], "description": exact}
    if kind == "category":
        return {"enum": [*levels, None]}
    if kind == "datetime":
        return {"type": ["string", "null"], "description": "ISO 8601, all records alike"}
    return {"type": "null", "description": "durations are sent as an Arrow stream"}


def _role_schemas(factor: "Factor") -> dict[str, Any]:
    named: dict[str, Any] = {}
    for place, name in enumerate(factor.columns):
        if name in factor.bins:
            named[name] = {"type": "number"}
        else:
            named[name] = {"enum": sorted({c[place] for c in factor.combinations}, key=str)}
    return named
