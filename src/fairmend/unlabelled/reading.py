"""The research data as a label model reads it: roles found, groups and strata numbered."""

from typing import TYPE_CHECKING

from fairmend.errors import LabelError
from fairmend.frames.bins import Bins
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Factor
from fairmend.frames.roles import encoded_roles
from fairmend.frames.table import Frame
from fairmend.research.columns import checked_kinds, codec_of
from fairmend.research.roles import Roles, as_names
from fairmend.unlabelled.tellers import Asked, Research

if TYPE_CHECKING:
    from fairmend.unlabelled.model import LabelModel


def read(model: "LabelModel", frame: Frame) -> Research:
    """Read the roles, and number groups and strata."""
    also = as_names(model.also)
    frame.require(also, "also")
    roles = Roles.of(
        frame,
        protected=model.protected,
        unprotected=model.unprotected,
        features=model.features,
        exclude=also,
        weight=None,
    )
    told_by = (*roles.features, *also)
    kinds = checked_kinds(model.kinds, told_by)
    numbers = {
        name: Bins.of(name, spec, frame.finite_numbers({name: Codec("number")})[name])
        for name, spec in (model.unprotected_bins or {}).items()
    }
    asked = Asked(roles.protected, roles.unprotected, roles.features, also, kinds, numbers)
    encoded = encoded_roles(frame, roles.protected, {})
    groups = Factor.of(roles.protected, encoded)
    if len(groups) < 2:
        raise LabelError.one_group(groups.label(0))
    levels = encoded_roles(frame, roles.unprotected, numbers)
    strata = Factor.of(roles.unprotected, levels, numbers)
    return Research(
        frame,
        groups,
        strata,
        groups.encode(encoded, len(frame)),
        strata.encode(levels, len(frame)),
        {name: codec_of(frame, name, kinds.get(name)) for name in told_by},
        asked,
    )
