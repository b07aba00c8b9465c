"""What a comparison with the research data says, in sentences for readers of a first screen."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairmend.measures.drift.stationarity import Stationarity

NOBODY = (
    "Nobody can say whether the archive looks like the research data: no group has enough rows in "
    "both."
)


def in_words(found: "Stationarity") -> str:
    """Say whether an archive looks like research, where not, and what the rows do not tell."""
    tested = [(at, one) for at, one in found.placed() if one.is_tested]
    departed = [(at, one) for at, one in tested if one.detected]
    if not tested:
        return NOBODY
    if not departed:
        return _calm(found, len(tested))
    at, worst = min(departed, key=lambda pair: pair[1].probability)
    law, gap = worst.law, worst.gap
    assert gap is not None
    where = f"{found.plan.strata.label(law.stratum)} and {found.plan.groups.label(law.group)}"
    when = "" if at is None else f", in {at}"
    limit = f"the tolerance of {found.tolerance:g}"
    beyond = {
        "within tolerance": f"but by no more than {limit}",
        "above tolerance": f"and by more than {limit}",
        "insufficient evidence": f"and too few rows tell whether by more than {limit}",
    }[found.verdict]
    return (
        f"The archive does not look like the research data: {len(departed)} of {len(tested)} "
        f"comparisons differ by more than chance explains, {beyond}. Surest: {law.feature!r} where "
        f"{where}{when}: {gap.words(law)} (distance {gap.distance:.2f}, between "
        f"{worst.interval[0]:.2f} and {worst.interval[1]:.2f})."
    )


def _calm(found: "Stationarity", tested: int) -> str:
    """Say that no difference was found, and what that is worth."""
    said = (
        f"The archive looks like the research data: in {tested} comparisons of {found.rows:,} "
        f"rows, none differs by more than chance explains"
    )
    limit = f"the tolerance of {found.tolerance:g}"
    verdicts = [one.verdict for _, one in found.placed()]
    unsure = verdicts.count("insufficient evidence")
    if not unsure:
        return f"{said}, nor by more than {limit}."
    return (
        f"{said}. But in {unsure} of {len(verdicts)} too few rows leave open whether the "
        f"difference is beyond {limit}."
    )
