"""Tables of every library, and back."""

import pandas as pd
import polars as pl
import pyarrow as pa

CONTAINERS = {
    "pandas": lambda table: table,
    "polars": pl.from_pandas,
    "pyarrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
}


def to_pandas(table):
    return table if isinstance(table, pd.DataFrame) else table.to_pandas()
