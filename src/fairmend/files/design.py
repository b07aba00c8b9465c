"""From files of research data, or of summaries of it, to a plan file."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from fairmend.files.formats import check_outputs
from fairmend.files.progress import Tell, silent
from fairmend.files.research import Research
from fairmend.files.summaries import are_summaries, refuse_twice
from fairmend.plan.plan import Plan
from fairmend.research import design
from fairmend.summaries import Summary

T = TypeVar("T")

ROLES = (
    "protected",
    "unprotected",
    "features",
    "exclude",
    "kinds",
    "unprotected_bins",
    "sample_weight",
)


def design_file(
    research: Path | Sequence[Path],
    out: Path,
    *,
    force: bool = False,
    tell: Tell = silent,
    **options: Any,
) -> tuple[Plan, int]:
    """Design a plan from files and save it.

    Parameters
    ----------
    research : Path or sequence of Path
        A file, folder or pattern of any format in :data:`fairmend.files.formats.FORMATS`, read in
        one pass and, where the format has types, in constant memory; for a joint plan all rows are
        kept. Or summaries of it, which are told by their content.
    out : Path
        The plan file, of any name; refused before any work if it cannot be written.
    force : bool
        Whether an existing plan file may be replaced.
    tell : callable
        Is called with a sentence before each step.
    **options
        As in :func:`fairmend.design`. A pandas index in a Parquet file is no feature by default.
        In a CSV file a feature whose fields are all numbers is one of numbers; all ISO dates or
        times, of times; else it is a category, as it is where ``kinds`` says so.

    Returns
    -------
    plan, rows
        The plan, and how many research rows it was designed from.
    """
    paths = [research] if isinstance(research, Path) else list(research)
    check_outputs(out, inputs=paths, force=force)
    plan, rows = made_from(paths, design, options, tell, "Designing the plan")
    tell(f"Writing {out.name}")
    plan.save(out, force=force)
    return plan, rows


def made_from(
    paths: Sequence[Path], make: Callable[..., T], options: dict[str, Any], tell: Tell, doing: str
) -> tuple[T, int]:
    """Call a function with the research data, or the summaries, that files hold.

    Parameters
    ----------
    make : callable
        With the arguments of :func:`fairmend.design`.
    doing : str
        What is said meanwhile, once rows have been read.

    Returns
    -------
    made, rows
        What it returns, and how many research rows there were.
    """
    if are_summaries(paths):
        tell("Adding up the summaries")
        refuse_twice(paths)
        together = Summary.together([Summary.load(path) for path in paths])
        tell(doing)
        return make(together, **options), together.n_rows
    others = {name: value for name, value in options.items() if name not in ROLES}
    given = {name: options.get(name) for name in ROLES}
    given["exclude"] = given["exclude"] or ()
    counted = Research(paths[0], given, tell)
    with counted.faults_named():
        data, roles = counted.given()
        if others.get("joint") and not isinstance(data, pa.Table):
            # Rows are looked at again and again: they are kept, and only here.
            data = pa.concat_tables(data, promote_options="default")
        made = make(data, **roles, **others)
    return made, counted.rows


def smallest_group(plan: Plan) -> tuple[int, str]:
    """Find the fewest research rows that a marginal was learnt from, and whose they are.

    Returns
    -------
    rows, name
        Such as ``"sex='Female' where college=True"``.
    """
    counts = np.min([[cell.counts for cell in one.cells] for one in plan.features], axis=0)
    stratum, group = np.unravel_index(int(np.argmin(counts)), counts.shape)
    name = plan.groups.label(int(group))
    if plan.unprotected:
        name += f" where {plan.strata.label(int(stratum))}"
    return int(counts[stratum, group]), name
