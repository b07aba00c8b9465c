"""Whether a plan that was read from a file can be applied: what a schema cannot express."""

from typing import TYPE_CHECKING, get_args

import numpy as np

from fairmend.errors import PlanFileError
from fairmend.plan.constraints import checked_constraints
from fairmend.plan.feature import Feature
from fairmend.plan.leaves import faults_of
from fairmend.plan.refined import Refined
from fairmend.transport.cell import Cell
from fairmend.transport.kinds import Kind
from fairmend.transport.support import Floats

if TYPE_CHECKING:
    from fairmend.plan.plan import Plan

MASS_ERROR = 1e-9


def require_sound(plan: "Plan") -> None:
    """Raise unless all parts of a plan fit together.

    A hash shows that a file is as somebody wrote it, not that it was a plan.
    """
    names = plan.feature_names
    _require(bool(names) and len(set(names)) == len(names), "features are missing or repeated")
    _require(bool(plan.protected) and len(plan.groups) > 1, "there are no groups")
    for feature in plan.features:
        _require(feature.kind in get_args(Kind), f"{feature.name!r} is of no known kind")
        deterministic = plan.options.output == "monge"
        leaks = deterministic and (feature.kind != "continuous" or feature.lattice > 0)
        _require(not leaks, f"output='monge' is not for {feature.name!r}")
        _require(len(feature.cells) == len(plan.strata), f"{feature.name!r} lacks strata")
        for cell in (*feature.cells, feature.anywhere):
            _require_cell(feature, cell, len(plan.groups), blind=plan.options.blind is not None)
    _require(plan.options.joint is not None or not plan.is_joint, "leaves were not asked for")
    if plan.options.constraints:
        roles = (*plan.protected, *plan.unprotected)
        checked = checked_constraints(plan.options.constraints, plan.codecs, roles)
        _require(checked == plan.options.constraints, "constraints are written in another way")
    earlier: dict[str, tuple[int, bool]] = {}
    for feature in plan.features:
        if feature.refined is not None:
            faults = [*faults_of(feature.refined, len(plan.strata), earlier)]
            _require(not faults, f"{feature.name!r} {', '.join(faults)}")
            _require_leaves(feature, feature.refined, len(plan.groups))
        earlier[feature.name] = len(feature.codec.levels), feature.kind != "categorical"


def _require_leaves(feature: Feature, refined: Refined, groups: int) -> None:
    for stratum, cells in zip(feature.cells, refined.cells, strict=True):
        for cell in cells:
            _require_cell(feature, cell, groups, blind=False)
            same = (cell.missing is None) == (stratum.missing is None)
            _require(same, f"missing shares of a leaf of {feature.name!r}")


def _require_cell(feature: Feature, cell: Cell, groups: int, *, blind: bool) -> None:
    what = f"a cell of {feature.name!r}"
    n = cell.support.size
    _require(n > 0 and bool(np.isfinite(cell.support).all()), f"{what} has no support")
    _require(_rises(cell.atoms) and _rises(cell.grid), f"the support of {what} does not rise")
    _require(cell.counts.shape == (groups,), f"{what} lacks groups")
    _require(cell.marginals.shape == (groups, n), f"the marginals of {what} do not fit")
    _require(cell.target.shape == (n,), f"the target of {what} does not fit")
    laws = [*cell.marginals, cell.target]
    _require(all(_is_law(law) for law in laws), f"{what} has a law that does not sum to 1")
    if cell.missing is not None:
        known = bool(((cell.missing >= 0) & (cell.missing <= 1)).all())
        _require(cell.missing.shape == (groups + 1,) and known, f"missing shares of {what}")
    _require(cell.is_blind == blind, f"{what} has not the map that the plan's options say")
    for coupling in cell.couplings or ():
        places = np.concatenate([coupling.source, coupling.target])
        fits = bool((places >= 0).all() and (places < n).all() and (coupling.mass > 0).all())
        _require(fits, f"a coupling of {what} does not fit")
        whole = np.unique(coupling.source).size == n
        _require(whole or not blind, f"the map of {what} lacks points")


def _rises(points: Floats) -> bool:
    return bool((np.diff(points) > 0).all())


def _is_law(mass: Floats) -> bool:
    return bool((mass >= 0).all()) and abs(float(mass.sum()) - 1.0) < MASS_ERROR


def _require(sound: bool, what: str) -> None:
    if not sound:
        raise PlanFileError(what)
