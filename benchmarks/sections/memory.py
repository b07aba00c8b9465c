"""Memory against size.

Peak resident memory of whole processes, their threads included (they start no others), over Parquet
files of three sizes with row groups of 1,048,576 rows: `fairmend repair` of two columns with its
default `--memory`, and `fairmend design` of three. What the benchmark itself has taken, 150 MB, is
the least that can be measured. Of the rows, 4,194,304 are drawn, and then come again.
"""

import sys

from archives import FEATURES, folder, planned
from programs import repair, run, written
from torrent import ROLES

ROWS, SEED = 150_000_000, 2
SHARES = (15, 3, 1)
COLUMNS = ["--protected", ROLES["protected"], "--unprotected", ROLES["unprotected"],
           "--features", ",".join(FEATURES)]  # fmt: skip


def section(rows):
    """Repair and count a fifteenth, a third, and all of the rows."""
    with folder() as place:
        planned(place / "plan.json", SEED + 1)
        design = [sys.executable, "-m", "fairmend", "design", *COLUMNS, "--force"]
        commands = {
            "repair": (repair(place / "plan.json"), "out.parquet"),
            "design": (design, "out.json"),
        }
        table = {name: {"command": name} for name in commands}
        for share in SHARES:
            size = rows // share
            archive = written(place / "archive.parquet", size, SEED)
            for name, (command, out) in commands.items():
                done = run(command, archive, place / out)
                table[name][f"{size / 1e6:g} M rows: MB"] = done.megabytes
                table[name][f"{size / 1e6:g} M rows: s"] = done.seconds
    yield from table.values()
