"""Parquet repair against a plain copy.

A Parquet file of six columns, of which two are repaired, by `fairmend repair` and by programs that
copy it, in turn, each a process of its own with all cores: Polars' streaming engine from
`scan_parquet` to `sink_parquet`, and pyarrow row group by row group. All write snappy, as the file
has it. Seconds are the fewest of three runs, start included; the ratio of the rows/s to those of
Polars is the median over the runs, each of which compares neighbours in time.
"""

import statistics

from archives import folder, planned
from programs import COPIES, repair, run, written

ROWS, SEED = 50_000_000, 2
RUNS = 3


def section(rows):
    """Time the repair and both copies."""
    with folder() as place:
        archive = written(place / "archive.parquet", rows, SEED)
        planned(place / "plan.json", SEED + 1)
        contenders = {**COPIES, "fairmend repair": repair(place / "plan.json")}
        runs = {name: [] for name in contenders}
        for _ in range(RUNS):
            for name, command in contenders.items():
                runs[name].append(run(command, archive, place / "out.parquet"))
    for name, done in runs.items():
        pairs = zip(runs["Polars scan to sink"], done, strict=True)
        yield {
            "program": name,
            "M rows/s": rows / min(one.seconds for one in done) / 1e6,
            "rows/s: × Polars": statistics.median(a.seconds / b.seconds for a, b in pairs),
            "processor, s": min(one.processor for one in done),
            "peak memory, MB": max(one.megabytes for one in done),
        }
