"""The plan's facts for a report: what was repaired, by what, learnt from how many."""

from datetime import date
from typing import TYPE_CHECKING

from fairmend._version import __version__
from fairmend.plan.storage import to_content
from fairmend.report.content import FORMAT, FeatureFacts, Parts, PlanCell, PlanPart
from fairmend.report.content import VERSION as REPORT_VERSION
from fairmend.report.maps import transport_maps
from fairmend.report.pooling import FEWEST

if TYPE_CHECKING:
    from fairmend.plan.plan import Plan


def parts_of(plan: "Plan", rows: int, unseen: int = 0) -> Parts:
    """Begin a report: all that follows from the plan, and nothing measured yet.

    Parameters
    ----------
    plan : Plan
        What repaired the archive.
    rows, unseen : int
        Rows of the archive, and those of them whose group or stratum the plan does not know.
    """
    return {
        "format": FORMAT,
        "version": REPORT_VERSION,
        "creator": f"fairmend {__version__}",
        "made": date.today().isoformat(),
        "rows": rows,
        "unseen": shown(unseen),
        "fewest": FEWEST,
        "plan": plan_facts(plan),
        "densities": None,
        "maps": transport_maps(plan),
        "dependence": None,
        "leak": None,
        "pairs": None,
        "combinations": None,
        "damage": None,
        "missing": [],
        "paper": None,
        "outcomes": None,
        "drift": None,
    }


def shown(count: int) -> int | None:
    """Return a count, or None where it is small enough to tell of one person.

    Examples
    --------
    >>> shown(0), shown(3), shown(300)
    (0, None, 300)
    """
    return count if count == 0 or count >= FEWEST else None


def plan_facts(plan: "Plan") -> PlanPart:
    """List what an auditor asks of a plan; a plan holds no seed, so there is none to leave out."""
    content = to_content(plan)
    features: list[FeatureFacts] = [
        {
            "name": feature.name,
            "type": feature.codec.type,
            "kind": feature.kind,
            "reason": feature.reason,
            "points": max(cell.support.size for cell in feature.cells),
        }
        for feature in plan.features
    ]
    # A feature's counts are of its known values; the best known one comes nearest to rows.
    research: list[PlanCell] = []
    total = 0
    for u in range(len(plan.strata)):
        for s in range(len(plan.groups)):
            rows = max(int(feature.cells[u].counts[s]) for feature in plan.features)
            total += rows
            at = plan.strata.label(u), plan.groups.label(s)
            research.append({"stratum": at[0], "group": at[1], "rows": shown(rows)})
    return {
        "sha256": content["sha256"],
        "creator": plan.creator,
        "format_version": content["version"],
        "protected": list(plan.protected),
        "unprotected": list(plan.unprotected),
        "groups": [plan.groups.label(s) for s in range(len(plan.groups))],
        "strata": [plan.strata.label(u) for u in range(len(plan.strata))],
        "features": features,
        "research": research,
        "research_rows": total,
        "options": content["options"],
    }
