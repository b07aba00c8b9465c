"""The sentences with which the measures refuse data; each is written once, here."""

from collections.abc import Mapping, Sequence

from fairmend.errors import CellError, ColumnError, DataError, OptionError


def lengths(found: Mapping[str, int]) -> DataError:
    """Build the error for arguments that do not have one entry a row."""
    said = ", ".join(f"{name}= has {count:,}" for name, count in found.items())
    return DataError(
        f"The arguments do not describe the same rows: {said}. Pass one entry a row in each, in "
        f"the same order; an index is not used to align them."
    )


def missing_labels(counts: Mapping[str, int]) -> DataError:
    """Build the error for rows without a group, stratum or prediction."""
    return DataError(
        f"There are missing values in {_counted(counts)}, so those rows belong nowhere. "
        f"Fill them, drop those rows from every argument, or make 'missing' a level."
    )


def infinite(counts: Mapping[str, int]) -> DataError:
    """Build the error for infinite values, by argument or feature."""
    return DataError(
        f"There are infinite values in {_counted(counts)}, and distances to them are infinite. "
        f"Set them to missing, which leaves them out, or drop those rows."
    )


def no_rows() -> DataError:
    """Build the error for arguments of length 0, or of which all weights are 0."""
    return DataError("There are no rows to measure. Pass at least 2 rows a group and stratum.")


def no_features() -> ColumnError:
    """Build the error for a table without columns."""
    return ColumnError("values= is a table without columns. Pass at least one feature.")


def bad_weights(missing: int, negative: int) -> DataError:
    """Build the error for weights that are not finite numbers of at least 0."""
    return DataError(
        f"weights= has {missing:,} missing or infinite and {negative:,} negative entries. "
        f"Pass finite numbers of at least 0; a row of weight 0 is left out."
    )


def unpaired(counts: Mapping[str, int]) -> DataError:
    """Build the error for values that are missing on one side only."""
    return DataError(
        f"In {_counted(counts)} the value is missing either before or after, but not in both, so "
        f"the change has no size. Pass the rows of both in the same order; if values were dropped "
        f"or filled in between, measure the rows that have both."
    )


def too_few_groups(levels: Sequence[object]) -> CellError:
    """Build the error for data with one group only."""
    return CellError(
        f"groups= has {len(levels)} level, {list(levels)}, and groups are compared with each "
        f"other. Pass rows of at least 2 groups."
    )


def small_cells(cells: Mapping[tuple[str, object, object], int]) -> CellError:
    """Build the error for groups with fewer than 2 values in a stratum, all of them at once."""
    said = "; ".join(
        f"{feature!r}, {_place(stratum)}group={group!r}: {count}"
        for (feature, stratum, group), count in cells.items()
    )
    return CellError(
        f"No density can be estimated from fewer than 2 values. Too few rows with a value: "
        f"{said}. Add rows, pass coarser groups= or strata=, or leave those rows out."
    )


def no_rate(strata: Mapping[object, Sequence[object]], reference: object) -> CellError:
    """Build the error for strata in which the reference cannot be compared with anybody."""
    said = "; ".join(
        f"{_place(stratum)}groups={list(groups)}" for stratum, groups in strata.items()
    )
    return CellError(
        f"Disparate impact compares reference={reference!r} with the other groups of its stratum, "
        f"and one side has no rows here: {said}. Leave those rows out or pass coarser strata=."
    )


def no_such_group(reference: object, levels: Sequence[object]) -> OptionError:
    """Build the error for a reference that is no group."""
    return OptionError(
        f"No row has group={reference!r}, named by reference=. The groups are "
        f"{_shortened(levels)}. Pass one of them in reference=."
    )


def never_favourable(favourable: object, levels: Sequence[object]) -> OptionError:
    """Build the error for an outcome that nobody is predicted."""
    return OptionError(
        f"No row is predicted favourable={favourable!r}, so every rate would be 0/0. "
        f"The predictions are in {_shortened(levels)}. Pass one of them in favourable=."
    )


def not_numbers(found: Mapping[str, str]) -> ColumnError:
    """Build the error for columns that are not numbers, with their types."""
    said = ", ".join(f"{name!r} ({kind})" for name, kind in found.items())
    return ColumnError(
        f"Numbers are needed, and these are none: {said}. Pass a table of the numeric features "
        f"only, or encode them as numbers."
    )


def not_a_column(name: str, found: str) -> ColumnError:
    """Build the error for an argument that is not one label or number a row."""
    return ColumnError(
        f"{name}= must be one-dimensional with values of one type, one entry a row; found {found}. "
        f"Pass a list, a NumPy array, a Series or an Arrow array."
    )


def same_names(name: str) -> ColumnError:
    """Build the error for a table whose column names are not unique."""
    return ColumnError(
        f"{name}= has more than one column of the same name, so a result by feature cannot be "
        f"told apart. Rename them."
    )


def lazy(name: str) -> ColumnError:
    """Build the error for a lazy table."""
    return ColumnError(f"{name}= is a lazy table. Pass the collected one: {name}.collect().")


def one_table(before: bool) -> ColumnError:
    """Build the error for a table compared with an array."""
    here, there = ("before", "after") if before else ("after", "before")
    return ColumnError(
        f"{here}= is a table and {there}= is not. Pass two tables, or one column of each."
    )


def nothing_shared(before: Sequence[str], after: Sequence[str]) -> ColumnError:
    """Build the error for tables without a numeric column in common."""
    return ColumnError(
        f"No column of numbers is in both tables: before= has {list(before)}, after= has "
        f"{list(after)}. Pass the same features in both."
    )


def only_in_nats(option: str) -> OptionError:
    """Build the error for an option that the paper's scale does not know."""
    return OptionError(
        f"{option}= was passed with scale='paper', whose numbers know nothing of it. Leave it out, "
        f"or pass scale='nats'."
    )


def grid_too_small(grid: int) -> OptionError:
    """Build the error for a grid that spans nothing."""
    return OptionError(f"grid={grid!r} is too small. Pass at least 2 points, as a rule 100.")


def _place(stratum: object) -> str:
    return "" if stratum is None else f"stratum={stratum!r}, "


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name!r} ({count:,} rows)" for name, count in counts.items())


def _shortened(levels: Sequence[object], most: int = 10) -> str:
    shown = ", ".join(map(repr, levels[:most]))
    return f"[{shown}]" if len(levels) <= most else f"[{shown}, … {len(levels) - most} more]"
