"""Data from the UCI Machine Learning Repository, shipped in the package."""

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

COLLEGE_ABOVE = 12
"""The `education-num` above which the paper speaks of college: 13 is a bachelor's degree."""


def adult(*, complete: bool = False) -> "pa.Table":
    """Return UCI Adult: 48,842 people of the US census of 1994, with their income bracket.

    The table is read from a file inside the package, so nothing is downloaded. It is the data of
    the paper's second study, where the protected column is ``sex``, the unprotected one
    ``college`` and the features are ``age`` and ``hours-per-week``.

    Parameters
    ----------
    complete : bool, default=False
        Whether to keep only the 45,222 rows without a missing value, which are those that the
        paper uses.

    Returns
    -------
    pyarrow.Table of 17 columns
        The 14 columns of the original, under its own names, and its label ``income``; then
        ``split``, the original file of a row (``"train"`` or ``"test"``), and ``college``,
        whether ``education-num`` is above 12. Numbers are int64, text is string and ``college``
        is bool. The training rows come first and every row is at its original place.

    Notes
    -----
    Missing values, which the original writes as ``?``, are null. They occur in ``workclass``,
    ``occupation`` and ``native-country``.

    The numbers are integers and heaped: 47 % of the complete rows report exactly 40 hours, and
    92 % a ``capital-gain`` of 0. This is what most real tables look like, and what the simulated
    one does not.

    People weigh differently in the census: ``fnlwgt`` is a row's weight, not a feature of it.

    The data is by Becker, B. & Kohavi, R. (1996), https://doi.org/10.24432/C5XW20, under CC BY
    4.0. What was changed is told in ``ADULT-LICENSE.txt``, beside the data.

    Examples
    --------
    >>> from fairmend.datasets import adult
    >>> table = adult()
    >>> table.num_rows, adult(complete=True).num_rows
    (48842, 45222)
    >>> table.select(["age", "hours-per-week", "sex", "college", "income"]).slice(0, 2).to_pylist()
    [{'age': 39, 'hours-per-week': 40, 'sex': 'Male', 'college': True, 'income': '<=50K'},
     {'age': 50, 'hours-per-week': 13, 'sex': 'Male', 'college': True, 'income': '<=50K'}]
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    content = files("fairmend.datasets").joinpath("adult.parquet").read_bytes()
    stored = pq.read_table(pa.BufferReader(content))
    # The file keeps each number in the fewest bytes; callers should not meet an int8 that wraps.
    wide = [
        field.with_type(pa.int64()) if pa.types.is_integer(field.type) else field
        for field in stored.schema
    ]
    table = stored.cast(pa.schema(wide))
    table = table.append_column("college", pc.greater(table["education-num"], COLLEGE_ABOVE))
    return table.drop_null() if complete else table
