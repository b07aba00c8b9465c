"""What an audit by estimated groups says in words, and what nobody can say."""

from collections.abc import Sequence

from fairmend.report.unlabelled import EstimatedFeature, EstimatedLeak, ModelPart

UNKNOWABLE = (
    "These figures are of estimated groups: each row counts for every group by its probability. "
    "They are right as far as the research data's relation between the groups and what the label "
    "model reads holds in the archive too.",
    "Nothing in an archive without groups can show whether it does, nor whether a single row's "
    "estimate is right. If it does not, posteriors, repair and audit are wrong together, and all "
    "look well. That is why there is no verdict.",
    "Intervals count what chance did to the research rows and to the archive's, and nothing else.",
    "To know more, learn the groups of a part of the archive, drawn at random, and audit that part "
    "with fairmend audit.",
)

LITTLE = 0.02
"""A model that tells less than this of what the strata leave open tells next to nothing."""


def said(
    model: ModelPart,
    features: Sequence[EstimatedFeature],
    leak: EstimatedLeak | None,
    rows: int,
    estimated: float,
) -> list[str]:
    """Say what was found."""
    told = max(model["told"], 0.0)
    sentences = [
        f"Of {rows:,} rows, {estimated:.0%} have no recorded group. It is estimated by a model "
        f"that tells {told:.0%} of what the strata leave open, on held-out research rows."
    ]
    if told < LITTLE:
        sentences.append(
            "The model tells next to nothing of the group, so what is said here of groups is "
            "hardly more than chance."
        )
    worst = max(features, key=lambda one: one["after"]["value"])
    sentences.append(
        f"By estimated groups, E of the worst feature after the repair, {worst['feature']!r}, is "
        f"{worst['after']['value']:.3f}; before it was {worst['before']['value']:.3f}."
    )
    if leak is not None:
        sentences.append(
            f"An adversary who sees all features together ranks such groups with an AUC of "
            f"{leak['after']['value']:.2f}; before it was {leak['before']['value']:.2f}."
        )
    return sentences
