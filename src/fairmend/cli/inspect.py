"""``fairmend inspect``."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import MOST_BESIDE, figures, results, show, table_of
from fairmend.cli.options import PATH, STDOUT, as_json, example

if TYPE_CHECKING:
    from rich.table import Table


MICROSECONDS_A_DAY = 86_400_000_000
_KERNELS = {"c": "C", "numpy": "NumPy (the same bytes, slower)"}


@click.command(
    short_help="Say what a plan or a summary holds.", epilog=example("fairmend inspect plan.json")
)
@click.argument("plan", type=PATH, metavar="FILE")
@as_json
def inspect(plan: Path, out: Path | None, force: bool) -> None:
    """Show roles, groups, strata, features, options and hash of a plan, or of a summary.

    A damaged file, or one of another version, is refused. Shrinkage is the number of rows of its
    stratum's shared shape that each group's marginal is mixed with.
    """
    from fairmend.files.describe import describe_plan_file
    from fairmend.files.summaries import describe_summary_file, is_summary

    counts = is_summary(plan)
    with figures(out, plan, force=force) as said:
        said |= (describe_summary_file if counts else describe_plan_file)(plan)
    if out != STDOUT:
        _roles(plan, said)
        (_summary if counts else _options)(said)
    show(said, out, *((_strata(said), _counted(said)) if counts else _tables(said)))


def _roles(plan: Path, said: Mapping[str, Any]) -> None:
    console = results()
    made = "designed" if "options" in said else "summarised"
    console.print(f"{plan}, {made} by {said['creator']}")
    console.print(f"sha256       {said['sha256']}")
    console.print(f"protected    {', '.join(said['protected'])}")
    console.print(f"unprotected  {', '.join(said['unprotected']) or 'none: one stratum'}")
    for one in said["bins"]:
        bins = "; ".join(one["names"])
        cuts = ", ".join(f"{cut:g}" for cut in one["cuts"])
        console.print(f"bins         {one['column']}: {bins} (cut at {cuts})")


def _summary(said: Mapping[str, Any]) -> None:
    results().print(f"rows         {said['rows']:,}")
    if said["sample_weight"]:
        results().print(f"weights      {said['sample_weight']}")


def _options(said: Mapping[str, Any]) -> None:
    console = results()
    shown = {name: value for name, value in said["options"].items() if name != "constraints"}
    options = (f"{name}={value!r}" for name, value in shown.items())
    console.print(f"options      {', '.join(options)}", soft_wrap=True)
    if said["options"].get("joint"):
        console.print(f"joint        {_joint(said)}", soft_wrap=True)
    console.print(f"kernel here  {_KERNELS[said['kernel']]}")


def _joint(said: Mapping[str, Any]) -> str:
    found = said["held_out"]
    if found is None:
        return "no: too few research rows to judge it, so each feature is repaired by itself"
    is_joint = any(one["refined"] for one in said["features"])
    return (
        f"{'yes' if is_joint else 'no'}: in {found['rows']:,} held-out research rows an adversary "
        f"reached AUC {found['alone']:.3f} with each feature repaired by itself, "
        f"{found['joint']:.3f} jointly (± {found['error']:.3f})"
    )


def _tables(said: Mapping[str, Any]) -> "Iterator[Table]":
    yield _strata(said)
    yield _features(said)
    yield _cells(said)
    cells = [(one["name"], cell) for one in said["features"] for cell in one["cells"]]
    if any(cell["borrowed"] for _, cell in cells):
        yield _borrowed(cells)
    if any(cell["missing"] for _, cell in cells):
        yield _missing(cells, said["groups"])
    if any(one["refined"] for one in said["features"]):
        yield _leaves(said)
    if said["constraints"]:
        table = table_of("Constraints", ["no repair produces"], [])
        for one in said["constraints"]:
            table.add_row(one)
        yield table


def _strata(said: Mapping[str, Any]) -> "Table":
    groups = said["groups"]
    shown = {one["stratum"]: [f"{rows:,}" for rows in one["rows"]] for one in said["strata"]}
    return _by_group("Research rows", ["stratum"], groups, [((at,), n) for at, n in shown.items()])


def _counted(said: Mapping[str, Any]) -> "Table":
    """Lay out the features of a summary."""
    table = table_of("Features", ["feature", "type", "kind"], ["levels", "values", "missing"])
    for one in said["features"]:
        table.add_row(
            one["name"],
            one["type"] or "unknown",
            one["kind"] or "to be found",
            f"{len(one['levels']):,}" if one["levels"] else "",
            f"{one['values']:,}{' bins' if one['rounded'] else ''}",
            f"{one['missing']:,}",
        )
    return table


def _features(said: Mapping[str, Any]) -> "Table":
    table = table_of("Features", ["feature", "type"], ["levels", "step", "shrinkage"])
    for one in said["features"]:
        shrinkage = one["shrinkage"]
        table.add_row(
            one["name"],
            one["type"],
            f"{len(one['levels']):,}" if one["levels"] else "",
            _step(one["lattice"], one["type"]),
            shrinkage if isinstance(shrinkage, str) else f"{shrinkage:,.4g}",
        )
    return table


def _step(lattice: float, its_type: str) -> str:
    if not lattice:
        return ""
    days = lattice / MICROSECONDS_A_DAY
    if its_type == "datetime" and days >= 1:
        return f"{days:,.10g} day{'' if days == 1 else 's'}"
    return f"{lattice:,.10g}" + (" µs" if its_type == "datetime" else "")


def _cells(said: Mapping[str, Any]) -> "Table":
    table = table_of("Cells", ["feature", "stratum", "kind"], ["points", "low", "high"])
    table.add_column("why this kind", overflow="fold")
    for one in said["features"]:
        for cell in one["cells"]:
            numbers = f"{cell['points']:,}", _end(cell["low"]), _end(cell["high"])
            table.add_row(one["name"], cell["stratum"], cell["kind"], *numbers, one["reason"])
    return table


def _borrowed(cells: list[tuple[str, Mapping[str, Any]]]) -> "Table":
    table = table_of("Small groups", ["feature", "stratum", "group"], ["rows"])
    table.add_column("learnt with", overflow="fold")
    for feature, cell in cells:
        for one in cell["borrowed"]:
            rows = f"{one['rows']:,}"
            table.add_row(feature, cell["stratum"], one["group"], rows, one["from"])
    return table


def _missing(cells: list[tuple[str, Mapping[str, Any]]], groups: list[str]) -> "Table":
    rows = []
    for feature, cell in cells:
        shares = [*cell["missing"]["groups"].values(), cell["missing"]["target"]]
        rows.append(((feature, cell["stratum"]), [f"{share:.1%}" for share in shares]))
    title = "Missing values, a state"
    return _by_group(title, ["feature", "stratum"], [*groups, "target"], rows)


def _leaves(said: Mapping[str, Any]) -> "Table":
    """Show features in the order of their repair, with the leaves that each is repaired in."""
    title = "Leaves, in the order of repair"
    table = table_of(title, ["feature", "stratum"], ["leaves", "rows in the smallest", "leaning"])
    table.add_column("by the repaired", overflow="fold")
    for one in said["features"]:
        for part in (one["refined"] or {}).get("strata", ()):
            numbers = f"{part['leaves']}", f"{part['smallest']:,}"
            leaning = f"{one['refined']['pseudo_rows']:g}"
            by = ", ".join(part["by"])
            table.add_row(one["name"], part["stratum"], *numbers, leaning, by)
    return table


def _by_group(
    title: str,
    left: Sequence[str],
    groups: Sequence[str],
    rows: Sequence[tuple[tuple[str, ...], list[str]]],
) -> "Table":
    """Lay out a cell for each group: side by side, or below each other where they are many."""
    if len(groups) <= MOST_BESIDE:
        table = table_of(title, left, groups)
        for names, cells in rows:
            table.add_row(*names, *cells)
        return table
    table = table_of(title, [*left, "group"], [""])
    for names, cells in rows:
        for group, cell in zip(groups, cells, strict=True):
            table.add_row(*names, group, cell)
    return table


def _end(value: float | str | None) -> str:
    """Write an end of a support; categories without an order have none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:,.10g}"
