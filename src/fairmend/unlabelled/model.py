"""The label model: how likely each group is for a row whose own was never recorded."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast, get_args

import numpy as np

from fairmend.errors import LabelError, OptionError
from fairmend.frames.bins import BinSpec
from fairmend.frames.codec import Codec
from fairmend.frames.columns import Columns
from fairmend.frames.levels import Factor
from fairmend.frames.table import Frame
from fairmend.plan.options import number_in, one_of
from fairmend.research.columns import Kinds
from fairmend.research.roles import Names, as_names
from fairmend.transport.support import Floats
from fairmend.unlabelled.bayes import Bayes, bounds_of
from fairmend.unlabelled.calibration import Calibration
from fairmend.unlabelled.choice import Way, choose
from fairmend.unlabelled.classifier import Classified
from fairmend.unlabelled.fitted import Fitted
from fairmend.unlabelled.mixture import Mixture, best_shape
from fairmend.unlabelled.reading import read
from fairmend.unlabelled.tellers import Research, Teller

if TYPE_CHECKING:
    from fairmend.unlabelled.gaussian import Shape

Method = Literal["auto", "bayes", "mixture", "classifier"]


class LabelModel:
    """Learn Pr[s | x, u, z] from research data, for archives in which S was never recorded.

    Parameters
    ----------
    protected, unprotected : str or list of str
        S and U, as in :func:`fairmend.design`.
    features : list of str, optional
        Columns that tell the group, x: those of the plan. By default every column without a role.
    also : list of str
        Further columns that tell it and are not repaired, z: a postcode, how common a first name
        is. They are read before the repair and left as they are.
    kinds, unprotected_bins : dict
        As in :func:`fairmend.design`.
    method : {"auto", "bayes", "mixture", "classifier"}
        ``"bayes"``: the marginals of each stratum and group, as a plan draws them, multiplied.
        ``"mixture"``: a normal law of all numbers together for each group of a stratum, and shares
        of categories; learnt by expectation-maximisation from research data and the archive
        together. ``"classifier"``: what is passed as ``classifier=``. By default the one with the
        smallest log-loss on held-out research rows.
    classifier : object, optional
        A scikit-learn classifier; it is cloned and calibrated. A model that uses one cannot be
        saved, since its only form is a pickle, which can run any code when it is read.
    folds, seed : int
        Of the cross-validation.

    Notes
    -----
    It is calibrated for the population of the research data. Where the archive's groups have other
    shares, so do its posteriors have other values, and nothing in the archive tells.

    A model of a built-in method holds marginals, means and shares, and no person's row. A
    classifier may hold rows: k nearest neighbours are nothing else.

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True)
    >>> research, archive = adult.slice(0, 3_000), adult.slice(3_000, 1_000).drop(["sex"])
    >>> columns = {"protected": "sex", "unprotected": "college",
    ...            "features": ["age", "hours-per-week"]}
    >>> model = fairmend.LabelModel(**columns, also=["occupation"]).fit(research)
    >>> model.predict_proba(archive).shape
    (1000, 2)
    >>> plan = fairmend.design(research, **columns)
    >>> repaired = plan.repair(archive, labels=model, draw="sample", seed=7)
    >>> repaired.column_names == archive.column_names
    True
    """

    def __init__(
        self,
        *,
        protected: Names,
        unprotected: Names = None,
        features: Names = None,
        also: str | Sequence[str] = (),
        kinds: Kinds | None = None,
        unprotected_bins: Mapping[str, BinSpec] | None = None,
        method: Method = "auto",
        classifier: Any = None,
        folds: int = 5,
        seed: int = 0,
    ) -> None:
        self.protected = protected
        self.unprotected = unprotected
        self.features = features
        self.also = also
        self.kinds = kinds
        self.unprotected_bins = unprotected_bins
        self.method = method
        self.classifier = classifier
        self.folds = folds
        self.seed = seed

    def __repr__(self) -> str:
        """Say what is told by what; a fitted model says how well."""
        if not hasattr(self, "fitted_"):
            return f"<fairmend.LabelModel of {list(as_names(self.protected))}, not fitted>"
        columns = [name for name in self.columns if name not in self.strata.columns]
        loss, chance = self.calibration.log_loss, self.calibration.chance
        return (
            f"<fairmend.LabelModel: {list(self.groups.columns)} by {columns} in "
            f"{len(self.strata)} strata; {self.chosen}, log-loss {loss:.3f} against {chance:.3f}>"
        )

    def fit(self, research: Any, archive: Any = None) -> Self:
        """Learn from research data, and from the archive's own columns where a method can.

        Parameters
        ----------
        research : pandas, polars or pyarrow table
            With the protected columns.
        archive : pandas, polars or pyarrow table, optional
            Rows of the archive, or a sample of it. Its protected columns are not looked at.
        """
        one_of("method", self.method, get_args(Method))
        number_in("folds", self.folds, 2, np.inf)
        known = read(self, Frame(research, "research data"))
        rest = None if archive is None else Frame(archive, "archive")
        if rest is not None:
            rest.require(known.asked.told_by, "features")
            rest.require(known.strata.columns, "unprotected")
        ways = self._ways(rest)
        choice = choose(known, ways, int(self.folds), self.seed)
        teller = ways[choice.method](known)
        self.fitted_ = Fitted(
            known.groups,
            known.strata,
            dict(known.codecs),
            teller,
            choice.method,
            choice.temper,
            choice.calibration,
        )
        return self

    def _ways(self, archive: Frame | None) -> dict[str, Way]:
        """List the ways to be tried; the mixture's shape is chosen once, from all research data."""
        shapes: list[Shape] = []

        def mixture(research: Research) -> Mixture:
            if not shapes:
                shapes.append(best_shape(research, archive))
            return Mixture.fit(research, archive, shapes[0])

        ways: dict[str, Way] = {"bayes": Bayes.fit, "mixture": mixture}
        if self.classifier is not None:
            ways["classifier"] = lambda research: Classified.fit(research, self.classifier)
        if self.method == "auto":
            return ways
        if self.method not in ways:
            message = "method='classifier' needs one. Pass classifier=, or another method."
            raise OptionError(message)
        return {self.method: ways[self.method]}

    @property
    def learnt(self) -> Fitted:
        """What was learnt, without what was asked."""
        if not hasattr(self, "fitted_"):
            raise LabelError.not_fitted()
        return self.fitted_

    @property
    def groups(self) -> Factor:
        """The groups, in the order of the posterior."""
        return self.learnt.groups

    @property
    def strata(self) -> Factor:
        """The strata that the research data showed."""
        return self.learnt.strata

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of an archive that the model reads."""
        return self.learnt.columns

    @property
    def codecs(self) -> dict[str, Codec]:
        """How the columns that tell groups are written as numbers."""
        return self.learnt.codecs

    @property
    def chosen(self) -> str:
        """The method in use."""
        return self.learnt.method

    @property
    def calibration(self) -> Calibration:
        """What held-out research rows say of the model; printed, a table."""
        return self.learnt.calibration

    def posterior(self, frame: Columns) -> Floats:
        """Give each row's probabilities of the groups, of shape (n, groups)."""
        return self.learnt.posterior(frame)

    def predict_proba(self, archive: Any) -> Floats:
        """Give each row's probabilities of the groups, in the order of ``groups``."""
        return self.posterior(Frame(archive, "archive"))

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the model as canonical JSON; one with a classifier cannot be written."""
        from fairmend.unlabelled.storage import save

        save(self.learnt, Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model, refusing a damaged file or one of another version."""
        from fairmend.unlabelled.storage import load

        known = load(Path(path))
        model = cls(
            protected=known.groups.columns,
            unprotected=known.strata.columns,
            features=tuple(known.codecs),
            kinds={n: "categorical" for n, one in known.codecs.items() if one.type == "category"},
            unprotected_bins={name: bounds_of(one) for name, one in known.strata.bins.items()},
            method=cast("Method", known.method),
        )
        model.fitted_ = known
        return model


def refitted(model: LabelModel, research: Any, archive: Any) -> LabelModel:
    """Fit a model's chosen method to other rows, with all that was chosen for it."""
    known, rest = read(model, Frame(research, "research data")), Frame(archive, "archive")
    old = model.fitted_
    teller: Teller
    if isinstance(old.teller, Mixture):
        teller = Mixture.fit(known, rest, old.teller.shape)
    elif isinstance(old.teller, Bayes):
        teller = Bayes.fit(known)
    else:
        teller = Classified.fit(known, model.classifier)
    fresh = copy(model)
    codecs = dict(known.codecs)
    fresh.fitted_ = replace(
        old, groups=known.groups, strata=known.strata, codecs=codecs, teller=teller
    )
    return fresh
