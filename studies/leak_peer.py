"""A peer's repair, run in the peers' environment by the leak study: PEER RESEARCH ARCHIVE OUT."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd


def fairlearn(research, archive):
    """Remove correlation, as fitted on the research rows."""
    from fairlearn.preprocessing import CorrelationRemover

    remover = CorrelationRemover(sensitive_feature_ids=["sex"])
    remover.fit(research)
    return pd.DataFrame(remover.transform(archive), columns=features_of(research))


def scikit_fair(research, archive):
    """Remove disparate impact, as fitted on the research rows."""
    from skfair.preprocessing import DisparateImpactRemover

    remover = DisparateImpactRemover(sens_attr="sex", repair_columns=features_of(research))
    remover.fit(research)
    return remover.transform(archive)


def aif360(research, archive):
    """Remove disparate impact from the archive itself: this one cannot be applied to new rows."""
    from aif360.algorithms.preprocessing import DisparateImpactRemover
    from aif360.datasets import BinaryLabelDataset

    dataset = BinaryLabelDataset(
        df=archive.assign(label=np.arange(len(archive)) % 2),
        label_names=["label"],
        protected_attribute_names=["sex"],
    )
    repaired = DisparateImpactRemover(sensitive_attribute="sex").fit_transform(dataset)
    return pd.DataFrame(repaired.features, columns=repaired.feature_names)


def aequitas(research, archive):
    """Repair towards the law of everybody, as fitted on the research rows."""
    _without_own_code(
        "aequitas.flow", "aequitas.flow.methods", "aequitas.flow.methods.preprocessing"
    )
    from aequitas.flow.methods.preprocessing.data_repairer import DataRepairer

    remover, features = DataRepairer(), features_of(research)
    sexes = [table["sex"].astype(int).astype("category") for table in (research, archive)]
    remover.fit(research[features], sexes[0], sexes[0])
    repaired, *_ = remover.transform(archive[features], sexes[1], sexes[1])
    return repaired


def fairpipe(research, archive):
    """Remove disparate impact, as fitted on the research rows."""
    from fairness_pipeline_dev_toolkit.pipeline.transformers import DisparateImpactRemover

    remover = DisparateImpactRemover(features=features_of(research), sensitive="sex")
    remover.fit(research)
    return remover.transform(archive)


def equipy(research, archive):
    """Move each column to the groups' barycentre as if it were a score, fitted on research rows."""
    from equipy.fairness import FairWasserstein

    repaired = {}
    for name in features_of(research):
        mover = FairWasserstein()
        mover.fit(research[name].to_numpy(), research[["sex"]])
        repaired[name] = np.ravel(mover.transform(archive[name].to_numpy(), archive[["sex"]]))
    return pd.DataFrame(repaired)


def _without_own_code(*packages):
    """Let modules be imported from packages whose own code asks for torch and fairgbm."""
    for name in packages:
        package = ModuleType(name)
        parent, _, own = name.rpartition(".")
        package.__path__ = [str(Path(import_module(parent).__path__[0]) / own)]
        sys.modules[name] = package


def features_of(table):
    """Name the columns to repair."""
    return [name for name in table.columns if name != "sex"]


PEERS = {
    "fairlearn": fairlearn,
    "scikit-fair": scikit_fair,
    "aif360": aif360,
    "aequitas": aequitas,
    "fairpipe": fairpipe,
    "equipy": equipy,
}


def main():
    """Read, repair, write."""
    peer, *paths = sys.argv[1:]
    tables = []
    for path in paths[:2]:
        table = pd.read_parquet(path).drop(columns="income")
        table["sex"] = (table["sex"] == "Male").astype(int)
        tables.append(table.astype(float))
    repaired = pd.DataFrame(PEERS[peer](*tables)).reset_index(drop=True)
    repaired.drop(columns="sex", errors="ignore").to_parquet(paths[2])


if __name__ == "__main__":
    main()
