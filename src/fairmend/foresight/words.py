"""A forecast in words."""

from collections.abc import Iterator, Sequence

from fairmend.foresight.joint import FOLDS, Joint
from fairmend.foresight.outlook import FEWEST
from fairmend.foresight.results import FeatureForecast
from fairmend.foresight.sequential import Sequential
from fairmend.measures.inference.verdict import TOLERANCES

WORTH = 0.05
"""More rows are named where they lower E by at least this share of it."""


def sentences(
    features: Sequence[FeatureForecast],
    joint: Joint | Sequential | str | None,
    rows: int,
    tolerance: float,
) -> Iterator[str]:
    """Say what to expect, what more rows would buy, and what cannot be told."""
    for one in features:
        yield from _of_feature(one, rows, tolerance)
    yield from _too_small(features)
    if isinstance(joint, str):
        yield f"No leak of all features together is forecast: {joint}."
    elif isinstance(joint, Sequential):
        yield from _of_sequential(joint, rows)
    elif joint is not None:
        yield (
            f"All features together: expect an adversary to tell the groups with AUC "
            f"{joint.auc:.3f} ({joint.low:.3f} to {joint.high:.3f}). That is what each column "
            f"leaves, and AUC {joint.between:.3f} (shuffled {joint.null:.3f}) that an adversary "
            f"reached on research rows repaired by plans from the other {FOLDS - 1} fifths of "
            f"them; one with more rows may learn more."
        )


def _of_sequential(one: Sequential, rows: int) -> Iterator[str]:
    """Say what a joint repair will leave, and where the research data is too small for it."""
    joint, alone = one.joint, one.alone
    yield (
        f"All features together, repaired jointly: expect an adversary that learns from "
        f"{one.adversary_rows:,} rows of the archive to tell the groups with AUC "
        f"{joint.value:.3f} ({joint.low:.3f} to {joint.high:.3f}); with each feature repaired by "
        f"itself {alone.value:.3f} ({alone.low:.3f} to {alone.high:.3f})."
    )
    if one.supported is None:
        yield (
            f"The research data is too small for a joint repair: of {rows:,} rows, "
            f"{one.smallest:,} in the smallest group of a stratum, none can be held out to judge "
            f"it by, so each feature will be repaired by itself."
        )
    elif not one.supported:
        yield (
            f"The research data is too small for a joint repair: in held-out rows it leaves more "
            f"than a repair of each feature by itself, so that is what a design will choose. The "
            f"smallest group of a stratum has {one.smallest:,} rows."
        )
    tolerated = TOLERANCES["auc"]
    if joint.value <= tolerated:
        return
    if one.rows_to_tolerance is None:
        yield (
            f"More research rows of the same make-up are not expected to bring a joint repair "
            f"down to AUC {tolerated:g}."
        )
    else:
        yield (
            f"With {rows:,} research rows a joint repair is expected to leave more than the AUC "
            f"of {tolerated:g} that an audit tolerates; about {one.rows_to_tolerance:,} of the "
            f"same make-up would bring it down to that, as far as so few rows can tell."
        )


def _of_feature(one: FeatureForecast, rows: int, tolerance: float) -> Iterator[str]:
    e, auc = one.e, one.auc
    if e is None or auc is None:
        yield (
            f"{one.name}: the research data is too small to forecast anything. No stratum has two "
            f"groups of at least {FEWEST} rows."
        )
        return
    yield (
        f"{one.name}: E is {one.before:.3f} in the research data; expect {_said(e.value)} in the "
        f"repaired archive (95 %: {_said(e.low)} to {_said(e.high)}), {_judged(e, tolerance)}. "
        f"From this column alone nobody should tell the groups better than with AUC "
        f"{auc.value:.3f} ({auc.low:.3f} to {auc.high:.3f})."
    )
    if e.high >= one.before:
        yield (
            f"{one.name}: with {rows:,} research rows it cannot be promised that a repair lowers "
            f"E at all: the interval reaches what there is before."
        )
    yield from _of_rows(one, rows, tolerance)
    if one.supports is not None:
        n, used = one.supports.enough, one.supports.used
        yield (
            f"{one.name}: {n:,} support points are enough (the plan has {used:,}); more lower "
            f"neither E nor the change to the data by an amount that matters."
        )


def _of_rows(one: FeatureForecast, rows: int, tolerance: float) -> Iterator[str]:
    assert one.e is not None
    best = one.more[0]
    much = best.before - best.after >= WORTH * best.before
    if much and _said(best.before) != _said(best.after):
        where = "" if best.stratum == "all rows" else f" where {best.stratum}"
        yield (
            f"{one.name}: {best.rows:,} more rows with {best.group}{where} would lower the "
            f"expected E from {_said(best.before)} to {_said(best.after)}."
        )
    else:
        yield (
            f"{one.name}: {best.rows:,} more rows of any one group would hardly lower the "
            f"expected E ({_said(best.before)})."
        )
    if one.e.value <= tolerance:
        return
    if one.rows_to_tolerance is None:
        yield (
            f"{one.name}: no number of research rows of this make-up is expected to bring E down "
            f"to {tolerance:g}; about {_said(one.floor)} stays."
        )
    else:
        yield (
            f"{one.name}: about {one.rows_to_tolerance:,} research rows of the same make-up (now "
            f"{rows:,}) would bring the expected E down to {tolerance:g}."
        )


def _judged(e: object, tolerance: float) -> str:
    low, high = e.low, e.high  # type: ignore[attr-defined]
    if high <= tolerance:
        return f"within the tolerance of {tolerance:g}"
    if low > tolerance:
        return f"above the tolerance of {tolerance:g}"
    return f"on either side of the tolerance of {tolerance:g}"


def _too_small(features: Sequence[FeatureForecast]) -> Iterator[str]:
    """Name each small group once, with its fewest rows in any feature."""
    small: dict[tuple[str, str], int] = {}
    for one in features:
        for part in one.by_stratum:
            for group, n in part.rows.items():
                if n < FEWEST:
                    at = (group, part.stratum)
                    small[at] = min(n, small.get(at, n))
    for (group, stratum), n in small.items():
        where = "" if stratum == "all rows" else f" where {stratum}"
        yield (
            f"{group}{where} has {n:,} research rows: too few to forecast ({FEWEST} are needed), "
            f"so the figures say nothing of it."
        )


def _said(e: float) -> str:
    return f"{e:.3f}" if e >= 0.0005 else "0.000"
