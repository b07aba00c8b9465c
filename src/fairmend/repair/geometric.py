"""Gordaliza's repair of the sample itself: the baseline that a plan is compared with."""

from collections.abc import Mapping
from typing import Any, NoReturn

import narwhals as nw
import numpy as np

from fairmend.errors import CellError, DataError, NotOnSampleError, OptionError
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Codes, Factor
from fairmend.frames.roles import encoded_roles
from fairmend.frames.table import Frame
from fairmend.plan.options import number_in
from fairmend.repair.estimator import RepairEstimator
from fairmend.repair.roles import RESEARCH, Columns, refuse_two_roles
from fairmend.transport.geometric import geometric_repair
from fairmend.transport.support import Floats


class GeometricRepair(RepairEstimator):
    """Move the rows of two groups onto their barycentre, each point to its conditional mean.

    The on-sample repair of Gordaliza et al. (2019), within each stratum and feature. It is the
    baseline of the paper: it says nothing about any row but those that it is given, so there is
    ``fit_transform`` only. Use :class:`fairmend.DistributionalRepair` for new rows.

    Parameters
    ----------
    protected : str, int or list of these, optional
        S, as columns of X: names, or positions. Exactly two groups.
    unprotected : str, int or list of these, optional
        U, as columns of X. Features are repaired within each of its levels.
    features : list of str or int, optional
        Columns to repair. By default every column that has no role.
    t : float
        Where the target lies between the groups, in sorted order: from 0 (the first stays) to 1
        (the second stays).
    drop_protected : bool
        Leave the protected columns out of the output, since it feeds a model.

    Attributes
    ----------
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Their names, where X was a table.

    See Also
    --------
    fairmend.transport.geometric.geometric_repair : The two equations, for two samples.

    Notes
    -----
    **The shifts leak on discrete columns.** A point moves by a real number that depends on its
    group, so where many rows share a value (whole hours, ages, a heap at 0) each group's rows end
    at places of their own, and S can be read off the repaired column. Repair such columns with
    :class:`fairmend.DistributionalRepair`, whose supports hold the atoms.

    Integer features come out as floats, because the maps lead between the integers; other columns
    keep their types. Missing values are left out of the coupling and stay missing. A group without
    a value in some stratum and feature has no partner there, which is an error.

    Examples
    --------
    >>> import fairmend
    >>> import pyarrow as pa
    >>> rows = pa.table({"s": ["a", "b", "a", "b", "b"], "hours": [10, 40, 20, None, 30]})
    >>> fairmend.GeometricRepair("s").fit_transform(rows)["hours"].to_pylist()
    [20.0, 30.0, 30.0, None, 20.0]

    No map is left behind for other rows:

    >>> fairmend.GeometricRepair("s").fit(rows)
    Traceback (most recent call last):
        ...
    fairmend.errors.NotOnSampleError: GeometricRepair moves the very rows that it is given, ...
    """

    def __init__(
        self,
        protected: Columns = None,
        unprotected: Columns = None,
        features: Columns = None,
        *,
        t: float = 0.5,
        drop_protected: bool = True,
    ) -> None:
        self.protected = protected
        self.unprotected = unprotected
        self.features = features
        self.t = t
        self.drop_protected = drop_protected

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
    ) -> Any:
        """Repair the features of X.

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (rows, columns)
            Not modified.
        y : None
            Not used.
        sensitive_features, control_features : array-like, optional
            S and U, where they are no columns of X.

        Returns
        -------
        table or ndarray
            Of X's type, with its rows and index; without S unless ``drop_protected=False``.
        """
        number_in("t", self.t, 0.0, 1.0)
        rows, table = self._read_research(X, sensitive_features, control_features)
        features = self._features(rows.frame.columns)
        frame = _with_floats(Frame(table, RESEARCH), features)
        if len(frame) == 0:
            raise DataError.empty(frame.name)
        groups, group = _levels(frame, self._protected)
        if len(groups) != 2:
            listed = [groups.label(code) for code in range(len(groups))]
            message = (
                f"GeometricRepair couples two groups, and the research data has {len(groups)}: "
                f"{listed}. Use DistributionalRepair, which takes any number of groups from 2 on."
            )
            raise OptionError(message)
        strata, stratum = _levels(frame, self._unprotected)
        codecs = dict.fromkeys(features, Codec("number"))
        before = frame.finite_numbers(codecs)
        cells = _Cells(groups, strata, 2 * stratum + group)
        cells.refuse_lonely(before)
        after = {name: cells.repaired(values, self.t) for name, values in before.items()}
        return self._given_back(rows, frame.replaced(before, after, codecs))

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
    ) -> NoReturn:
        """Refuse: there is nothing to learn that other rows could use.

        Parameters
        ----------
        X, y, sensitive_features, control_features
            Not used.
        """
        raise _not_on_sample()

    def transform(
        self, X: Any, *, sensitive_features: Any = None, control_features: Any = None
    ) -> NoReturn:
        """Refuse: new rows are not in the domain of the maps.

        Parameters
        ----------
        X, sensitive_features, control_features
            Not used.
        """
        raise _not_on_sample()

    def _features(self, columns: list[str]) -> tuple[str, ...]:
        roles = (*self._protected, *self._unprotected)
        features = self._named("features")
        if self.features is None:
            features = tuple(name for name in columns if name not in roles)
        refuse_two_roles(
            {"protected": self._protected, "unprotected": self._unprotected, "features": features}
        )
        if not features:
            message = "No feature is left to repair. Name them in features=."
            raise OptionError(message)
        return features


class _Cells:
    """The rows of each stratum and group."""

    def __init__(self, groups: Factor, strata: Factor, cell_of_row: Codes) -> None:
        self.groups, self.strata = groups, strata
        order = np.argsort(cell_of_row, kind="stable")
        ends = np.searchsorted(cell_of_row[order], np.arange(1, 2 * len(strata)))
        self.rows = np.split(order, ends)

    def known(self, values: Floats) -> list[Codes]:
        """Return the rows of each cell that have a value."""
        return [rows[~np.isnan(values[rows])] for rows in self.rows]

    def refuse_lonely(self, values: Mapping[str, Floats]) -> None:
        """Raise if some group has no value to be coupled with; name all such cells."""
        lonely = [
            f"{name!r} where {self.strata.label(at // 2)} and {self.groups.label(at % 2)}"
            for name, its_values in values.items()
            for at, rows in enumerate(self.known(its_values))
            if rows.size == 0
        ]
        if lonely:
            message = (
                f"The research data has no value for {'; '.join(lonely)}, so the other group has "
                f"nothing to be coupled with. Add rows, leave the feature out of features=, or "
                f"name a coarser column in unprotected=."
            )
            raise CellError(message)

    def repaired(self, values: Floats, t: float) -> Floats:
        """Repair one feature in every stratum; missing values stay missing."""
        repaired = values.copy()
        known = self.known(values)
        for rows0, rows1 in zip(known[::2], known[1::2], strict=True):
            repaired[rows0], repaired[rows1] = geometric_repair(values[rows0], values[rows1], t)
        return repaired


def _with_floats(frame: Frame, features: tuple[str, ...]) -> Frame:
    """Return the table with its integer features as floats, null where they were null."""
    frame.finite_numbers(dict.fromkeys(features, Codec("number")))
    table = nw.from_native(frame.native, eager_only=True)
    integers = [name for name in features if table[name].dtype.is_integer()]
    floats = [table[name].cast(nw.Float64) for name in integers]
    return Frame(table.with_columns(*floats).to_native(), frame.name)


def _levels(frame: Frame, columns: tuple[str, ...]) -> tuple[Factor, Codes]:
    """Return the levels of a role, and each row's code."""
    encoded = encoded_roles(frame, columns, {})
    factor = Factor.of(columns, encoded)
    return factor, factor.encode(encoded, len(frame))


def _not_on_sample() -> NotOnSampleError:
    return NotOnSampleError(
        "GeometricRepair moves the very rows that it is given, by maps that are not defined for "
        "any others. Call fit_transform for those rows, or use DistributionalRepair, which "
        "designs a plan that repairs new rows."
    )
