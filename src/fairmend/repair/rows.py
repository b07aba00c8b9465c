"""X as a table with named columns, whatever it came as, and the way back to its own container."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import sklearn
from sklearn.utils.validation import validate_data

from fairmend.frames.table import Frame

NUMBERS = [np.dtype(code) for code in "dfqlihbQLIHB"]
"""An array of these keeps its type; any other becomes the first."""


@dataclass(frozen=True)
class Rows:
    """The rows of one call.

    Attributes
    ----------
    frame : narwhals.DataFrame
        X, under the names that the fitted estimator knows its columns by.
    is_array : bool
        Whether X is no table, so that an array is to come out.
    """

    frame: nw.DataFrame[Any]
    is_array: bool

    @classmethod
    def of(cls, estimator: Any, X: Any, name: str, *, reset: bool) -> "Rows":
        """Read X, and learn (``reset``) or check its columns as scikit-learn does.

        Parameters
        ----------
        estimator : RepairEstimator
            Gets ``n_features_in_`` and ``feature_names_in_``.
        X : pandas, polars or pyarrow table, or array-like of shape (rows, columns)
            Not modified.
        name : str
            What the errors call it: ``"research data"`` or ``"archive"``.
        reset : bool
            Whether this is ``fit``.
        """
        if not _is_table(X):
            return cls(_from_array(estimator, X, reset=reset), is_array=True)
        frame = nw.from_native(Frame(X, name).native, eager_only=True)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        # Names that are no text are positions, as everywhere in scikit-learn.
        known = dict(zip(frame.columns, names_in(estimator), strict=True))
        return cls(
            frame.rename({theirs: ours for theirs, ours in known.items() if theirs != ours}),
            is_array=False,
        )

    def with_columns(self, labels: Mapping[str, Any]) -> Any:
        """Return the table of X with further columns (pyarrow arrays) at its end."""
        if not labels:
            return self.frame.to_native()
        import pyarrow as pa

        beside = nw.from_arrow(pa.table(dict(labels)), backend=self.frame.implementation)
        return self.frame.with_columns(*beside.iter_columns()).to_native()

    def given_back(self, repaired: Any, left_out: Collection[str], container: str) -> Any:
        """Bring a repaired table into X's own container, or into the one that was asked for.

        Parameters
        ----------
        repaired : table
            From :meth:`with_columns`, with other values.
        left_out : collection of str
            Columns that the caller does not get.
        container : {"default", "pandas", "polars"}
            As in scikit-learn's ``set_output``, which here only has to name the columns: it makes
            objects of an Arrow table's columns.
        """
        frame = nw.from_native(repaired, eager_only=True).drop(list(left_out), strict=False)
        if self.is_array:
            return np.column_stack([column.to_numpy() for column in frame.iter_columns()])
        if container == "pandas":
            return frame.to_pandas()
        if container == "polars":
            return frame.to_polars()
        return frame.to_native()


def names_in(estimator: Any) -> list[str]:
    """Name the columns that an estimator was fitted on: ``x0``, ``x1``, … those without names."""
    named = getattr(estimator, "feature_names_in_", None)
    return [f"x{i}" for i in range(estimator.n_features_in_)] if named is None else list(named)


def container_of(estimator: Any) -> str:
    """Return the container that ``set_output`` asked for, here or for all estimators."""
    own = getattr(estimator, "_sklearn_output_config", {})
    wanted: str = own.get("transform", sklearn.get_config()["transform_output"])
    return wanted


def _is_table(X: Any) -> bool:
    try:
        read = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:  # a table, to be refused as such
        return True
    return isinstance(read, nw.DataFrame | nw.LazyFrame)


def _from_array(estimator: Any, X: Any, *, reset: bool) -> nw.DataFrame[Any]:
    import pyarrow as pa

    numbers = validate_data(
        estimator,
        X,
        reset=reset,
        dtype=NUMBERS,
        ensure_all_finite=False,  # missing values stay missing; infinite ones are refused by name
        ensure_min_samples=2 if reset else 1,
    )
    columns = zip(names_in(estimator), numbers.T, strict=True)
    return nw.from_native(pa.table(dict(columns)), eager_only=True)
