"""The first screen: what was found, in plain words, and a verdict on all of it."""

from fairmend.auditing.figures import ALONE, COLUMNS, FEATURES, damage_rows, leak_row, most, whole
from fairmend.report.content import (
    CombinationsPart,
    DamageRow,
    DependenceRow,
    Estimate,
    Finding,
    LeakRow,
    Parts,
    Summary,
    Words,
)
from fairmend.report.page.wording import amount

ABOVE: Words = "above tolerance"
UNSURE: Words = "insufficient evidence"
WITHIN: Words = "within tolerance"

MOST_TOLD = 3
"""Features that the first screen has numbers of; the tables have all."""

CERTAIN = 0.99
"""AUC from which an adversary is hardly ever wrong."""

HEADLINES = {
    WITHIN: "Within tolerance: what is left of the dependence on {protected} is below the limits "
    "that were stated.",
    ABOVE: "Above tolerance: {protected} still shows, by more than the limits that were stated.",
    UNSURE: "Insufficient evidence: these rows do not tell whether what is left of the dependence "
    "on {protected} is within the limits that were stated.",
}

UNTESTED = (
    "Insufficient evidence: no adversary was tested, so whether {protected} can still be told is "
    "not known."
)


def summary_of(parts: Parts) -> Summary:
    """Say what an audit found."""
    verdict = overall(parts)
    protected = listed(parts["plan"]["protected"])
    untested = verdict == UNSURE and parts["leak"] is None
    headline = UNTESTED if untested else HEADLINES[verdict]
    sentences = [headline.format(protected=protected)]
    sentences += [one for one in _alarms(parts, protected) if one]
    return {"verdict": verdict, "sentences": sentences, "findings": _findings(parts, protected)}


def overall(parts: Parts) -> Words:
    """Work the verdict out: the worst of dependence and leak.

    A feature counts as a whole and, where a stratum or a pair of groups is above the tolerance,
    by that. Both adversaries that see several columns count. Without a leak test there is no
    evidence that the groups cannot be told. Damage, drift and outcomes have verdicts or rules of
    their own and do not enter.
    """
    rows = parts["dependence"]["rows"] if parts["dependence"] is not None else []
    joint = [leak_row(parts, sees) for sees in (FEATURES, COLUMNS)]
    found = [row["verdict"] for row in whole(parts)]
    found += [UNSURE if row is None or row["verdict"] is None else row["verdict"] for row in joint]
    if ABOVE in found or any(row["verdict"] == ABOVE for row in rows):
        return ABOVE
    return WITHIN if all(one == WITHIN for one in found) else UNSURE


def _alarms(parts: Parts, protected: str) -> list[str | None]:
    """List what a reader must not miss."""
    rose = [
        row["feature"] for row in whole(parts) if _moved(row["e"]["before"], row["e"]["after"]) > 0
    ]
    features = leak_row(parts, FEATURES)
    handed = [name for name in parts["plan"]["protected"] if _is_handed_on(parts, name)]
    return [
        _of_dependence(whole(parts)),
        f"The repair made it worse: in {listed(rose)} the groups are further apart than before."
        if rose
        else None,
        _of_leak(features, protected),
        _of_columns(parts, protected),
        f"The repaired archive still holds {listed(handed)}: whoever gets it has the protected "
        "attribute itself."
        if handed
        else None,
        _of_damage(parts),
        _of_drift(parts),
    ]


def _findings(parts: Parts, protected: str) -> list[Finding]:
    rows = whole(parts)
    features, columns = (leak_row(parts, sees) for sees in (FEATURES, COLUMNS))
    found: list[Finding] = [
        {
            "question": f"Do single features still depend on {protected}?",
            "answer": _of_features(rows) or "Not measured.",
            "verdict": _worst([row["verdict"] for row in rows]),
        },
        {
            "question": f"Can anybody still tell {protected} from the repaired features?",
            "answer": _of_leak(features, protected, leak_row(parts, ALONE)) or "Not tested.",
            "verdict": None if features is None else features["verdict"],
        },
        {
            "question": f"Can anybody tell {protected} from all columns that are handed on?",
            "answer": _of_columns(parts, protected) or "Not tested.",
            "verdict": None if columns is None else columns["verdict"],
        },
        {
            "question": "What did the repair cost?",
            "answer": _of_damage(parts) or "Not measured.",
            "verdict": None,
        },
        {
            "question": "Does the archive look like the research data?",
            "answer": _of_drift(parts) or "Not measured.",
            "verdict": None if parts["drift"] is None else parts["drift"]["verdict"],
        },
    ]
    if parts["combinations"] is not None:
        found.append(_of_combinations(parts["combinations"]))
    if parts["missing"]:
        found.append(_of_missing(parts))
    if parts["outcomes"] is not None:
        found.append(
            {
                "question": "What do decisions make of it?",
                "answer": _of_outcomes(parts),
                "verdict": None,
            }
        )
    return found


def _of_dependence(rows: list[DependenceRow]) -> str | None:
    """Sum up by how much E fell."""
    sides = [(row["e"]["before"], row["e"]["after"]) for row in rows]
    ends = [(b["value"], a["value"]) for b, a in sides if b is not None and a is not None]
    known = [(b, a) for b, a in ends if b is not None and a is not None]
    if not known:
        return None
    before, after = (sum(one) / len(known) for one in zip(*known, strict=True))
    features = "the feature" if len(known) == 1 else f"{len(known)} features on average"
    if after == before:
        return f"The dependence (E, in nats) of {features} is {after:.3g}, as before."
    word = "fell" if after < before else "rose"
    return f"The dependence (E, in nats) of {features} {word} from {before:.3g} to {after:.3g}."


def _of_features(rows: list[DependenceRow]) -> str:
    """Count the features within the tolerance, and say more of those that are not."""
    if len(rows) < 2:
        return " ".join(_of_feature(row) for row in rows)
    within = sum(row["verdict"] == WITHIN for row in rows)
    others = sorted((row for row in rows if row["verdict"] != WITHIN), key=_left, reverse=True)
    told = others[:MOST_TOLD] or [max(rows, key=_left)]
    said = [f"{within} of {len(rows)} features are within the tolerance."]
    said += [_of_feature(row) for row in told]
    if len(others) > len(told):
        said.append(
            f"Not within it either: {listed([row['feature'] for row in others[len(told) :]])}."
        )
    return " ".join(said)


def _left(row: DependenceRow) -> float:
    after = row["e"]["after"]
    return (after["value"] or 0.0) if after is not None else 0.0


def _of_feature(row: DependenceRow) -> str:
    before, after = row["e"]["before"], row["e"]["after"]
    if before is None or after is None or after["value"] is None:
        return f"{row['feature']}: not measured."
    shown = "detectable" if row["detectable"] else "not detectable"
    left = " to ".join(_nats(after[end]) for end in ("low", "high"))
    said = (
        f"{row['feature']}: E {_nats(before['value'])} before, {_nats(after['value'])} ({left}) "
        f"after; what is left is {shown}"
    )
    if row["verdict"] == UNSURE and row["rows_to_decide"] is not None:
        said += f", and about {row['rows_to_decide']:,} rows would decide"
    elif row["verdict"] == UNSURE:
        said += ", and so near the tolerance that more rows would hardly decide"
    return said + "."


def _nats(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3g}"


def _of_leak(row: LeakRow | None, protected: str, alone: LeakRow | None = None) -> str | None:
    if row is None or row["after"] is None or row["after"]["value"] is None:
        return None
    after, before = row["after"], row["before"]
    said = f"An adversary that sees the repaired features together tells {protected} with AUC "
    said += f"{after['value']:.2f}"
    if before is not None:
        said += f" ({before['value']:.2f} before the repair; 0.5 is a guess)"
    if after["value"] is not None and after["value"] >= CERTAIN:
        said += ": almost everybody's group can be read off"
    said += _there(row)
    if _moved(before, after) > 0:
        return said + ". The repair itself gives the groups away; do not hand this on."
    if alone is not None and alone["after"] is not None and alone["after"]["value"] is not None:
        said += f". Each feature repaired by itself would have left {alone['after']['value']:.2f}"
    return said + "."


def _there(row: LeakRow) -> str:
    """Name the stratum or group that is told, where the average does not say it."""
    if row["told_place"] is None or row["told_auc"] is None:
        return ""
    return f", and AUC {row['told_auc']:.2f} {row['told_place']}"


def _of_columns(parts: Parts, protected: str) -> str | None:
    row = leak_row(parts, COLUMNS)
    if row is None or parts["leak"] is None or row["after"] is None:
        return None
    if row["after"]["value"] is None:
        return None
    said = f"One that sees all columns that are handed on reaches AUC {row['after']['value']:.2f}"
    said += _there(row)
    telling = [
        one["name"]
        for one in parts["leak"]["rows"]
        if one["sees"] == "column" and not one["is_feature"] and one["verdict"] == ABOVE
    ]
    if telling:
        said += f"; untouched columns that give {protected} away by themselves: "
        said += listed(telling[:5])
    return said + "."


def _of_damage(parts: Parts) -> str | None:
    rows = damage_rows(parts)
    changed = most(row["share_changed"] for row in rows)
    if changed is None:
        return None
    said = f"At most {changed:.0%} of the rows of a feature changed"
    worst = max(rows, key=lambda row: row["rmse_deviations"] or 0.0)
    if worst["rmse_deviations"]:
        said += (
            f"; the largest change is that of {worst['feature']}: {_size(worst)} (RMSE), "
            f"{worst['rmse_deviations']:.2g} of its standard deviations"
        )
    return said + "." + _burdened(parts, worst)


def _burdened(parts: Parts, worst: DamageRow) -> str:
    """Name the group that a repair changes more than another, where it is twice as much."""
    groups = [
        row
        for row in damage_rows(parts, by_group=True)
        if row["feature"] == worst["feature"] and row["rmse"] is not None
    ]
    if len(groups) < 2:
        return ""
    groups.sort(key=lambda row: row["rmse"] or 0.0)
    low, high = groups[0]["rmse"] or 0.0, groups[-1]["rmse"] or 0.0
    if high < 1.5 * low or not high:
        return ""
    return (
        f" It falls on {groups[-1]['group']} more than on others: {_size(groups[-1])} there, "
        f"{_size(groups[0])} for {groups[0]['group']}."
    )


def _size(row: DamageRow) -> str:
    return amount(row["rmse"], row["unit"])


def _of_drift(parts: Parts) -> str | None:
    return None if parts["drift"] is None else str(parts["drift"]["words"])


def _of_combinations(part: CombinationsPart) -> Finding:
    said = []
    if part["unseen"]:
        worst = part["unseen"][0]
        said.append(
            f"A pair of values that no research row has: up to {_percent(worst['after'])} of the "
            f"rows after ({worst['first']} and {worst['second']}; {_percent(worst['before'])} "
            f"before)."
        )
    if part["forbidden"] is not None:
        ends = (_percent(part["forbidden"][when]) for when in ("before", "after"))
        said.append("A combination that the plan forbids: {} before, {} after.".format(*ends))
    question = "Are there combinations of values that nobody should have?"
    return {"question": question, "answer": " ".join(said), "verdict": None}


def _of_missing(parts: Parts) -> Finding:
    rows = [row for row in parts["missing"] if row["stratum"] is None]
    said = [
        f"{row['feature']}: the groups' shares differ by {_percent(row['before'])} before and "
        f"{_percent(row['after'])} after."
        for row in rows
    ]
    question = "Do missing values tell the group?"
    return {"question": question, "answer": " ".join(said), "verdict": None}


def _of_outcomes(parts: Parts) -> str:
    found = parts["outcomes"]
    assert found is not None
    below = [
        (
            sum(
                1
                for row in found["rows"]
                if (value := row[when]) is not None and value < found["rule"]
            ),
            sum(1 for row in found["rows"] if row[when] is not None),
        )
        for when in ("before", "after")
    ]
    said = (
        f"By {found['decided_by']}: disparate impact is below {found['rule']:g} in {below[0][0]} "
        f"of {below[0][1]} comparisons before and {below[1][0]} of {below[1][1]} after."
    )
    if found["utility_before"] is not None and found["utility_after"] is not None:
        said += (
            f" Utility (AUC for {found['label']}) goes from {found['utility_before']:.3f} to "
            f"{found['utility_after']:.3f}."
        )
    return said


def _moved(before: Estimate | None, after: Estimate | None) -> int:
    """Tell whether an estimate has certainly risen (1) or fallen (−1): intervals do not overlap."""
    if before is None or after is None:
        return 0
    ends = before["low"], before["high"], after["low"], after["high"]
    low, high, new_low, new_high = (0.0 if end is None else end for end in ends)
    return 1 if new_low > high else -1 if new_high < low else 0


def _worst(found: "list[Words | None]") -> Words | None:
    return next((one for one in (ABOVE, UNSURE, WITHIN) if one in found), None)


def _is_handed_on(parts: Parts, name: str) -> bool:
    return parts["leak"] is not None and name in parts["leak"]["unseen"]


def _percent(share: float | None) -> str:
    return "a few rows" if share is None else f"{share:.1%}"


def listed(names: "list[str]") -> str:
    """Write names as a sentence has them.

    Examples
    --------
    >>> listed(["age"]), listed(["age", "hours", "pay"])
    ('age', 'age, hours and pay')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
