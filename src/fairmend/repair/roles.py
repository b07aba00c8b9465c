"""Who S and U are: columns of X, or arrays beside it under fairlearn's names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from fairmend.errors import ColumnError, OptionError

Columns = str | int | Sequence[str | int] | None
Labels = dict[str, Any]
"""Names and pyarrow arrays."""

RESEARCH, ARCHIVE = "research data", "archive"
"""What the errors call the table of ``fit`` and that of ``transform``."""


@dataclass(frozen=True)
class Role:
    """A role and the two ways to fill it.

    Attributes
    ----------
    parameter : str
        Of the estimator: names columns of X.
    argument : str
        Of ``fit`` and ``transform``: holds the values, one a row.
    what : str
        What the errors call it.
    """

    parameter: str
    argument: str
    what: str

    def at_fit(
        self, named: tuple[str, ...], passed: Any, columns: Sequence[str], n_rows: int
    ) -> tuple[tuple[str, ...], Labels]:
        """Return the role's column names, and the columns that are to be added to X.

        Parameters
        ----------
        named : tuple of str
            Columns of X.
        passed : array-like or None
            Values beside X.
        columns : sequence of str
            All columns of X.
        n_rows : int
            Rows of X.
        """
        if passed is None:
            return named, {}
        if named:
            message = (
                f"The {self.what} is given twice, as column {list(named)} of X by "
                f"{self.parameter}= and as {self.argument}=. Pass one of them."
            )
            raise OptionError(message)
        labels = self._labels(passed, RESEARCH, n_rows)
        twice = [name for name in labels if name in columns]
        if twice:
            message = (
                f"X has a column {twice[0]!r}, and {self.argument}= is named so too. Leave the "
                f"column out of X, or name it in {self.parameter}= and do not pass "
                f"{self.argument}=."
            )
            raise OptionError(message)
        return tuple(labels), labels

    def at_transform(
        self,
        fitted: tuple[str, ...],
        passed: Any,
        n_rows: int,
        *,
        was_passed: bool,
        may_lack: bool = False,
    ) -> Labels:
        """Return the columns to add to X, under the names that they had in ``fit``."""
        if passed is None and (may_lack or not was_passed):
            return {}
        if passed is None:
            message = (
                f"fit was given the {self.what} as {self.argument}=, and it is missing here. Pass "
                f"its value for every row of the archive. {self._routing()} In a search, leave "
                f"scoring=None, because a scorer does not pass it on."
            )
            raise OptionError(message)
        if not was_passed:
            found = f"found it in the columns {list(fitted)} of X" if fitted else "was given none"
            message = (
                f"{self.argument}= holds the {self.what}, and fit {found}. Leave it out here, or "
                f"pass it to fit."
            )
            raise OptionError(message)
        return self._as_fitted(self._labels(passed, ARCHIVE, n_rows), fitted)

    def neither(self) -> OptionError:
        """Build the error for a role that has to be filled and is not."""
        return OptionError(
            f"There is no {self.what}. Name its column of X in {self.parameter}=, or pass its "
            f"values to fit and transform as {self.argument}=. {self._routing()}"
        )

    def _routing(self) -> str:
        return (
            f"Inside a pipeline, call set_fit_request({self.argument}=True)"
            f".set_transform_request({self.argument}=True) on this step."
        )

    def _labels(self, passed: Any, table: str, n_rows: int) -> Labels:
        import pyarrow as pa

        try:
            labels = _arrays(passed, self.argument)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            message = f"{self.argument}= mixes types ({error}). Convert it to one type."
            raise ColumnError(message) from error
        sizes = {len(array) for array in labels.values()}
        if sizes != {n_rows}:
            message = (
                f"{self.argument}= has {max(sizes, default=0):,} rows, and the {table} has "
                f"{n_rows:,}. Pass one value for each row, in the order of the rows."
            )
            raise OptionError(message)
        return labels

    def _as_fitted(self, labels: Labels, fitted: tuple[str, ...]) -> Labels:
        """Match by name where both have names, else by place."""
        if set(labels) == set(fitted):
            return {name: labels[name] for name in fitted}
        nameless = [f"{self.argument}_{i}" for i in range(len(fitted))]
        by_place = len(fitted) == 1 or nameless in (list(labels), list(fitted))
        if len(labels) != len(fitted) or not by_place:
            message = (
                f"{self.argument}= has the columns {list(labels)}, and in fit it had "
                f"{list(fitted)}. Pass the same ones."
            )
            raise OptionError(message)
        return dict(zip(fitted, labels.values(), strict=True))


PROTECTED = Role("protected", "sensitive_features", "protected attribute")
UNPROTECTED = Role("unprotected", "control_features", "unprotected attribute")


def names_of(given: Columns, columns: Sequence[str], parameter: str) -> tuple[str, ...]:
    """Resolve names and positions of columns of X to names; all of them have to be there.

    Examples
    --------
    >>> names_of(["age", 0], ["sex", "age"], "features")
    ('age', 'sex')
    """
    if given is None:
        return ()
    several = (given,) if isinstance(given, str | int | np.integer) else given
    return tuple(_name_of(one, columns, parameter) for one in several)


def refuse_two_roles(roles: Mapping[str, Sequence[str]]) -> None:
    """Raise if one column is named by two parameters, or twice by one."""
    having: dict[str, list[str]] = {}
    for parameter, names in roles.items():
        for name in names:
            having.setdefault(name, []).append(parameter)
    for name, parameters in having.items():
        if len(parameters) > 1:
            raise ColumnError.two_roles(name, parameters)


def _name_of(one: Any, columns: Sequence[str], parameter: str) -> str:
    if isinstance(one, str):
        if one not in columns:
            raise ColumnError.missing(RESEARCH, one, parameter, columns)
        return one
    if isinstance(one, int | np.integer) and 0 <= one < len(columns):
        return columns[int(one)]
    message = (
        f"{parameter}= has {one!r}, which is no column. Pass names, or positions from 0 to "
        f"{len(columns) - 1}."
    )
    raise OptionError(message)


def _arrays(passed: Any, argument: str) -> Labels:
    """Take the values apart into pyarrow arrays, by their own names or the argument's."""
    import pyarrow as pa

    if isinstance(passed, pa.Array):  # narwhals knows chunked arrays only
        passed = pa.chunked_array([passed])
    read = nw.from_native(passed, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(read, nw.Series):
        return {read.name if _is_name(read.name) else argument: read.to_arrow()}
    if isinstance(read, nw.DataFrame):
        columns = [column.to_arrow() for column in read.iter_columns()]
        named = all(_is_name(name) for name in read.columns)
        return dict(
            zip(read.columns if named else _nameless(columns, argument), columns, strict=True)
        )
    # NumPy would make the text "nan" of a missing value in a list of texts.
    values = np.asarray(passed, dtype=None if hasattr(passed, "dtype") else object)
    if values.ndim == 1:
        return {argument: pa.array(values, from_pandas=True)}
    if values.ndim != 2:
        message = (
            f"{argument}= has shape {values.shape}. Pass one value for each row, or a table of "
            f"several columns."
        )
        raise OptionError(message)
    columns = [pa.array(column, from_pandas=True) for column in values.T]
    return dict(zip(_nameless(columns, argument), columns, strict=True))


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and name != ""


def _nameless(columns: Sequence[Any], argument: str) -> list[str]:
    return [argument] if len(columns) == 1 else [f"{argument}_{i}" for i in range(len(columns))]
