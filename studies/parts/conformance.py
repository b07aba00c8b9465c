"""Laws that a repair should keep, and which tools keep them.

The laws of `fairmend.testing` ({doc}`../how-to/testing`), checked with tools that repair columns of
tables, each by the calls of its manual (`studies/peers.py`), on made-up tables of 1,000 to 4,000
rows. *holds*; *fails*, as told below; *stops*: the tool ends with an error of its own where a
result was asked for, which is no silent harm; –: the law is beside what the tool claims to do.

The tools were made for ends of their own, and most laws are nobody's promise but ours: this says
what to expect where they are used on such tables. fairlearn's manual says that dependence may be
left where correlation is gone, and that its tool is meant for linear models. AIF360's has no call
that applies to other rows what was fitted on these: it is fitted on the archive. EquiPy is made for
scores of models, and takes each column for one. *as they read* are the paper's two algorithms with
smooth densities on 250 points, rows one by one, drawn from a generator.
"""

import json
import subprocess
from importlib.metadata import version
from pathlib import Path

import ours
from elsewhere import PYTHON, absent
from marks import marks
from peers import PEERS
from writing import markdown

from fairmend.testing import LAWS, examine

__all__ = ["absent", "figure", "measure", "page", "runs"]

OURS = {"fairmend": ours.Fairmend, "as they read": ours.AsTheyRead}


def runs(quick):
    """List the runs."""
    return [{"tool": tool, "seed": 0} for tool in (*OURS, *PEERS)]


def measure(tool, seed):
    """Examine one tool."""
    if tool in OURS:
        for result in examine(OURS[tool], LAWS):
            yield {
                "law": result.law.name,
                "outcome": result.outcome,
                "reason": result.reason,
                "version": version("fairmend"),
            }
        return
    worker = Path(__file__).parents[1] / "laws_peer.py"
    done = subprocess.run([PYTHON, worker, tool], capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"{tool}: {done.stderr.strip().splitlines()[-1]}"
        raise RuntimeError(message)
    yield from json.loads(done.stdout)


def figure(table):
    """Draw which tool keeps which law."""
    tools = list(dict.fromkeys(row["tool"] for row in table))
    return marks(
        "Laws that a repair should keep, and which tools keep them",
        [law.name.replace("_", " ") for law in LAWS],
        tools,
        {(row["law"].replace("_", " "), row["tool"]): row["outcome"] for row in table},
    )


def page(table):
    """Lay out laws by tools, and what was seen where one does not hold."""
    tools = {row["tool"]: row for row in table}
    found = {(row["law"], row["tool"]): row for row in table}
    short = {"not applicable": "–", "fails": "**fails**", "stops": "*stops*"}
    rows = []
    for law in LAWS:
        outcomes = (found[law.name, tool]["outcome"] for tool in tools)
        rows.append([law.says.rstrip("."), *(short.get(o, o) for o in outcomes)])
    counts = ["laws kept, of those that apply"]
    for tool in tools:
        mine = [row["outcome"] for row in table if row["tool"] == tool]
        counts.append(f"{mine.count('holds')} of {len(mine) - mine.count('not applicable')}")
    versions = ", ".join(
        f"{tool} {row['version']}" for tool, row in tools.items() if tool != "as they read"
    )
    parts = [markdown(["law", *tools], [*rows, counts]), f"Versions: {versions}."]
    for tool in tools:
        seen = "\n".join(f"- {law.says} {_reason(found[law.name, tool])}" for law in LAWS
                         if found[law.name, tool]["outcome"] in ("fails", "stops"))  # fmt: skip
        if seen:
            parts.append(f"## {tool}: what was seen\n\n{seen}")
    beside = "\n".join(
        f"- {tool}: {_listed(table, tool)}." for tool in tools if _listed(table, tool)
    )
    parts.append(f"## Laws that are beside what a tool claims\n\n{beside}")
    whys = "\n".join(f"- {law.says} {law.why}" for law in LAWS)
    return "\n\n".join([*parts, f"## Why each law matters\n\n{whys}"])


def _reason(row):
    how = "It stops: " if row["outcome"] == "stops" else ""
    return f"{how}`{row['reason']}`"


def _listed(table, tool):
    reasons = {}
    for row in table:
        if row["tool"] == tool and row["outcome"] == "not applicable":
            reasons.setdefault(row["reason"], []).append(row["law"].replace("_", " "))
    return "; ".join(f"{reason} ({', '.join(laws)})" for reason, laws in reasons.items())
