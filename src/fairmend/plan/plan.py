"""The plan, and how it repairs a table."""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fairmend._version import __version__
from fairmend.errors import RowKeyError
from fairmend.frames.arrow import frame_of
from fairmend.frames.codec import Codec
from fairmend.frames.keys import row_keys
from fairmend.frames.levels import Factor
from fairmend.frames.sharing import Sharing
from fairmend.kernel.draws import checked_seed, mix
from fairmend.plan.apply import cells_of, refuse_unseen_categories, repair_arrays
from fairmend.plan.feature import Feature
from fairmend.plan.labels import told_groups, with_labels
from fairmend.plan.options import Options, OutOfRange, Policies, Unseen, number_in
from fairmend.plan.refined import HeldOut
from fairmend.plan.sequence import Step, steps_of
from fairmend.plan.summary import add_counts

if TYPE_CHECKING:
    from fairmend.measures.drift.glimpse import Glimpse
    from fairmend.measures.drift.monitor import Monitor
    from fairmend.plan.labels import Draw, Labels
    from fairmend.plan.tradeoff import TradeOff


@dataclass(frozen=True, eq=False)
class Plan:
    """Transport of every feature in every stratum and group, designed once and applied for ever.

    Made by :func:`fairmend.design`. It holds supports, marginals, targets and counts, no research
    row and no seed.

    Attributes
    ----------
    groups : Factor
        The protected columns and the groups in them.
    strata : Factor
        The unprotected columns and the strata in them.
    features : tuple of Feature
        The repaired columns.
    options : Options
        How it was designed.
    creator : str
        Name and version of the program that designed it.
    held_out : HeldOut, optional
        Where a joint plan was asked for: what was found of S in held-out research rows, by which
        it was decided whether features are repaired jointly.
    """

    groups: Factor
    strata: Factor
    features: tuple[Feature, ...]
    options: Options = field(default_factory=Options)
    creator: str = f"fairmend {__version__}"
    held_out: HeldOut | None = None

    def __repr__(self) -> str:
        """Say what the plan is for; its arrays would fill screens."""
        features = ", ".join(f"{feature.name} ({feature.kind})" for feature in self.features)
        return (
            f"<fairmend.Plan: {features}; {len(self.groups)} groups of {list(self.protected)} in "
            f"{len(self.strata)} strata of {list(self.unprotected)}>"
        )

    def __eq__(self, other: object) -> bool:
        """Compare what the plan files hold; their arrays have no one answer."""
        return self.sha256 == other.sha256 if isinstance(other, Plan) else NotImplemented

    def __hash__(self) -> int:
        """Let equal plans be one key."""
        return hash(self.sha256)

    @cached_property
    def sha256(self) -> str:
        """Hash of all that the plan file holds, as written there, in reports and by ``inspect``."""
        from fairmend.plan.storage import to_content

        return str(to_content(self)["sha256"])

    @property
    def protected(self) -> tuple[str, ...]:
        """Names of the protected columns."""
        return self.groups.columns

    @property
    def unprotected(self) -> tuple[str, ...]:
        """Names of the unprotected columns."""
        return self.strata.columns

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the repaired columns."""
        return tuple(feature.name for feature in self.features)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The features compiled for repair, each after those that its trees ask of."""
        return steps_of(self.features, self.options.constraints)

    @property
    def is_joint(self) -> bool:
        """Whether features are repaired with regard to those repaired before."""
        return any(feature.refined is not None for feature in self.features)

    def without_joint(self) -> Self:
        """Return the plan that repairs each feature by itself, which a joint plan holds too.

        To be compared with: it knows nothing of constraints either.
        """
        options = replace(self.options, joint=None, constraints=())
        features = tuple(replace(one, refined=None) for one in self.features)
        return replace(self, features=features, options=options, held_out=None)

    @property
    def codecs(self) -> dict[str, Codec]:
        """How each repaired column is written as numbers."""
        return {feature.name: feature.codec for feature in self.features}

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the plan as canonical JSON; an existing file is kept unless ``force``."""
        from fairmend.plan.storage import save_plan

        save_plan(self, Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a plan, refusing a damaged file or one of another version."""
        from fairmend.plan.storage import load_plan

        return load_plan(cls, Path(path))

    def with_amount(self, amount: float) -> Self:
        """Return the same plan that repairs only in part: 0 changes nothing, 1 is the full repair.

        Purely continuous features go part of the way to their target. All others, which hold atoms,
        are moved for part of the rows: on the way, each group's atoms would lie at places of their
        own. The rows moved at a smaller amount are among those moved at a larger one.
        """
        number_in("amount", amount, 0.0, 1.0)
        return replace(self, options=replace(self.options, amount=amount))

    def tradeoff(self, amounts: Sequence[float] | None = None) -> "list[TradeOff]":
        """Compute dependence against damage over the amount of repair, on the plan's own laws.

        See Also
        --------
        for_damage : Choose the amount by a budget.
        """
        from fairmend.plan.tradeoff import tradeoff

        return tradeoff(self, np.linspace(0, 1, 21) if amounts is None else amounts)

    def for_damage(self, budget: float) -> Self:
        """Return the plan with the largest amount whose damage stays within a budget.

        Parameters
        ----------
        budget : float
            Mean over features of the root mean squared change, in standard deviations of the
            feature; for categories the share of rows changed.
        """
        from fairmend.plan.tradeoff import amount_for_damage

        return self.with_amount(amount_for_damage(self, budget))

    @property
    def is_blind(self) -> bool:
        """Whether all groups share one map, so that a repair reads no protected column."""
        return self.options.blind is not None

    def blind(self, budget: float) -> Self:
        """Return a plan that needs no group at run time, neither recorded nor estimated.

        In every cell one randomised map is the same for everybody. It is the map that leaves the
        least dependence, in the mixture of groups that the research data showed, for a budget of
        damage. It costs more than a repair that knows the groups. Missing values stay missing.

        Parameters
        ----------
        budget : float
            Largest root mean squared change of each feature, in its standard deviations; for
            categories the largest share of rows changed.

        Examples
        --------
        >>> import fairmend
        >>> people = fairmend.datasets.simulate(3_000, rng=1)
        >>> plan = fairmend.design(people, protected="s", features="x1", unprotected="u")
        >>> for budget in (0.0, 0.3, 0.6):
        ...     print(f"{plan.blind(budget).tradeoff([1.0])[0].dependence:.2f}")
        0.52
        0.39
        0.19

        The archive needs no protected column:

        >>> repaired = plan.blind(0.5).repair(people.drop(["s"]), seed=7)
        """
        from fairmend.plan.blind import blind_plan

        return blind_plan(self, budget)

    def repair(
        self,
        archive: Any,
        *,
        seed: int | None = None,
        key: str | Sequence[str] | None = None,
        first_row: int | None = None,
        unseen: Unseen | None = None,
        out_of_range: OutOfRange | None = None,
        drop_protected: bool = False,
        summary: MutableMapping[str, Any] | None = None,
        sharing: Sharing | None = None,
        glimpse: "Glimpse | None" = None,
        labels: "Labels | None" = None,
        draw: "Draw" = "sample",
        write_labels: str | None = None,
    ) -> Any:
        """Repair the features of a table (Algorithm 2).

        A row's result depends on its values, its key and the seed, not on the other rows.

        Parameters
        ----------
        archive : pandas, polars or pyarrow table
            With the plan's features, protected and unprotected columns. Not modified.
        seed : int, optional
            For tests and re-runs. By default 64 fresh secret bits, handed back in ``summary``.
            **Keep it secret or throw it away**: who has plan, seed, row number and repaired value
            can compute back the protected attribute.
        key : str or list of str, optional
            Columns that tell rows apart (integers or strings); each row's draws follow from them,
            so that rows may come in any order and any batch. By default the row's number.
        first_row : int, optional
            Number of the table's first row where the table is a batch of a longer source.
        unseen : {"raise", "keep", "pool"}, optional
            What to do with rows whose group or stratum, or values whose category, research did not
            show: stop, leave them, or repair them as anybody of their stratum. Default: the plan's.
        out_of_range : {"clip", "keep", "raise"}, optional
            What to do with values beyond the support. Default: the plan's policy.
        drop_protected : bool
            Leave the protected columns out of the result.
        summary : dict, optional
            Receives the counts of every policy and the seed; counts add up over several calls.
        sharing : Sharing, optional
            Receives the keys where the table is a batch of a longer source, so that they can be
            judged over all of it. By default, keys that many rows of the table share are refused.
        glimpse : Glimpse, optional
            Receives what a :class:`fairmend.Monitor` looks at, where the table is a batch of a
            longer source.
        labels : LabelModel, optional
            Estimates the group of rows where it was not recorded: the protected columns may be
            absent or have gaps. Recorded groups are used as they are, to the same bytes as in an
            archive without gaps. No estimate is written into the result, unless asked for.
        draw : {"sample", "map", "expected"}
            Repair such a row by a group drawn from its posterior; by the likeliest group; or by the
            posterior's mean of the groups' maps, where a feature has no atoms (others by a drawn
            group).
        write_labels : str, optional
            Name of a new column for the groups that rows were repaired as. **It is a guess about a
            person**, wrong for many, and as sensitive as the group itself.

        Returns
        -------
        table of the same type
            Same rows, order, index, columns and dtypes. Missing values stay missing, unless the
            plan treats missing as a state.

        Examples
        --------
        >>> import fairmend
        >>> adult = fairmend.datasets.adult(complete=True)
        >>> research, archive = adult.slice(0, 5_000), adult.slice(5_000, 5)
        >>> plan = fairmend.design(research, protected="sex", unprotected="college",
        ...                        features=["age", "hours-per-week"])
        >>> plan.repair(archive, seed=7)["hours-per-week"].to_pylist()
        [40, 40, 40, 52, 40]

        A single row without a key would give everybody the same draw:

        >>> plan.repair(archive.slice(0, 1), seed=7)
        Traceback (most recent call last):
            ...
        fairmend.errors.RowKeyError: A one-row table was passed without key= or first_row=. ...
        """
        frame = frame_of(archive, "archive")
        default = self.options.policies
        policies = Policies(
            default.unseen if unseen is None else unseen,
            default.out_of_range if out_of_range is None else out_of_range,
        )
        if labels is None and not self.is_blind:
            frame.require(self.protected, "protected")
        frame.require(self.unprotected, "unprotected")
        frame.require(self.feature_names, "features")
        names = [key] if isinstance(key, str) else list(key or ())
        for name in names:
            if name in (*self.protected, *self.unprotected):
                raise RowKeyError.a_role(name)
        keys = mix(row_keys(frame, names, first_row, sharing))
        seed = checked_seed(seed)
        values = frame.finite_numbers(self.codecs)
        if policies.unseen == "raise":
            refuse_unseen_categories(self, frame, values)
        told = None
        if labels is not None and not self.is_blind:
            told = told_groups(self, frame, labels, draw, keys, seed, policies)
        cells = cells_of(self, frame, policies, None if told is None else told.group)
        if glimpse is not None:  # likeliest groups follow no research marginal, drawn ones do
            seen = cells if told is None else cells_of(self, frame, policies, told.sampled)
            glimpse.fill(values, seen)
        repaired, counts = repair_arrays(self, values, cells, keys, seed, policies, told)
        if summary is not None:
            add_counts(summary, len(frame), seed, counts)
        dropped = [name for name in self.protected if drop_protected and name in frame.columns]
        # Where nothing moves there is no one to hide, and each value stays as it was written.
        written = repaired if self.options.amount > 0.0 else {}
        result = frame.replaced(values, written, self.codecs, dropped)
        return with_labels(self, result, told, write_labels)

    def repair_stream(
        self,
        archive: Any,
        *,
        seed: int | None = None,
        key: str | Sequence[str] | None = None,
        first_row: int = 0,
        unseen: Unseen | None = None,
        out_of_range: OutOfRange | None = None,
        drop_protected: bool = False,
        summary: MutableMapping[str, Any] | None = None,
        workers: int | None = None,
        monitor: "Monitor | None" = None,
        labels: "Labels | None" = None,
        draw: "Draw" = "sample",
        write_labels: str | None = None,
    ) -> Any:
        """Repair a stream of tables as one table, lazily and in bounded memory.

        The result is that of :meth:`repair` on all rows together, whatever the cut: there is one
        seed for the whole stream, and row numbers go on from table to table.

        Parameters
        ----------
        archive : stream
            A Polars ``LazyFrame``; anything with ``__arrow_c_stream__`` (a pyarrow
            ``RecordBatchReader`` or table, a DuckDB relation, a Polars frame); or an iterable of
            pandas, polars or pyarrow tables, which must come in order unless there is a ``key``.
        seed, key, unseen, out_of_range, drop_protected, labels, draw, write_labels
            As in :meth:`repair`. Keys are judged over all tables: from 1,000 rows on before each
            result, and when the stream ends.
        first_row : int
            Number of the stream's first row.
        summary : dict, optional
            Receives the seed and the counts, each table's as its result is taken.
        workers : int, optional
            Threads that repair tables at the same time; about as many are read ahead. By default
            all cores, but one for an iterable, which then is read as its results are taken, in the
            same thread.
        monitor : Monitor, optional
            Watches the rows before their repair, in their order, as the results are taken, and
            looks a last time when the stream ends. Its ``alarm`` is None while all is well; who
            reads the results may stop at one. A lazy frame that is collected twice is watched
            twice.

        Returns
        -------
        LazyFrame, RecordBatchReader or iterator
            The like of what came: a lazy frame for a lazy frame, a reader for anything with
            ``__arrow_c_stream__``, and for an iterable an iterator of tables of the same type.
            Nothing is read before the result is.

        Examples
        --------
        >>> import fairmend
        >>> adult = fairmend.datasets.adult(complete=True)
        >>> plan = fairmend.design(adult.slice(0, 5_000), protected="sex", unprotected="college",
        ...                        features=["age", "hours-per-week"])
        >>> batches = (adult.slice(5_000 + at, 2) for at in range(0, 6, 2))
        >>> for repaired in plan.repair_stream(batches, seed=7):
        ...     print(repaired["hours-per-week"].to_pylist())
        [40, 40]
        [40, 52]
        [40, ...]

        A stream of another population sets off an alarm:

        >>> people = fairmend.datasets.simulate(9_000, rng=1)
        >>> plan = fairmend.design(people, protected="s", unprotected="u", features="x1")
        >>> others = people.to_pandas().assign(x1=lambda table: table.x1 + 0.5)
        >>> monitor = fairmend.Monitor(plan)
        >>> for repaired in plan.repair_stream(iter([others]), monitor=monitor):
        ...     print(monitor.alarm.words(plan))
        'x1' where u=... the archive lies higher: ... (distance ...; rows 0 to 4,096)
        """
        from fairmend.plan.stream import Stream, repair_stream

        options = {
            "key": key,
            "unseen": unseen,
            "out_of_range": out_of_range,
            "drop_protected": drop_protected,
            "labels": labels,
            "draw": draw,
            "write_labels": write_labels,
        }
        stream = Stream(self, first_row, seed, summary, options, monitor)
        return repair_stream(stream, archive, workers)
