"""A peer's repair, run in the peers' environment by a study: PEER RESEARCH ARCHIVE OUT.

All columns but S (`sex`) and U (`college`) are repaired, within each stratum: no peer takes U.
"""

import sys

import pandas as pd
from peers import repair


def main():
    """Read, repair within each stratum, write."""
    peer, *paths = sys.argv[1:]
    research, archive = (pd.read_parquet(path) for path in paths[:2])
    parts = []
    for stratum, rows in archive.groupby("college"):
        known = research[research["college"] == stratum]
        parts.append(repair(peer, ready(known), ready(rows)).set_axis(rows.index))
    pd.concat(parts).sort_index().to_parquet(paths[2])


def ready(table):
    """Give a table as the peers take it: all columns numbers, S as 0 and 1."""
    table = table.drop(columns="college").reset_index(drop=True)
    table["sex"] = table["sex"].isin(["Male", 1])
    return table.astype(float)


if __name__ == "__main__":
    main()
