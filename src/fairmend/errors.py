"""Every error that fairmend raises on purpose; each sentence is written once, here.

An error says what is wrong (names and counts, never a person's value), what was found, and what to
do. The reader has two tables, so each sentence says which: the *research data* or the *archive*.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Self

MOST_LISTED = 20
"""An error names this many cells or levels; a terminal is not a report."""

ESTIMATED = (
    "A repair can estimate groups that were not recorded: see fairmend.LabelModel and labels= "
    "(fairmend label-model and --labels)."
)


class FairmendError(ValueError):
    """Base of all errors of fairmend."""


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


class DataError(FairmendError):
    """Values that no plan can be designed from or applied to."""

    @classmethod
    def infinite(cls, table: str, counts: Mapping[str, int]) -> Self:
        """Build the error for infinite values, with their counts by feature."""
        return cls(
            f"The {table} has infinite values in {_counted(counts)}. Transport needs finite "
            f"numbers: set them to missing (missing values stay missing) or drop those rows."
        )

    @classmethod
    def missing_labels(cls, table: str, counts: Mapping[str, int]) -> Self:
        """Build the error for missing protected or unprotected values."""
        estimated = f" {ESTIMATED}" if table == "archive" else ""
        return cls(
            f"The {table} has missing values in {_counted(counts)}, and a row without its group "
            f"or stratum has no plan. Fill them, drop those rows, or make 'missing' a level."
            f"{estimated}"
        )

    @classmethod
    def empty(cls, table: str) -> Self:
        """Build the error for a table without rows."""
        return cls(f"The {table} has no rows. At least 2 rows a group and stratum are needed.")

    @classmethod
    def bad_weights(cls, name: str, count: int) -> Self:
        """Build the error for sample weights that are missing, negative or all zero."""
        return cls(
            f"Column {name!r}, named by sample_weight=, has {count:,} missing or negative weights, "
            f"or none above zero. Weights are numbers from 0 on."
        )

    @classmethod
    def inexact(cls, table: str, counts: Mapping[str, int]) -> Self:
        """Build the error for integers that float64 cannot tell apart."""
        return cls(
            f"The {table} has integers beyond 2^53 in {_counted(counts)}. A moved value would be "
            f"rounded and an unmoved one not, which tells them apart: are these identifiers? Leave "
            f"them out with exclude=, or divide them."
        )

    @classmethod
    def tied(cls, name: str, share: float) -> Self:
        """Build the error for ties in the archive where the deterministic map needs none."""
        return cls(
            f"{share:.0%} of the archive's values of {name!r} repeat, and output='monge' would "
            f"move each group's repeated values to places of their own. The research data had no "
            f"such ties. Redesign with output='support'."
        )

    @classmethod
    def cannot_be_missing(cls, name: str, dtype: str) -> Self:
        """Build the error for a column that cannot hold the missing values of missing='state'."""
        return cls(
            f"Column {name!r} is of type {dtype}, which holds no missing values, and "
            f"missing='state' has to empty some rows. Convert it to a "
            f"nullable type, or pass missing='keep'."
        )

    @classmethod
    def out_of_range(cls, counts: Mapping[str, int]) -> Self:
        """Build the error for values beyond the support, under the policy to stop."""
        return cls(
            f"The archive has values outside the plan's support in {_counted(counts)}. Redesign "
            f"with research rows that show them or a wider margin=, or pass out_of_range='clip' to "
            f"move them to the nearest end, or 'keep' to leave them as they are."
        )


class CellError(FairmendError):
    """Groups that are too small to learn a marginal from."""

    @classmethod
    def one_group(cls, group: str) -> Self:
        """Build the error for research data in which everybody is of one group."""
        return cls(
            f"The research data has one group only, {group}. A repair needs at least two groups to "
            f"bring together."
        )

    @classmethod
    def no_rows(cls) -> Self:
        """Build the error for a stratum in which a feature is never known."""
        return cls(
            "A feature has no known value in a whole stratum. Leave it out with exclude=, or name "
            "a coarser column in unprotected=."
        )

    @classmethod
    def too_small(cls, cells: Sequence[tuple[str, str, str, int]], least: int) -> Self:
        """Build the error for all (feature, stratum, group, rows) with too few rows."""
        listed = "; ".join(
            f"{feature!r} where {stratum} and {group} ({rows} rows)"
            for feature, stratum, group, rows in cells[:MOST_LISTED]
        )
        more = len(cells) - MOST_LISTED
        return cls(
            f"No plan can be designed for {listed}{f'; and {more} more' if more > 0 else ''}: a "
            f"marginal needs at least {least} research rows. Add research rows for those groups, "
            f"name a coarser column in unprotected=, or let them lean on others with small_groups=."
        )


class UnseenError(FairmendError):
    """The archive holds a group or stratum for which there is no plan."""

    @classmethod
    def levels(
        cls, counts: Mapping[str, int], columns: Sequence[str], known: Sequence[object]
    ) -> Self:
        """Build the error for levels that the research data did not have, with row counts."""
        most = sorted(counts, key=lambda name: -counts[name])[:MOST_LISTED]
        listed = ", ".join(f"{counts[name]:,} rows with {name}" for name in most)
        more = len(counts) - len(most)
        return cls(
            f"The archive has {listed}{f' and {more} more levels' if more > 0 else ''} and there "
            f"is no plan for them: the research data had {' × '.join(columns)} in {list(known)}. "
            f"Refit with research rows that show them, or pass unseen='keep' to leave such rows as "
            f"they are."
        )


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
            f"A label model that uses a {kind} cannot be saved: its only form is a pickle, which "
            f"can run any code when it is read. Fit with method='bayes' or method='mixture', or "
            f"fit it again in the program that repairs."
        )


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


class RowKeyError(FairmendError):
    """Rows cannot be told apart, so they cannot be given draws of their own."""

    @classmethod
    def a_role(cls, name: str) -> Self:
        """Build the refusal of a key that is a role: it is the same for a whole group."""
        return cls(
            f"key={name!r} is a protected or unprotected column, so a whole group would share one "
            f"draw, and then the protected attribute can be read off the repaired values. Name a "
            f"column that identifies the row."
        )

    @classmethod
    def too_few(cls, names: Sequence[str], keys: int, rows: int) -> Self:
        """Build the refusal of keys that many rows share."""
        return cls(
            f"key={list(names)} has {keys:,} distinct values in {rows:,} rows, and rows of one key "
            f"share one draw, so the protected attribute can be read off the repaired values. Name "
            f"columns that identify the row."
        )

    @classmethod
    def one_row(cls) -> Self:
        """Build the refusal of a single row with neither key nor row number."""
        return cls(
            "A one-row table was passed without key= or first_row=. Every such call would get the "
            "same draw, and then the protected attribute can be read off the repaired values. "
            "Pass key= with the column that identifies the row, or (in Plan.repair) first_row= "
            "with its number."
        )


class PlanFileError(FairmendError):
    """A plan file is damaged, of another version, or no plan at all."""


class SummaryError(FairmendError):
    """Parts of the research data, or summaries of them, cannot be added up."""

    @classmethod
    def no_rows(cls, what: str) -> Self:
        """Build the error for research data of which a joint design cannot see the rows."""
        return cls(
            f"joint= looks at the values of a row together, again and again, which {what} cannot "
            f"show. Pass the research data as one table, a sample of it if it is large."
        )

    @classmethod
    def differ(cls, what: str, one: object, other: object) -> Self:
        """Build the error for parts that were not summarised alike."""
        return cls(
            f"Parts of the research data differ in {what}: {one} in one, {other} in another, so "
            f"their counts cannot be added up. Summarise all parts in the same way."
        )

    @classmethod
    def twice(cls, one: object, other: object) -> Self:
        """Build the error for a summary that would be counted twice."""
        return cls(
            f"{one} and {other} are the same summary, so its rows would count twice. Name the "
            f"summary of each site once."
        )

    @classmethod
    def other_orders(cls, name: str) -> Self:
        """Build the error for ordered categories whose orders do not follow from each other."""
        return cls(
            f"Parts of the research data have the categories of {name!r} in orders of which none "
            f"holds the other. Give all levels in order: kinds={{{name!r}: [...]}} (--levels)."
        )

    @classmethod
    def too_many_levels(cls, name: str, levels: int, most: int) -> Self:
        """Build the error for a text column with more levels than can be counted."""
        return cls(
            f"Feature {name!r} has more than {most:,} levels ({levels:,} so far). Is it an "
            f"identifier? Leave it out with exclude=."
        )

    @classmethod
    def quantiles(cls, name: str) -> Self:
        """Build the error for quantile bins where not all rows are seen at once."""
        return cls(
            f"unprotected_bins[{name!r}] asks for quantile bins, which need all research rows at "
            f"once, and these come in parts. Pass the cut points, like [30, 50], or names with "
            f"bounds."
        )

    @classmethod
    def decided(cls, parameters: Sequence[str]) -> Self:
        """Build the error for roles that are given to a design from summaries."""
        named = ", ".join(f"{name}=" for name in parameters)
        return cls(
            f"{named} cannot be given to a design from summaries: roles and types were decided "
            f"when the research data was summarised. Leave them out, or summarise it again."
        )

    @classmethod
    def mixed(cls) -> Self:
        """Build the error for summaries and tables in one list."""
        return cls(
            "A design is made from research data or from summaries of it, and both were given. "
            "Summarise the research data first."
        )

    @classmethod
    def several(cls, paths: Sequence[object]) -> Self:
        """Build the error for several paths that are no summaries."""
        return cls(
            f"{len(paths)} paths were given, and only summaries can be several. Name one file of "
            f"research data, its folder, or a quoted pattern, or summarise each first."
        )

    @classmethod
    def none(cls) -> Self:
        """Build the error for an empty list of summaries or tables."""
        return cls("There is no research data: no table and no summary was given.")


class LabelFileError(FairmendError):
    """A label model's file is damaged, no such file, or of another version."""


class SummaryFileError(FairmendError):
    """A summary file is damaged, of another version, or no summary at all."""


class InputError(FairmendError):
    """A file cannot be read."""

    @classmethod
    def missing(cls, path: object, name: str, others: Sequence[str]) -> Self:
        """Build the error for a file that is not there, with the nearest name that is."""
        near = get_close_matches(name, others, n=1)
        return cls(f"There is no file {path}.{f' Did you mean {near[0]!r}?' if near else ''}")

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
            f"The {table} has fields that are no numbers in {_counted(counts)}. Correct them, or "
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


class DriftError(FairmendError):
    """The archive has left the research data, and the run was to stop at that."""

    @classmethod
    def alarm(cls, sentence: str, rate: float) -> Self:
        """Build the error for a monitor's alarm."""
        return cls(
            f"The archive has drifted from the research data, so the repair was stopped: "
            f"{sentence}. Without drift, at most {rate:.0%} of archives set off this alarm. "
            f"Design a plan from research data of this population, or leave out stop_on_drift= "
            f"(--stop-on-drift)."
        )


class AuditError(FairmendError):
    """Two tables are no archive and its repair."""

    @classmethod
    def other_rows(cls, before: int, after: int) -> Self:
        """Build the error for tables of different length."""
        return cls(
            f"The archive has {before:,} rows and the repaired archive {after:,}. Pass the archive "
            f"that was repaired, and all of it: rows are compared by their place."
        )

    @classmethod
    def other_order(cls, columns: Sequence[str], rows: int) -> Self:
        """Build the error for tables whose roles differ, which a repair does not change."""
        return cls(
            f"The archive and the repaired file differ in {list(columns)} in {rows:,} rows, and a "
            f"repair changes features only. Pass the same rows in the same order."
        )


class OutputError(FairmendError):
    """An output cannot be written, or exists already."""

    @classmethod
    def exists(cls, path: object) -> Self:
        """Build the error for an output that is there already."""
        return cls(f"{path} exists already. Pass force=True (--force) to replace it.")

    @classmethod
    def no_folder(cls, path: object, folder: object) -> Self:
        """Build the error for an output in a folder that is not there."""
        return cls(f"{path} cannot be written: there is no folder {folder}. Make it first.")

    @classmethod
    def hopeless(cls, path: object, reason: str) -> Self:
        """Build the error for an output that the system would refuse in the end."""
        return cls(f"{path} cannot be written ({reason}). Name another file.")

    @classmethod
    def same(cls, path: object) -> Self:
        """Build the error for two outputs of one name."""
        return cls(f"Two outputs would be written to {path}. Name two files.")

    @classmethod
    def overlap(cls, out: object, archive: object) -> Self:
        """Build the error for results that would lie among what is read, or around it."""
        return cls(
            f"{out} and {archive} lie within each other, and results are not written into what is "
            f"read. Name a folder elsewhere."
        )

    @classmethod
    def not_empty(cls, folder: object, *, interrupted: bool) -> Self:
        """Build the error for a folder of results that holds something already."""
        if interrupted:
            return cls(
                f"{folder} holds an interrupted run. Pass --resume and its seed to go on, or "
                f"force=True (--force) to start again."
            )
        return cls(
            f"{folder} is not empty. Name another folder, or pass force=True (--force) to replace "
            f"files of the same names in it."
        )

    @classmethod
    def no_directory(cls, out: object, archive: object) -> Self:
        """Build the error for one file where results of many are to go."""
        return cls(f"{archive} has many files and {out} is a file. Name a folder for the results.")

    @classmethod
    def nothing_to_resume(cls, folder: object) -> Self:
        """Build the error for a folder of results without a record of its run."""
        return cls(
            f"{folder} holds files and no record of an interrupted run: it is complete, or of "
            f"something else. Name another folder, or pass --force to start again."
        )

    @classmethod
    def damaged_record(cls, path: object) -> Self:
        """Build the error for a record that says nothing."""
        return cls(f"{path}, the record of a run, is damaged. Pass --force to start again.")

    @classmethod
    def other_run(cls, folder: object, what: Sequence[str]) -> Self:
        """Build the error for a run that is not the one that was interrupted."""
        return cls(
            f"The interrupted run in {folder} was another one: it differs in {', '.join(what)}. "
            f"Pass what it was given, or --force to start again."
        )

    @classmethod
    def resume_without_seed(cls, folder: object) -> Self:
        """Build the error for going on without the seed of what is there already."""
        return cls(
            f"The run in {folder} can only go on with the seed that it began with, which is kept "
            f"nowhere in it. Pass it by --seed-file (or --seed), or --force to start again. "
            f"--save-seed at the beginning of a run keeps it."
        )

    @classmethod
    def other_seed(cls, folder: object, name: str) -> Self:
        """Build the error for a seed that does not give what is there already."""
        return cls(
            f"The seed is not the one that the run in {folder} began with: with it, {name} would "
            f"be another file. Pass the seed of that run, or --force to start again."
        )


class NotOnSampleError(FairmendError):
    """Geometric repair was asked for rows that it was not designed on."""


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name!r} ({count:,} rows)" for name, count in counts.items())
