"""The leak that a joint plan will leave, beside that of features repaired each by itself."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import FairmendError
from fairmend.foresight.outlook import Expected
from fairmend.measures.arrays import Floats
from fairmend.measures.inference.tables import NORMAL
from fairmend.measures.leak.parts import NORMAL_95
from fairmend.plan.options import Options
from fairmend.research.algorithm import Prepared
from fairmend.research.joint.choose import found_in_halves
from fairmend.research.joint.rows import Rows
from fairmend.research.joint.trial import Trial, auc_of, random_numbers

SHARES = (0.5, 0.25, 0.125)
"""Of the rows: plans are designed from these, and tried on the others."""

REPEATS = 2

MOST_ROWS = 20_000

AUDITED = 30_000
"""Rows that an audit's adversary learns from at most."""

PRIOR = np.array([0.0, 0.1, -0.05]), np.array([1.0, 0.05, 0.08])
"""Of level and slopes, mean and deviation: what more rows of the archive, and of the research data,
do to Φ⁻¹(AUC) on Adult. So few trials would say little of that by themselves."""

SCATTER = 0.05
"""By how much Φ⁻¹(AUC) differs from plan to plan, beside what so few rows say of it."""

MOST_TIMES = 1_000.0


class Sequential(NamedTuple):
    """What to expect of an adversary who sees all features.

    Attributes
    ----------
    joint, alone : Expected
        AUC after a joint repair, and after one of each feature by itself.
    adversary_rows : int
        Rows of the archive that it learns from.
    supported : bool or None
        Whether the design will choose the joint repair; None where there are too few rows to say.
    rows_to_tolerance : int or None
        Research rows at which the joint repair is expected to leave the tolerated AUC; None where
        that is so already, or not below a thousand times as many.
    smallest : int
        Research rows of the smallest group in a stratum.
    """

    joint: Expected
    alone: Expected
    adversary_rows: int
    supported: bool | None
    rows_to_tolerance: int | None
    smallest: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain types that JSON has."""
        ends = {"joint": self.joint._asdict(), "alone": self.alone._asdict()}
        return self._asdict() | ends


class Tried(NamedTuple):
    """One adversary: rows of the plan, rows to learn from, Φ⁻¹(AUC) and its standard error."""

    plan_rows: int
    rows: int
    z: float
    error: float


def outlook_of(
    research: Any,
    ready: Prepared,
    options: Options,
    weight: str | None,
    archive_rows: int,
    tolerance: float,
) -> Sequential | str:
    """Try plans from parts of the rows on the others, and read off what all rows will leave.

    A plan leaks by what it errs, which an adversary finds the better the more rows of the archive
    it learns from. So plans are designed from a half, a quarter and an eighth of the rows, and
    adversaries learn from all others and from half of them. Φ⁻¹(AUC) is taken to be straight in
    the logarithms of both numbers of rows.

    Returns
    -------
    Sequential or str
        The reason, where it cannot be told.
    """
    if len(ready.columns) < 2:
        return "there is one feature only"
    trial = Trial.of(research, ready, options, weight)
    try:
        held_out = found_in_halves(trial)
        tried = list(_tried(trial))
    except FairmendError as error:
        return f"plans from a part of the rows are not possible ({error})"
    if len(tried) < 2:
        return "the research data is too small for plans from a part of it"
    n, m = len(trial.rows), min(archive_rows, AUDITED)
    alone, joint = (_Fit.of([one[side] for one in tried]) for side in (0, 1))
    return Sequential(
        joint.expected(n, m),
        alone.expected(n, m),
        m,
        None if held_out is None else held_out.supports_joint,
        joint.rows_to(tolerance, n, m),
        int(trial.rows.totals(len(ready.strata), len(ready.groups)).min()),
    )


def _tried(trial: Trial) -> Iterator[tuple[Tried, Tried]]:
    """Design plans of several sizes, and give an adversary rows to learn from."""
    for run in range(REPEATS):
        order = np.argsort(random_numbers(len(trial.rows), run), kind="stable")[:MOST_ROWS]
        for share in SHARES:
            k = round(share * order.size)
            plans = trial.plans(trial.rows.only(order[:k]))
            if plans is None:
                continue
            for test in (order[k:], order[k:][::2]):
                yield from _told(trial, plans, trial.rows.only(test), k)


def _told(trial: Trial, plans: Any, test: Rows, k: int) -> Iterator[tuple[Tried, Tried]]:
    parts = trial.parts(test)
    if not parts:
        return
    found = []
    for plan in plans:
        auc, error = auc_of(plan, test, parts)
        z = NORMAL.inv_cdf(min(max(auc, 0.01), 0.999))
        found.append(Tried(k, len(test), z, error / NORMAL.pdf(z)))
    yield found[0], found[1]


class _Fit(NamedTuple):
    """A plane through the trials: level and slopes, and how sure they are."""

    at: Floats
    covariance: NDArray[np.float64]

    @classmethod
    def of(cls, tried: list[Tried]) -> "_Fit":
        """Fit it by least squares, with slopes drawn towards those of the prior."""
        mean, deviation = PRIOR
        x = np.array([_row(one.plan_rows, one.rows) for one in tried])
        z = np.array([one.z for one in tried])
        weight = 1.0 / (np.array([one.error for one in tried]) ** 2 + SCATTER**2)
        precision = (x.T * weight) @ x + np.diag(deviation**-2.0)
        covariance = np.linalg.inv(precision)
        at = covariance @ ((x.T * weight) @ z + mean / deviation**2)
        return cls(at, covariance)

    def z(self, plan_rows: float, rows: float) -> float:
        """Expect Φ⁻¹(AUC); an adversary is never worse than a guess for long."""
        return float(_row(plan_rows, rows) @ self.at)

    def expected(self, plan_rows: float, rows: float) -> Expected:
        """Expect the AUC with its 95 % interval."""
        x = _row(plan_rows, rows)
        z = self.z(plan_rows, rows)
        half = NORMAL_95 * float(np.sqrt(x @ self.covariance @ x + SCATTER**2))
        value, low, high = (NORMAL.cdf(max(one, 0.0)) for one in (z, z - half, z + half))
        return Expected(value, low, high)

    def rows_to(self, tolerance: float, n: int, rows: int) -> int | None:
        """Find the research rows at which the expected AUC falls to the tolerance."""
        limit = NORMAL.inv_cdf(tolerance)
        slope = float(self.at[2] - self.at[1])
        now = self.z(n, rows)
        if now <= limit or slope >= 0.0:
            return None
        times = float(np.exp((limit - now) / slope))
        return None if times > MOST_TIMES else int(float(f"{times * n:.2g}"))


def _row(plan_rows: float, rows: float) -> Floats:
    return np.array([1.0, np.log(rows / plan_rows), np.log(plan_rows / 1_000.0)])
