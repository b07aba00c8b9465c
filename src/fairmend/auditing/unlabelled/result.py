"""What an audit by estimated groups gives: one dict, and ways to write it."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from fairmend.auditing.result import check_suffixes
from fairmend.outputs import replacing
from fairmend.report.page.unlabelled import to_html
from fairmend.report.unlabelled import Ends, EstimatedFeature, UnlabelledContent


@dataclass(frozen=True)
class UnlabelledAudit:
    """What can be said of an archive without groups, and what cannot.

    Attributes
    ----------
    content : dict
        All of it, see :class:`fairmend.report.unlabelled.UnlabelledContent`: strings, numbers,
        lists and dicts only, and no value of a person.
    """

    content: UnlabelledContent = field(repr=False)

    @property
    def estimated(self) -> float:
        """Share of the rows whose group was not recorded."""
        return self.content["estimated"]

    def __getitem__(self, feature: str) -> EstimatedFeature:
        """Find a feature by its name."""
        return next(one for one in self.content["features"] if one["feature"] == feature)

    def __repr__(self) -> str:
        """Say that there is no verdict."""
        rows = self.content["rows"]
        return f"<fairmend.UnlabelledAudit of {rows:,} rows: no verdict, groups are estimated>"

    def __str__(self) -> str:
        """Write a table, and the sentences below it."""
        lines = [f"{'feature':<24}{'E before':>26}{'E after':>26}"]
        for one in self.content["features"]:
            sides = (written(one["before"]), written(one["after"]))
            lines.append(f"{one['feature']:<24}{sides[0]:>26}{sides[1]:>26}")
        return "\n".join([*lines, *self.content["sentences"], *self.content["unknowable"]])

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of the content."""
        return cast("dict[str, Any]", deepcopy(self.content))

    def to_json(self) -> str:
        """Write the content as JSON."""
        return json.dumps(self.content, indent=2, ensure_ascii=False, allow_nan=False)

    def to_html(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Write the content as one HTML page that opens offline, and return it.

        Parameters
        ----------
        path : str or Path, optional
            Also write it to this file; an existing one is kept unless ``force``.
        """
        page = to_html(self.content)
        if path is not None:
            with replacing(Path(path), force=force) as beside:
                beside.write_text(page, encoding="utf-8")
        return page

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the report to a file, as its suffix says; an existing one is kept unless forced."""
        path = Path(path)
        check_suffixes([path])
        with replacing(path, force=force) as beside:
            beside.write_text(WRITTEN[path.suffix.lower()](self) + "\n", encoding="utf-8")


WRITTEN: dict[str, Callable[[UnlabelledAudit], str]] = {
    ".html": UnlabelledAudit.to_html,
    ".json": UnlabelledAudit.to_json,
}
"""How a report is written, by its file's suffix: the same as of other audits."""


def written(ends: Ends, digits: int = 3) -> str:
    """Write a figure with its interval, if it has one.

    Examples
    --------
    >>> written({"value": 0.1234, "low": 0.1, "high": 0.2})
    '0.123 (0.100 to 0.200)'
    """
    value, low, high = ends["value"], ends["low"], ends["high"]
    if low is None or high is None:
        return f"{value:.{digits}f}"
    return f"{value:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"
