"""A peer's repair, run in the peers' environment by `leak.py`: PEER RESEARCH ARCHIVE OUT."""

import sys

import pandas as pd


def fairlearn(research, archive):
    """Remove correlation, as fitted on the research rows."""
    from fairlearn.preprocessing import CorrelationRemover

    remover = CorrelationRemover(sensitive_feature_ids=["sex"])
    remover.fit(research)
    features = [name for name in research.columns if name != "sex"]
    return pd.DataFrame(remover.transform(archive), columns=features)


def scikit_fair(research, archive):
    """Remove disparate impact, as fitted on the research rows."""
    from skfair.preprocessing import DisparateImpactRemover

    features = [name for name in research.columns if name != "sex"]
    remover = DisparateImpactRemover(sens_attr="sex", repair_columns=features)
    remover.fit(research)
    return remover.transform(archive)


def main():
    """Read, repair, write."""
    peer, *paths = sys.argv[1:]
    tables = []
    for path in paths[:2]:
        table = pd.read_parquet(path)
        table["sex"] = (table["sex"] == "Male").astype(int)
        tables.append(table.astype(float))
    repaired = {"fairlearn": fairlearn, "scikit-fair": scikit_fair}[peer](*tables)
    pd.DataFrame(repaired).drop(columns="sex", errors="ignore").to_parquet(paths[2])


if __name__ == "__main__":
    main()
