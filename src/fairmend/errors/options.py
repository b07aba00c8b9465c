"""What is wrong with what the caller asked for."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Self

from fairmend.errors.base import MOST_LISTED, FairmendError


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
    def no_constraints(cls, given: object) -> Self:
        """Build the error for constraints that are no list."""
        return cls(
            f"constraints={given!r} is no list of combinations. Pass one such as "
            f"[{{'relationship': 'Husband', 'marital-status': 'Never-married'}}], or "
            f"['unseen-pairs']."
        )

    @classmethod
    def no_combination(cls, given: object) -> Self:
        """Build the error for a constraint that does not combine features."""
        return cls(
            f"constraints= holds {given!r}, which is no combination: a mapping of two features or "
            f"more to one of their values, a list of them, or a range such as {{'from': 18}}. One "
            f"word stands for many of them: 'unseen-pairs'."
        )

    @classmethod
    def constraint_elsewhere(cls, name: str, features: Sequence[str], *, is_role: bool) -> Self:
        """Build the error for a constraint on a column that is not repaired."""
        why = (
            "is a role: what is forbidden to one group or stratum only would tell it"
            if is_role
            else "is not repaired, and what a repair leaves alone can be forbidden nothing"
        )
        return cls(f"constraints= names {name!r}, which {why}. The features are {list(features)}.")

    @classmethod
    def constraint_value(cls, name: str, value: object, levels: Sequence[object] | None) -> Self:
        """Build the error for a value that cannot be forbidden."""
        if levels is None:
            return cls(
                f"constraints= forbids {value!r} of {name!r}, which is neither a number (or, of "
                f"dates, a text such as '2024-01-31') nor a range with one or both ends, 'from' or "
                f"'above' and 'to' or 'below'."
            )
        near = get_close_matches(str(value), [str(level) for level in levels], n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        shown = list(levels)[:MOST_LISTED]
        more = f" and {len(levels) - len(shown):,} more" if len(levels) > len(shown) else ""
        return cls(
            f"constraints= forbids {value!r} of {name!r}, a value that the research data does not "
            f"show and no repair produces. It has {shown}{more}.{hint}"
        )

    @classmethod
    def nothing_allowed(cls, name: str, constraints: Sequence[str]) -> Self:
        """Build the error for constraints that cannot all be kept."""
        return cls(
            f"constraints= leave no value of {name!r} to some combination of the other features. "
            f"Those that name it: {'; '.join(constraints[:MOST_LISTED])}. Take one out, or name "
            f"fewer values."
        )

    @classmethod
    def constraints_alone(cls) -> Self:
        """Build the error for constraints between features that know nothing of each other."""
        return cls(
            "constraints= are between features, and without joint= each is repaired by itself: "
            "what one may become would depend on the other, and differ between groups. Pass "
            "joint='sequential'."
        )

    @classmethod
    def constraints_off_support(cls, output: str) -> Self:
        """Build the error for values that are not drawn from a support."""
        return cls(
            f"constraints= draw again from a support, and output={output!r} puts values between "
            f"its points, so those drawn again would be told apart. Pass output='support'."
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
    def resume_or_force(cls) -> Self:
        """Build the error for a run that is both to go on and to start again."""
        return cls(
            "--resume goes on with an interrupted run, and --force starts it again: pass one of "
            "them. Where a summary of an earlier run is in the way, name another file for it."
        )

    @classmethod
    def resume_of_pipe(cls) -> Self:
        """Build the error for taking a pipe up again."""
        return cls(
            "--resume takes up an interrupted run over the files of a folder, and what came "
            "through a pipe is gone. Leave it out, and begin again from the pipe's source."
        )


class NotOnSampleError(FairmendError):
    """Geometric repair was asked for rows that it was not designed on."""
