"""What is wrong with what the caller asked for."""

from collections.abc import Iterable, Sequence
from typing import Self

from fairmend.errors.base import FairmendError


class OptionError(FairmendError):
    """An option has a value that it cannot take."""

    @classmethod
    def not_one_of(cls, name: str, value: object, allowed: Iterable[object]) -> Self:
        """Build the error for a value outside a closed list."""
        return cls(f"{name}={value!r} is not known. Pass one of {list(allowed)}.")

    @classmethod
    def not_in_range(cls, name: str, value: object, low: float, high: float) -> Self:
        """Build the error for a value that is no number of its range."""
        return cls(f"{name}={value!r} is not possible. Pass a number from {low:g} to {high:g}.")

    @classmethod
    def expected_jointly(cls) -> Self:
        """Build the error for an averaged map where features follow each other."""
        return cls(
            "draw='expected' averages the maps of one feature at a time, and in this plan features "
            "are repaired with regard to each other. Pass draw='sample' or 'map', or design the "
            "plan without joint=."
        )

    @classmethod
    def entropic_jointly(cls, solver: str) -> Self:
        """Build the error for a coupling to be stored for each of many leaves."""
        return cls(
            f"joint= repairs in many leaves, and solver={solver!r} would store a coupling for "
            f"each. Pass solver='exact'."
        )

    @classmethod
    def in_folder_names(cls, names: Sequence[str]) -> Self:
        """Build the error for protected columns that cannot be dropped."""
        return cls(
            f"The folders' names hold {list(names)}, so the protected columns cannot be dropped. "
            f"Write the archive without folders of that name, or keep them."
        )

    @classmethod
    def no_column_left(cls) -> Self:
        """Build the error for an output without a column, which would have no rows either."""
        return cls(
            "No column is left for the output: columns_out= names none but protected ones, which "
            "drop_protected= takes out. Name another one, or keep the protected columns."
        )

    @classmethod
    def flush_of_arrow(cls) -> Self:
        """Build the error for gathering rows that come in record batches."""
        return cls(
            "--flush-every gathers lines, and Arrow IPC comes in record batches, each of which is "
            "repaired as it comes. Leave it out."
        )

    @classmethod
    def of_pipes_only(cls, option: str) -> Self:
        """Build the error for an option that says something about standard input."""
        return cls(f"{option} is about standard input, and a file is named. Leave it out.")

    @classmethod
    def resume_of_pipe(cls) -> Self:
        """Build the error for taking a pipe up again."""
        return cls(
            "--resume takes up an interrupted run over the files of a folder, and what came "
            "through a pipe is gone. Leave it out, and begin again from the pipe's source."
        )


class NotOnSampleError(FairmendError):
    """Geometric repair was asked for rows that it was not designed on."""
