"""Tools of others that repair features, each as its manual says, as adapters of `fairmend.testing`.

They run in the environment that `make peers` makes, where fairmend is not installed; the laws need
nothing else of it. An adapter says what its tool does not claim: by `NotApplicable` where an option
is asked for that it does not have, and in `not_applicable` by the names of laws.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from fairmend.testing import Adapter, NotApplicable

ARRAYS = {
    "index_is_kept": "it gives one array of floats",
    "types_are_kept": "it gives one array of floats",
    "other_columns_stay": "it gives the repaired columns alone",
}
ON_THE_ARCHIVE = {
    "no_research_row_is_kept": "nothing is fitted",
    "saved_and_loaded_it_gives_the_same": "nothing is fitted",
    "unseen_group_is_not_guessed": "nothing is fitted: every group of the archive was seen",
    "group_of_one_row_is_no_bare_error": "nothing is fitted on the research data",
}
SCORES = "it is made for scores of a model, which are real numbers"


class Peer(Adapter):
    """A tool without U."""

    package: ClassVar[str]
    calls: ClassVar[str]
    """What is called, for readers."""

    def fit(self, research, *, protected, unprotected, features, amount):
        """Fit on the research rows."""
        if unprotected is not None:
            message = "it does not compare groups within strata"
            raise NotApplicable(message)
        self.protected, self.features, self.amount = protected, list(features), amount
        self.learn(research)

    def learn(self, research):
        """Fit, with the roles that are known by now."""


class Fairlearn(Peer):
    """Remove correlation, as fitted on the research rows; more than two groups by indicators."""

    package, calls = "fairlearn", "`CorrelationRemover`"
    not_applicable: ClassVar = ARRAYS | {
        "binary_columns_are_merged_and_not_swapped": "it claims that correlation goes, no more",
        "whole_numbers_are_repaired": "it claims that correlation goes, no more",
        "unseen_group_is_not_guessed": "it takes S as a number, of which 2 is one more",
    }

    def learn(self, research):
        """Regress the features on S."""
        from fairlearn.preprocessing import CorrelationRemover

        self.groups = sorted(research[self.protected].unique())
        ids = [f"group {g}" for g in self.groups[1:]] if len(self.groups) > 2 else [self.protected]
        self.remover = CorrelationRemover(sensitive_feature_ids=ids, alpha=self.amount)
        self.remover.fit(self.columns(research))

    def transform(self, archive):
        """Take off what S explains."""
        repaired = self.remover.transform(self.columns(archive))
        return pd.DataFrame(repaired, columns=self.features)

    def columns(self, table):
        """Pick the features and S."""
        if len(self.groups) <= 2:
            return table[[*self.features, self.protected]]
        told = {f"group {g}": (table[self.protected] == g).astype(float) for g in self.groups[1:]}
        return table[self.features].assign(**told)


class ScikitFair(Peer):
    """Remove disparate impact, as fitted on the research rows."""

    package, calls = "scikit-fair", "`DisparateImpactRemover`"

    def learn(self, research):
        """Find the quantiles of groups."""
        from skfair.preprocessing import DisparateImpactRemover

        self.remover = DisparateImpactRemover(
            sens_attr=self.protected, repair_columns=self.features, lambda_param=self.amount
        )
        self.remover.fit(research)

    def transform(self, archive):
        """Map quantiles."""
        return self.remover.transform(archive)


class Aif360(Peer):
    """Remove disparate impact from the archive itself: this one cannot be applied to new rows."""

    package, calls = "aif360", "`DisparateImpactRemover`"
    not_applicable: ClassVar = ARRAYS | ON_THE_ARCHIVE

    def transform(self, archive):
        """Fit and repair."""
        from aif360.algorithms.preprocessing import DisparateImpactRemover
        from aif360.datasets import StructuredDataset

        dataset = StructuredDataset(
            df=archive[[*self.features, self.protected]],
            label_names=[],
            protected_attribute_names=[self.protected],
        )
        remover = DisparateImpactRemover(
            repair_level=self.amount, sensitive_attribute=self.protected
        )
        repaired = remover.fit_transform(dataset)
        return pd.DataFrame(repaired.features, columns=repaired.feature_names)[self.features]


class Aequitas(Peer):
    """Repair towards the law of everybody, as fitted on the research rows."""

    package, calls = "aequitas", "`DataRepairer`"

    def learn(self, research):
        """Find the quantiles of groups and of everybody; it wants labels, and looks at none."""
        _without_own_code(
            "aequitas.flow", "aequitas.flow.methods", "aequitas.flow.methods.preprocessing"
        )
        from aequitas.flow.methods.preprocessing.data_repairer import DataRepairer

        self.repairer = DataRepairer(repair_level=self.amount, columns=self.features)
        groups = self.groups(research)
        self.repairer.fit(research.drop(columns=self.protected), groups, groups)

    def transform(self, archive):
        """Map quantiles."""
        groups = self.groups(archive)
        rest = archive.drop(columns=self.protected)
        repaired, *_ = self.repairer.transform(rest, groups, groups)
        return repaired

    def groups(self, table):
        """Write S as it wants it."""
        return table[self.protected].astype(int).astype("category")


class Fairpipe(Peer):
    """Remove disparate impact, as fitted on the research rows."""

    package, calls = "fairpipe", "`DisparateImpactRemover`"

    def learn(self, research):
        """Find the quantiles of groups and of everybody."""
        from fairness_pipeline_dev_toolkit.pipeline.transformers import DisparateImpactRemover

        self.remover = DisparateImpactRemover(
            features=self.features, sensitive=self.protected, repair_level=self.amount
        )
        self.remover.fit(research)

    def transform(self, archive):
        """Map quantiles."""
        return self.remover.transform(archive)


class Equipy(Peer):
    """Move each column to the groups' barycentre as if it were a score, fitted on research rows."""

    package, calls = "equipy", "`FairWasserstein`, a column as a score"
    not_applicable: ClassVar = ARRAYS | {
        "binary_columns_are_merged_and_not_swapped": SCORES,
        "whole_numbers_are_repaired": SCORES,
        "whole_numbers_stay_whole_and_in_range": SCORES,
        "adversary_finds_groups_no_better": SCORES,
        "half_a_repair_tells_no_more_than_none": SCORES,
    }

    def learn(self, research):
        """Find the groups' laws of each column."""
        from equipy.fairness import FairWasserstein

        self.movers = {name: FairWasserstein() for name in self.features}
        for name, mover in self.movers.items():
            mover.fit(research[name].to_numpy(float), research[[self.protected]])

    def transform(self, archive):
        """Move scores to the barycentre."""
        epsilon = 1 - self.amount
        repaired = {
            name: np.ravel(
                mover.transform(archive[name].to_numpy(float), archive[[self.protected]], epsilon)
            )
            for name, mover in self.movers.items()
        }
        return pd.DataFrame(repaired)


def _without_own_code(*packages):
    """Let modules be imported from packages whose own code asks for torch and fairgbm."""
    for name in packages:
        if name in sys.modules:
            continue
        package = ModuleType(name)
        parent, _, own = name.rpartition(".")
        package.__path__ = [str(Path(import_module(parent).__path__[0]) / own)]
        sys.modules[name] = package


PEERS = {
    "fairlearn": Fairlearn,
    "scikit-fair": ScikitFair,
    "aif360": Aif360,
    "aequitas": Aequitas,
    "fairpipe": Fairpipe,
    "equipy": Equipy,
}


def repair(peer, research, archive):
    """Fit a peer and apply it to tables of which all columns but the group, `sex`, are features."""
    features = [name for name in research.columns if name != "sex"]
    adapter = PEERS[peer]()
    adapter.fit(research, protected="sex", unprotected=None, features=features, amount=1.0)
    return adapter.transform(archive)[features]
