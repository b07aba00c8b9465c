"""What is wrong with estimated groups."""

from collections.abc import Sequence
from typing import Self

from fairmend.errors.base import FairmendError


class LabelError(FairmendError):
    """Groups cannot be estimated, or not by this model."""

    @classmethod
    def other_groups(
        cls,
        columns: Sequence[str],
        levels: Sequence[object],
        wanted: Sequence[str],
        groups: Sequence[object],
    ) -> Self:
        """Build the error for a model of other groups than the plan's."""
        return cls(
            f"The label model tells {list(columns)} in {list(levels)}, and the plan repairs "
            f"{list(wanted)} in {list(groups)}. Fit both to research data with the same groups."
        )

    @classmethod
    def no_one_group(cls) -> Self:
        """Build the error for estimates that are to be written and are not groups."""
        return cls(
            "draw='expected' repairs by probabilities, so there is no one group to write. Pass "
            "draw='sample' or draw='map' with write_labels=."
        )

    @classmethod
    def one_group(cls, group: str) -> Self:
        """Build the error for research data with nothing to tell apart."""
        return cls(
            f"The research data has one group only, {group}, so there is nothing to tell. Add rows "
            f"of another group, or name another column in protected=."
        )

    @classmethod
    def not_fitted(cls) -> Self:
        """Build the error for a model that has seen no research data."""
        return cls("This label model is not fitted. Call its fit(research) first, or load one.")

    @classmethod
    def cannot_be_saved(cls, kind: str) -> Self:
        """Build the error for a model whose only form is a pickle."""
        return cls(
            f"A label model that uses a {kind} can neither be saved nor sent to other processes: "
            f"its only form is a pickle, which can run any code when it is read. Fit with "
            f"method='bayes' or method='mixture', or fit it again in the program that repairs."
        )


class LabelFileError(FairmendError):
    """A label model's file is damaged, no such file, or of another version."""
