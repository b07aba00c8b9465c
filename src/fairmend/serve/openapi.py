"""The description of the server that machines read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairmend.serve.streams import STREAM

if TYPE_CHECKING:
    from fastapi import FastAPI

    from fairmend.frames.levels import Factor
    from fairmend.plan.plan import Plan

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


def repair_operation(plan: "Plan", key: Sequence[str]) -> dict[str, Any]:
    """Describe ``POST /repair`` for a plan: what a record must hold, and what may be answered."""
    record = record_schema(plan, key)
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


def record_schema(plan: "Plan", key: Sequence[str]) -> dict[str, Any]:
    """Describe a record: the members that a repair needs; others are handed back as they are."""
    members: dict[str, Any] = {}
    for feature in plan.features:
        members[feature.name] = _feature_schema(feature.codec.type, feature.codec.levels)
    for factor in (plan.groups, plan.strata):
        members |= _role_schemas(factor)
    whole = {"type": "integer", "minimum": -(2**63), "maximum": 2**64 - 1}
    members |= {name: {"oneOf": [whole, {"type": "string"}]} for name in key}
    return {"type": "object", "properties": members, "required": sorted(members)}


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
        beyond = 2**53 - 1
        return {"type": ["number", "null"], "minimum": -beyond, "maximum": beyond}
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
