"""What an audit gives: one dict, and ways to write it."""

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from fairmend.auditing.gates import failures
from fairmend.errors import FormatError
from fairmend.outputs import replacing
from fairmend.report.content import Content, Words
from fairmend.report.page.document import to_cell, to_html


@dataclass(frozen=True)
class Audit:
    """What a repair achieved and what it cost.

    Attributes
    ----------
    content : dict
        All of it, see :class:`fairmend.report.content.Content`: strings, numbers, lists and dicts
        only, no value of a person and no count of fewer than 5 rows.
    """

    content: Content = field(repr=False)

    @property
    def verdict(self) -> Words | None:
        """Within tolerance, above tolerance, or insufficient evidence."""
        return self.content["summary"]["verdict"]

    def __repr__(self) -> str:
        """Say the verdict."""
        return f"<fairmend.Audit of {self.content['rows']:,} rows: {self.verdict}>"

    def __str__(self) -> str:
        """Say the first screen."""
        return "\n".join(self.content["summary"]["sentences"])

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

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own, since its style is one of pages."""
        return to_cell(self.content)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the report to a file, as its suffix says; an existing one is kept unless forced."""
        path = Path(path)
        check_suffixes([path])
        with replacing(path, force=force) as beside:
            beside.write_text(WRITTEN[path.suffix.lower()](self) + "\n", encoding="utf-8")

    def fails(self, *gates: str) -> list[str]:
        """Ask gates, such as ``"leak>0.6"``, ``"E>0.02"`` or ``"verdict"``.

        Returns
        -------
        list of str
            A sentence for each gate that the audit fails; empty where it passes all.

        See Also
        --------
        fairmend.auditing.gates.FIGURES : The figures that gates may ask for.
        """
        return failures(self.content, gates)


WRITTEN: dict[str, Callable[[Audit], str]] = {".html": Audit.to_html, ".json": Audit.to_json}
"""How a report is written, by its file's suffix."""


def check_suffixes(paths: Iterable[Path]) -> None:
    """Refuse files whose suffix says no format, before any work is done for them."""
    for path in paths:
        if path.suffix.lower() not in WRITTEN:
            raise FormatError.unknown(path, [*WRITTEN])
