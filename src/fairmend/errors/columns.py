"""What is wrong with columns: their names, roles and types."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Self

from fairmend.errors.base import ESTIMATED, FairmendError


class ColumnError(FairmendError):
    """A column is missing, used twice, or of a type that cannot be repaired."""

    @classmethod
    def missing(cls, table: str, name: str, parameter: str, columns: Sequence[str]) -> Self:
        """Build the error for a named column that the table does not have."""
        texts = [c for c in columns if isinstance(c, str)]  # pandas allows other names
        near = get_close_matches(str(name).lower(), [c.lower() for c in texts], n=1)
        hint = next((f" Did you mean {c!r}?" for c in texts if [c.lower()] == near), "")
        if not hint and table == "archive" and parameter == "protected":
            hint = f" {ESTIMATED}"
        return cls(
            f"The {table} has no column {name!r}, named by {parameter}=. "
            f"Its columns are {list(columns)}.{hint}"
        )

    @classmethod
    def two_roles(cls, name: str, roles: Sequence[str]) -> Self:
        """Build the error for a column that is given more than one role."""
        said = " and ".join(f"{role}=" for role in roles)
        return cls(
            f"Column {name!r} is named by {said}. A column has one role: "
            f"take it out of all but one of them."
        )

    @classmethod
    def unsupported(cls, table: str, name: str, dtype: str) -> Self:
        """Build the error for a feature of a type that has no repair."""
        return cls(
            f"Feature {name!r} of the {table} is of type {dtype}. Features are numbers, times, "
            f"booleans or categories (text): convert it, or leave it out with exclude=."
        )

    @classmethod
    def of_other_type(
        cls, table: str, types: Mapping[str, str], expected: Mapping[str, str]
    ) -> Self:
        """Build the error for columns whose type is not the one that the plan was designed for."""
        listed = ", ".join(
            f"{name!r} is {dtype} (a {expected[name]} was expected)"
            for name, dtype in types.items()
        )
        return cls(f"The {table} has columns of another type: {listed}. Convert them.")

    @classmethod
    def taken(cls, name: str) -> Self:
        """Build the error for a new column whose name the archive already has."""
        return cls(
            f"The archive has a column {name!r} already, and estimated groups do not replace what "
            f"was recorded. Pass another name to write_labels=."
        )

    @classmethod
    def not_text(cls, table: str, names: Sequence[object]) -> Self:
        """Build the error for column names that are no strings."""
        return cls(
            f"The {table} has column names that are not text: {list(names)}. A plan keeps names as "
            f"text: rename those columns, or leave them out with features=."
        )

    @classmethod
    def duplicated(cls, table: str, names: Sequence[str]) -> Self:
        """Build the error for column names that occur more than once."""
        return cls(
            f"The {table} has more than one column named {list(names)}, so the name does not say "
            f"which is meant. Rename them."
        )
