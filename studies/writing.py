"""Write a study's page, its figure and its figures."""

import csv
from collections import defaultdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

import numpy as np

PACKAGES = ("fairmend", "numpy", "scikit-learn", "pyarrow")


def write_page(name, study, runs, *, quick):
    """Write `NAME.md`, its figures (`NAME.svg`, `NAME-2.svg`) and `NAME.csv`; print the page."""
    folder = Path("build/studies" if quick else "docs/studies")
    folder.mkdir(parents=True, exist_ok=True)
    title, _, notes = study.__doc__.partition("\n")
    parts = [f"# {title.rstrip('.')}", notes.strip(), study.page(runs.rows)]
    if hasattr(study, "figure"):
        drawn = study.figure(runs.rows)
        for at, (svg, alternative) in enumerate([drawn] if isinstance(drawn, tuple) else drawn):
            file = f"{name}{f'-{at + 1}' if at else ''}.svg"
            (folder / file).write_text(svg, encoding="utf-8")
            parts.insert(2 + at, f"![{alternative}]({file})")
    _write_csv(runs.rows, folder / f"{name}.csv")
    parts.append(f"Every run's figures: {{download}}`{name}.csv <{name}.csv>`.")
    parts.append(f"*{stamp(runs, quick=quick)}*")
    text = "\n\n".join(parts) + "\n"
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)


def stamp(runs, *, quick):
    """Say how many runs, which seeds, which versions, which commit, when, and what it took."""
    seeds = sorted({row["seed"] for row in runs.rows if "seed" in row})
    said = [f"{'A quick run: ' if quick else ''}{runs.count:,} runs"]
    said.append(f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}")
    said.append(f"{duration(runs.seconds)} of processor time")
    for package in PACKAGES:
        try:
            said.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    said.append(f"Python {python_version()}")
    said.append(f"commit {' and '.join(runs.commits)}")
    said.append(datetime.now(UTC).date().isoformat())
    return f"{', '.join(said)}."


def duration(seconds):
    """Write a time.

    >>> duration(7.4), duration(400.0)
    ('7 seconds', '6.7 minutes')
    """
    return f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.1f} minutes"


def _write_csv(table, path):
    names = list(dict.fromkeys(name for row in table for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()} for row in table
        )


def markdown(header, rows):
    """Lay out a table."""
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def grouped(table, value, *by):
    """Collect the values of one figure, in order, under the values of others."""
    found = defaultdict(list)
    for row in table:
        if row.get(value) is not None:
            found[tuple(row[name] for name in by)].append(row[value])
    return {key: np.array(values, dtype=float) for key, values in found.items()}


def spread(values, digits=3):
    """Write mean ± standard deviation."""
    if values is None or len(values) == 0:
        return "–"
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"


def standard_error(values):
    """Compute the standard error of a mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
