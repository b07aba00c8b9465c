"""What a report says beside its figures: its limits, and the chapters of Article 10."""

from fairmend.auditing.figures import whole
from fairmend.auditing.words import listed
from fairmend.report.content import Chapter, Parts, Summary

ONE_BY_ONE = (
    "Features are repaired one at a time. Several together can still tell something of the "
    "protected attribute; the adversary that sees them together says how much."
)
JOINTLY = (
    "Features are repaired together, as far as the research rows reach. What they still tell of "
    "the protected attribute together, the adversary that sees them so says."
)

LIMITS = (
    "Columns that are not repaired are handed on as they are, and can give the protected attribute "
    "away.",
    "An adversary that fails is no proof: another one, or the same with more rows, may find more.",
    "Figures are about these rows. They say nothing of people who are not in the archive, nor of "
    "whether the labels and features were measured rightly for every group.",
    "Equal laws within strata are one notion of fairness among several that exclude each other. To "
    "repair features reduces dependence between columns; what is done with them is up to people.",
    "Who has the plan, the seed, a row's number and its repaired value can compute the protected "
    "attribute back. The seed is in no file of an audit.",
)

ARTICLE = (
    "This chapter helps to document data governance under Article 10 of the EU AI Act (Regulation "
    "2024/1689). It is no statement that anything complies with it."
)


def limits_of(parts: Parts) -> list[str]:
    """List what the method does not promise, and what this audit did not see."""
    said = [JOINTLY if parts["plan"]["options"].get("joint") else ONE_BY_ONE, *LIMITS]
    if parts["unseen"] is None or parts["unseen"] > 0:
        count = "Some" if parts["unseen"] is None else f"{parts['unseen']:,}"
        said.append(
            f"{count} rows have no group or stratum that the plan knows; they are left out."
        )
    if parts["leak"] is None:
        said.append("No adversary was tested: whether the groups can still be told is not known.")
    elif parts["leak"]["unseen"]:
        names = sorted(parts["leak"]["unseen"])
        they = "it" if len(names) == 1 else "they"
        said.append(
            f"No adversary saw {listed(names)}; {they} may give the groups away all the same."
        )
    if parts["outcomes"] is None:
        said.append("No decision was looked at: neither disparate impact nor utility is known.")
    return said


def article_10(parts: Parts, summary: Summary) -> list[Chapter]:
    """Lay out what a documentation under Article 10 asks for."""
    return [
        {"heading": "What was examined", "sentences": [ARTICLE, *_examined(parts)]},
        {"heading": "With what data", "sentences": _data(parts)},
        {"heading": "What was found", "sentences": _found(parts, summary)},
        {"heading": "What was done", "sentences": _done(parts)},
        {"heading": "What remains", "sentences": _remains(parts, summary)},
    ]


def _examined(parts: Parts) -> list[str]:
    plan = parts["plan"]
    names = listed([one["name"] for one in plan["features"]])
    within = f", within the levels of {listed(plan['unprotected'])}" if plan["unprotected"] else ""
    said = [f"Whether {names} depend on {listed(plan['protected'])}{within}, before and after."]
    measured = {
        "dependence": "the distance between the groups' distributions, with what chance gives",
        "leak": "whether an adversary can tell the protected attribute from what is handed on",
        "pairs": "which pairs of features tell the groups together",
        "combinations": "how many rows have combinations of values that nobody should have",
        "damage": "how far values were changed, for every group",
        "outcomes": "what decisions follow from the data before and after",
        "drift": "whether the archive still follows the data that the repair was learnt from",
    }
    done = [what for part, what in measured.items() if parts[part] is not None]  # type: ignore[literal-required]
    return [*said, f"Measured were: {'; '.join(done)}."]


def _data(parts: Parts) -> list[str]:
    plan = parts["plan"]
    said = [
        f"The repair was learnt from {plan['research_rows']:,} research rows that hold the "
        f"protected attribute, and applied to {parts['rows']:,} rows of the archive.",
        f"Groups: {', '.join(plan['groups'])}. Strata: {', '.join(plan['strata'])}.",
    ]
    few = [f"{c['group']} in {c['stratum']}" for c in plan["research"] if c["rows"] is None]
    if few:
        said.append(f"Too few research rows to be counted here: {'; '.join(few)}.")
    if parts["leak"] is not None:
        said.append(f"Adversaries were tested on {parts['leak']['rows_used']:,} rows.")
    if parts["drift"] is not None:
        said.append(str(parts["drift"]["words"]))
    return said


def _found(parts: Parts, summary: Summary) -> list[str]:
    said = [f"{one['question']} {one['answer']}" for one in summary["findings"]]
    if parts["dependence"] is not None:
        part = parts["dependence"]
        said.append(f"E up to {part['tolerance']:g} nats is tolerated: {part['reason']}.")
    return [f"Overall: {summary['verdict']}.", *said]


def _done(parts: Parts) -> list[str]:
    plan = parts["plan"]
    amount = plan["options"].get("amount", 1.0)
    repaired = "in full" if amount == 1 else f"by the amount {amount:g}"
    return [
        f"The features were repaired {repaired} by optimal transport: within each stratum, every "
        "group's values were moved towards one common distribution.",
        *(
            f"{one['name']}: repaired as {one['kind']} ({one['reason']})."
            for one in plan["features"]
        ),
        f"The plan has sha256 {plan['sha256']} and was made by {plan['creator']}.",
    ]


def _remains(parts: Parts, summary: Summary) -> list[str]:
    open_ = [
        f"{row['feature']}: {row['verdict']}"
        for row in whole(parts)
        if row["verdict"] not in (None, "within tolerance")
    ]
    said = [f"Features that are not within tolerance: {'; '.join(open_)}."] if open_ else []
    told = [
        one["question"] + " " + one["verdict"].capitalize() + "."
        for one in summary["findings"][1:]
        if one["verdict"] not in (None, "within tolerance")
    ]
    return [*said, *told, *limits_of(parts)]
