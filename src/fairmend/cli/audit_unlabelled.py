"""``fairmend audit --labels``: an archive whose groups were never recorded."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import progress, results, short, table_of

if TYPE_CHECKING:
    from rich.table import Table

    from fairmend.report.unlabelled import UnlabelledContent

NEED_GROUPS = {
    "gates": "--fail-if",
    "tolerances": "--tolerance",
    "label": "--label",
    "favourable": "--favourable",
    "predictions": "--predictions",
    "reference": "--reference",
    "time": "--time",
    "exclude": "--exclude",
    "paper_grid": "--paper-grid",
}
"""Options of parts that an audit by estimated groups has not."""


def audit_by_estimates(
    before: Path,
    after: Path,
    plan: Path,
    labels: Path,
    outs: tuple[Path, ...],
    options: Mapping[str, Any],
    *,
    as_json: bool,
    force: bool,
) -> None:
    """Audit by estimated groups, print and write what was found."""
    from fairmend.auditing.result import check_suffixes
    from fairmend.auditing.unlabelled.on_disk import audit_unlabelled_files
    from fairmend.files.formats import check_outputs

    asked = [named for name, named in NEED_GROUPS.items() if options[name]]
    if asked:
        message = (
            f"{', '.join(asked)} cannot be had by estimated groups, which give no verdict. Leave "
            f"it out, or leave --labels out where the archive has groups."
        )
        raise click.UsageError(message)
    research: Path | None = options["research"]
    check_suffixes(outs)
    check_outputs(*outs, inputs=(before, after, plan, labels, research), force=force)
    with progress() as steps:
        found = audit_unlabelled_files(
            before, after, plan, labels, research=research, tell=steps.tell, leak=options["leak"]
        )
        for out in outs:
            steps.tell(f"Writing {out.name}")
            found.save(out, force=force)
    if as_json:
        click.echo(found.to_json())
    else:
        results().print(_table(found.content))
        for sentence in (*found.content["sentences"], *found.content["unknowable"]):
            results().print(f"- {sentence}")
    steps.done(f"Audited {found.content['rows']:,} rows by estimated groups")


def _table(content: "UnlabelledContent") -> "Table":
    from fairmend.auditing.unlabelled.result import written

    table = table_of(None, ["feature"], ["E before", "E after", "RMSE", "changed"])
    for one in content["features"]:
        change = one["change"]
        rmse = "–" if change["rmse"] is None else short(change["rmse"])
        unit = f" {change['unit']}" if change["unit"] and change["rmse"] is not None else ""
        share = "none" if change["share_changed"] is None else f"{change['share_changed']:.1%}"
        table.add_row(
            one["feature"], written(one["before"]), written(one["after"]), rmse + unit, share
        )
    leak = content["leak"]
    if leak is not None:
        sides = written(leak["before"]), written(leak["after"])
        table.add_row("AUC, all together", *sides, "", "")
    return table
