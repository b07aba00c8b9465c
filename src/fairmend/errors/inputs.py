"""What is wrong with files that are read."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Self

from fairmend.errors.base import MOST_LISTED, FairmendError, counted


class InputError(FairmendError):
    """A file cannot be read."""

    @classmethod
    def missing(cls, path: object, name: str, others: Sequence[str]) -> Self:
        """Build the error for a file that is not there, with the nearest name that is."""
        near = get_close_matches(name, others, n=1)
        return cls(f"There is no file {path}.{f' Did you mean {near[0]!r}?' if near else ''}")

    @classmethod
    def no_json(cls, path: object, fault: str) -> Self:
        """Build the error for a file that should be JSON and cannot be read as such."""
        return cls(f"{path} cannot be read as JSON ({fault}).")

    @classmethod
    def no_file(cls, path: object) -> Self:
        """Build the error for a folder where a file is needed."""
        return cls(f"{path} is a folder. Name one file in it.")

    @classmethod
    def no_files(cls, path: object, suffixes: Sequence[str]) -> Self:
        """Build the error for a folder or pattern with nothing to read."""
        return cls(
            f"{path} has no files to read. Their names end in one of {list(suffixes)}, and names "
            f"that begin with a dot or an underscore are left out."
        )

    @classmethod
    def other_schema(cls, path: object, first: object, changes: Sequence[str]) -> Self:
        """Build the error for a file of a folder that has other columns than the first one."""
        listed = "; ".join(changes[:MOST_LISTED])
        return cls(
            f"{path} has other columns than {first}: {listed}. The files of one run have the same "
            f"columns of the same types: convert it, or repair it alone."
        )

    @classmethod
    def damaged(cls, path: object, form: str, reason: str) -> Self:
        """Build the error for a file that its reader gives up on."""
        return cls(
            f"{path} cannot be read as {form} ({reason}). It may be torn, damaged or of another "
            f"format: compare it with its source, or write it again."
        )

    @classmethod
    def ragged(cls, path: object, rows: int, first: int | None, length: int, header: int) -> Self:
        """Build the error for CSV rows that are longer or shorter than the header."""
        return cls(
            f"{path} has {rows:,} row(s) of another length than its header of {header} fields; the "
            f"first is row {first} with {length}. The file may be torn, or a field with a comma is "
            f"not in quotes: write it again."
        )

    @classmethod
    def other_separator(cls, path: object, sign: str) -> Self:
        """Build the error for a text file whose header has another separator than commas."""
        return cls(
            f"{path} seems to be separated by {sign!r}, and CSV is read with commas and decimal "
            f"points. Convert it, in pandas by read_csv({str(path)!r}, sep={sign!r})"
            f".to_parquet(…), with decimal=',' where it has decimal commas."
        )

    @classmethod
    def open_quote(cls, path: object) -> Self:
        """Build the error for a CSV file with a quote that is never closed."""
        return cls(
            f"{path} ends inside quotes, so all rows from the opening quote on are one field. The "
            f"file may be torn, or a quote in a field is not doubled: write it again."
        )

    @classmethod
    def no_object(cls, path: object, row: int, reason: str) -> Self:
        """Build the error for a line of NDJSON that is no object."""
        return cls(
            f"{path} has no JSON object in row {row:,}: {reason}. Each line is one object; the "
            f"file may be torn or damaged: write it again."
        )

    @classmethod
    def other_member(cls, path: object, row: int, name: str) -> Self:
        """Build the error for a member that the first object does not have."""
        return cls(
            f"{path} has a member {name!r} in row {row:,} that its first object does not have, "
            f"which names the columns. Let the first object have all members, null where they are "
            f"missing, or name an output that is NDJSON, too."
        )

    @classmethod
    def lost_members(cls, name: str, count: int) -> Self:
        """Build the error for members that would have to be added to objects."""
        return cls(
            f"The archive has {count:,} objects without {name!r}, and the plan repairs missing "
            f"values as a state: a member that is added would tell who had none. Write null."
        )

    @classmethod
    def turned(cls, name: str, count: int, form: str) -> Self:
        """Build the error for a column of JSON that does not stay what its first value is."""
        return cls(
            f"The archive has {count:,} values of {name!r} that are not as in its first row, where "
            f"they are {form}. Repaired values are all written in one way: write the column so."
        )

    @classmethod
    def not_from_pipe(cls, what: str) -> Self:
        """Build the error for a standard input that cannot be read as it comes."""
        return cls(
            f"Standard input is {what}. CSV, NDJSON and Arrow IPC are read from pipes (--from)."
        )

    @classmethod
    def endless_record(cls, path: object, most: int) -> Self:
        """Build the error for a record whose end does not come."""
        return cls(
            f"{path} has a row of more than {most:,} bytes. A quote may never be closed, or line "
            f"ends be missing: write the file again."
        )

    @classmethod
    def not_utf8(cls, path: object) -> Self:
        """Build the error for a text file in another encoding."""
        return cls(f"{path} is not in UTF-8. Convert it, for example with iconv -t UTF-8.")

    @classmethod
    def not_all_numbers(cls, table: str, counts: Mapping[str, int]) -> Self:
        """Build the error for text columns of numbers in which some fields are none."""
        return cls(
            f"The {table} has fields that are no numbers in {counted(counts)}. Correct them, or "
            f"leave them empty: missing values stay missing."
        )

    @classmethod
    def not_whole(cls, name: str, count: int) -> Self:
        """Build the error for fractions in a column of text that is to become one of integers."""
        return cls(
            f"The archive has {count:,} values of {name!r} with a fraction, and the research data "
            f"had whole numbers, so the column would be one of integers. Name an output without "
            f"types (CSV or NDJSON), or design from research data with fractions."
        )


class FormatError(FairmendError):
    """A file's format is not known, or cannot hold the table."""

    @classmethod
    def unknown(cls, path: object, suffixes: Sequence[str]) -> Self:
        """Build the error for a file whose suffix names no format."""
        return cls(f"The format of {path} is told by its suffix, which must be one of {suffixes}.")

    @classmethod
    def no_pipe(cls, name: str) -> Self:
        """Build the error for a format that is no stream."""
        return cls(
            f"{name} cannot go through a pipe. Pass --format csv, ndjson or arrow for standard "
            f"output and --from for standard input, or name a file."
        )

    @classmethod
    def cannot_hold(cls, form: str, column: str, dtype: str) -> Self:
        """Build the error for a column of a type that a format has no way to write."""
        return cls(
            f"{form} cannot hold column {column!r} of type {dtype}. Name an output of another "
            f"format, or take the column out."
        )

    @classmethod
    def cannot_go_on(cls, form: str, reason: str) -> Self:
        """Build the error for rows that do not fit to those that have been written."""
        return cls(
            f"The output cannot be written as {form} ({reason}). Name an output of another format, "
            f"such as Parquet."
        )
