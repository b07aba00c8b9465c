"""An excerpt of a file: some columns of all rows, or all columns of some rows."""

from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairmend.errors import FairmendError, InputError
from fairmend.files.channel import narrowed
from fairmend.files.formats import format_of, names_beside
from fairmend.files.stream import Batch
from fairmend.files.work import damaged

Places = NDArray[np.int64]
Take = Callable[[Batch], pa.Table | None]


def columns_of(path: Path, names: Collection[str]) -> pa.Table:
    """Read some columns of a file; those that it does not have are left out.

    Of a file that can be cut, no more is in memory than these and one batch.
    """

    def take(batch: Batch) -> pa.Table:
        table = batch.read()
        return table.select([name for name in table.column_names if name in names])

    return _read(path, take, names)


def rows_of(path: Path, places: Places) -> pa.Table:
    """Read some rows of a file with all of their columns.

    Parameters
    ----------
    path : Path
        A file of any known format.
    places : ndarray of shape (n,)
        Row numbers, rising.
    """

    def take(batch: Batch) -> pa.Table | None:
        first, end = np.searchsorted(places, [batch.first_row, batch.first_row + batch.rows])
        if first == end and batch.number:
            return None
        return batch.read().take(pa.array(places[first:end] - batch.first_row))

    return _read(path, take, None)


def _read(path: Path, take: Take, names: Collection[str] | None) -> pa.Table:
    form = format_of(path)
    if path.is_dir():
        raise InputError.no_file(path)
    try:
        with form.source(path) as source:
            wanted = source if names is None else narrowed(source, names)
            tables = [take(batch) for batch in wanted.batches()]
    except FairmendError:
        raise
    except FileNotFoundError as error:
        raise InputError.missing(path, path.name, names_beside(path)) from error
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, form, error) from error
    return pa.concat_tables([one for one in tables if one is not None]).unify_dictionaries()
