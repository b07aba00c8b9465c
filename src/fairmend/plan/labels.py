"""Groups of rows whose own was never recorded: the likeliest, or one drawn from a posterior."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import ColumnError, LabelError, UnseenError
from fairmend.frames.codec import Codec
from fairmend.frames.columns import Columns
from fairmend.frames.levels import UNSEEN, Codes, Encoded, Factor, canonical
from fairmend.kernel.draws import HALF, Bits, mix, stream
from fairmend.plan.options import Policies, one_of
from fairmend.transport.support import Floats

if TYPE_CHECKING:
    from fairmend.plan.plan import Plan

Draw = Literal["map", "sample", "expected"]

ONE = 2.0**32
"""A probability of 1 in the whole numbers that a draw is compared with: the same on any machine."""


class Labels(Protocol):
    """What knows how likely each group is for a row, such as a fitted :class:`LabelModel`."""

    @property
    def groups(self) -> Factor:
        """The groups, in the order of the posterior."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the archive that it reads."""

    @property
    def codecs(self) -> dict[str, Codec]:
        """How those are written as numbers that are no role."""

    def posterior(self, frame: Columns) -> Floats:
        """Give each row's probabilities of the groups, of shape (n, groups): a function of it."""


@dataclass(frozen=True)
class Told:
    """The groups of an archive's rows, recorded or estimated.

    Attributes
    ----------
    group : ndarray of shape (n,)
        What each row is repaired as; UNSEEN for a recorded group that research did not show.
    sampled : ndarray of shape (n,)
        The same, with estimated groups drawn from the posterior.
    unknown : ndarray of shape (n,)
        The rows whose group is estimated.
    weights : ndarray of shape (groups, n)
        Their posterior, in the plan's order of groups; of other rows it is not used.
    draw : {"map", "sample", "expected"}
        How they are repaired.
    """

    group: Codes
    sampled: Codes
    unknown: NDArray[np.bool_]
    weights: Floats
    draw: Draw


def told_groups(
    plan: "Plan",
    frame: Columns,
    labels: Labels,
    draw: Draw,
    keys: Bits,
    seed: int,
    policies: Policies,
) -> Told:
    """Find each row's group: its own where it is recorded, else one that its posterior gives.

    Parameters
    ----------
    plan : Plan
        Whose groups are wanted.
    frame : Frame
        The archive; the protected columns may be absent, or have gaps.
    labels : Labels
        Gives the posterior.
    draw : {"map", "sample", "expected"}
        The likeliest group, or one drawn. A draw depends on the row's key and the seed, and is the
        same for all features. ``"expected"`` draws too: for what has no mean.
    keys : ndarray of shape (n,)
        ``mix(row key)``.
    seed : int
        Address of the draw.
    policies : Policies
        For groups that are recorded and that research did not show.
    """
    one_of("draw", draw, get_args(Draw))
    order = _order(plan, labels)
    frame.require(labels.columns, "labels")
    group, unknown, possible = _recorded(plan, frame, policies)
    weights = np.ones((len(plan.groups), len(frame)))
    rows = np.flatnonzero(unknown)
    if rows.size:
        asked = frame if rows.size == len(frame) else frame.rows(rows)
        weights[:, rows] = _normalised(labels.posterior(asked).T[order], possible[:, rows])
    share = np.rint(weights * ONE)
    bits = (mix(keys ^ stream(seed, "", "label")) >> HALF).astype(np.float64)
    upto = np.zeros(len(frame))
    drawn = np.zeros(len(frame), dtype=np.int64)
    for one in share[:-1]:
        upto = upto + one
        drawn += bits >= upto
    sampled = np.where(unknown, _last_possible(drawn, share), group)
    likeliest = np.where(unknown, np.argmax(share, axis=0), group)
    return Told(likeliest if draw == "map" else sampled, sampled, unknown, weights, draw)


def with_labels(plan: "Plan", native: Any, told: Told | None, name: str | None) -> Any:
    """Add a column of text, if one is named: the group that each row was repaired as."""
    if name is None or told is None:
        return native
    import narwhals as nw

    frame = nw.from_native(native, eager_only=True)
    if name in frame.columns:
        raise ColumnError.taken(name)
    if told.draw == "expected":
        raise LabelError.no_one_group()
    names = [", ".join(map(canonical, levels)) for levels in plan.groups.combinations]
    written = np.array([*names, ""])[told.group]  # the last is for groups research did not show
    series = nw.new_series(name, written, backend=frame.implementation)
    return frame.with_columns(series).to_native()


def planned_groups(plan: "Plan", frame: Columns, policies: Policies) -> Codes:
    """Give each row its recorded group, or any group where it has none and is estimated."""
    group, unknown, _ = _recorded(plan, frame, policies)
    return np.where(unknown, 0, group)


def _recorded(
    plan: "Plan", frame: Columns, policies: Policies
) -> tuple[Codes, NDArray[np.bool_], NDArray[np.bool_]]:
    """Find each row's group, the rows without one, and the groups that are possible for them."""
    recorded = {name: frame.encoded(name) for name in plan.protected if name in frame.columns}
    unknown, possible = _unknown(plan.groups, recorded, len(frame))
    group = np.full(len(frame), UNSEEN, dtype=np.int64)
    if not unknown.all():
        encoded = list(recorded.values())
        group = plan.groups.encode(encoded, len(frame))
        strange = (group == UNSEEN) & ~unknown
        if policies.unseen == "raise" and strange.any():
            counts = plan.groups.unseen_counts(encoded, strange)
            raise UnseenError.levels(counts, plan.protected, plan.groups.combinations)
    return group, unknown, possible


def _order(plan: "Plan", labels: Labels) -> Codes:
    """Find the plan's groups among those of the labels, which may be in another order."""
    known = {tuple(map(canonical, levels)) for levels in labels.groups.combinations}
    wanted = {tuple(map(canonical, levels)) for levels in plan.groups.combinations}
    if labels.groups.columns != plan.protected or known != wanted:
        raise LabelError.other_groups(
            labels.groups.columns,
            labels.groups.combinations,
            plan.protected,
            plan.groups.combinations,
        )
    return plan.groups.places_in(labels.groups)


def _unknown(
    groups: Factor, recorded: dict[str, Encoded], n: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Mark the rows without a group, and the groups that the recorded part of each allows."""
    possible = np.ones((len(groups), n), dtype=bool)
    unknown = np.full(n, len(recorded) < len(groups.columns))
    for name, one in recorded.items():
        missing = np.array([value is None for value in one.values], dtype=bool)
        unknown = unknown | missing[one.codes]
        at = groups.columns.index(name)
        names = [canonical(levels[at]) for levels in groups.combinations]
        fits = np.array([_fits(names, value) for value in one.values], dtype=bool)
        possible &= fits.reshape(len(one.values), len(groups))[one.codes].T
    return unknown, possible


def _fits(names: Sequence[str], value: object) -> list[bool]:
    known = None if value is None else canonical(value)  # type: ignore[arg-type]
    return [known is None or known == name for name in names]


def _normalised(posterior: Floats, possible: NDArray[np.bool_]) -> Floats:
    """Leave out what the recorded part of a row rules out; a row that rules out all keeps all."""
    some = posterior * possible
    total = np.zeros(posterior.shape[1])
    for one in some:
        total = total + one
    some = np.where(total > 0, some, posterior)
    total = np.where(total > 0, total, 1.0)
    shares: Floats = some / total
    return shares


def _last_possible(drawn: Codes, share: Floats) -> Codes:
    """Let a draw that rounding sent to a group without probability go to the likeliest."""
    there = np.take_along_axis(share, drawn[None], axis=0)[0] > 0
    found: Codes = np.where(there, drawn, np.argmax(share, axis=0))
    return found
