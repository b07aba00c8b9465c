"""What the two estimators share: reading X with its roles, and the columns that come out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fairmend.repair.roles import (
    ARCHIVE,
    PROTECTED,
    RESEARCH,
    UNPROTECTED,
    Columns,
    Labels,
    names_of,
)
from fairmend.repair.rows import Rows, container_of, names_in


class RepairEstimator(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer that needs S, and maybe U, in ``fit`` and in ``transform``.

    Subclasses have the parameters ``protected``, ``unprotected`` and ``drop_protected``.
    """

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns of the output: those of X without the protected ones, if dropped.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names for the columns of an array; by default x0, x1, …

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "_protected")
        left_out = self._left_out()
        kept = np.array([name not in left_out for name in names_in(self)])
        names: NDArray[np.object_] = super().get_feature_names_out(input_features)[kept]
        return names

    def __sklearn_tags__(self) -> Any:
        """Say that missing values are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _named(self, parameter: str) -> tuple[str, ...]:
        """Return the columns of X that a parameter names, once X has been read."""
        given: Columns = getattr(self, parameter)
        return names_of(given, names_in(self), parameter)

    def _read_research(self, X: Any, sensitive: Any, control: Any) -> tuple[Rows, Any]:
        """Read the arguments of ``fit`` and learn its roles.

        Returns
        -------
        rows, table
            X, and X with the columns that were passed beside it.
        """
        rows = Rows.of(self, X, RESEARCH, reset=True)
        columns, n_rows = rows.frame.columns, len(rows.frame)
        protected, s = PROTECTED.at_fit(self._named("protected"), sensitive, columns, n_rows)
        unprotected, u = UNPROTECTED.at_fit(self._named("unprotected"), control, columns, n_rows)
        if not protected:
            raise PROTECTED.neither()
        self._protected, self._unprotected = protected, unprotected
        self._passed = frozenset({*s, *u})
        return rows, rows.with_columns(s | u)

    def _read_archive(self, X: Any, sensitive: Any, control: Any) -> tuple[Rows, Any]:
        """Read the arguments of ``transform``, as :meth:`_read_research` those of ``fit``."""
        check_is_fitted(self, "_protected")
        rows = Rows.of(self, X, ARCHIVE, reset=False)
        labels: Labels = {}
        for role, fitted, passed, may_lack in (
            (PROTECTED, self._protected, sensitive, self._estimates_groups()),
            (UNPROTECTED, self._unprotected, control, False),
        ):
            was_passed = not self._passed.isdisjoint(fitted)
            options = {"was_passed": was_passed, "may_lack": may_lack}
            labels |= role.at_transform(fitted, passed, len(rows.frame), **options)
        return rows, rows.with_columns(labels)

    def _estimates_groups(self) -> bool:
        """Tell whether rows of an archive may lack their group."""
        return False

    def _left_out(self) -> frozenset[str]:
        """Name the columns that do not come out."""
        return self._passed.union(self._protected if self.drop_protected else ())

    def _given_back(self, rows: Rows, repaired: Any) -> Any:
        return rows.given_back(repaired, self._left_out(), container_of(self))
