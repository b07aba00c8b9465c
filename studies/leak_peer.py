"""A peer's repair, run in the peers' environment by the leak study: PEER RESEARCH ARCHIVE OUT."""

import sys

import pandas as pd
from peers import repair


def main():
    """Read, repair, write."""
    peer, *paths = sys.argv[1:]
    tables = []
    for path in paths[:2]:
        table = pd.read_parquet(path).drop(columns="income")
        table["sex"] = (table["sex"] == "Male").astype(int)
        tables.append(table.astype(float))
    repair(peer, *tables).reset_index(drop=True).to_parquet(paths[2])


if __name__ == "__main__":
    main()
