"""AIF360's ``DisparateImpactRemover``, in its words, over a plan. AIF360 is not imported."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from fairmend.errors import ColumnError
from fairmend.research import design
from fairmend.research.roles import as_names

if TYPE_CHECKING:
    from fairmend.plan.plan import Plan


class DisparateImpactRemover(BaseEstimator):  # type: ignore[misc]
    """Repair the features of AIF360 datasets: fitted on one, applied to any.

    Takes the place of ``aif360.algorithms.preprocessing.DisparateImpactRemover``: the same two
    arguments, and datasets in and out. Other than that one, it learns a plan in ``fit`` that
    ``transform`` applies to other datasets, merges columns with ties, and can compare people within
    levels of ``unprotected``.

    Parameters
    ----------
    repair_level : float
        Share of the full repair, from 0 (nothing changes) to 1; ``amount`` of
        :func:`fairmend.design`.
    sensitive_attribute : str
        S: one of the dataset's features. By default its first protected attribute.
    unprotected : str or list of str, optional
        U: features within the levels of which people are compared.
    features : list of str, optional
        Features to repair. By default all but U and the dataset's protected attributes.
    options : dict, optional
        More arguments of :func:`fairmend.design`.

    Attributes
    ----------
    plan_ : Plan
        What ``fit`` designed.

    Notes
    -----
    Labels, scores, weights and protected attributes stay as they are, and none of them is read,
    except for S. Weights are not used, as in AIF360's remover. Indicator columns of a
    category (``race=White``) are features like others and repaired each by itself, so that a
    row may come to have two of them or none: repair the category before it is cut into indicators.
    ``transform`` draws a fresh seed in each call; it is not kept.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import fairmend
    >>> class Dataset(SimpleNamespace):
    ...     def copy(self):
    ...         return Dataset(**vars(self))
    >>> adult = fairmend.datasets.adult(complete=True).to_pandas()
    >>> adult["sex"] = (adult["sex"] == "Male").astype(float)
    >>> names = ["age", "hours-per-week", "sex"]
    >>> train, test = (
    ...     Dataset(features=part[names].to_numpy(float), feature_names=names,
    ...             protected_attribute_names=["sex"])
    ...     for part in (adult[:10_000], adult[10_000:])
    ... )
    >>> remover = DisparateImpactRemover(repair_level=0.8, sensitive_attribute="sex").fit(train)
    >>> repaired = remover.transform(test)
    >>> repaired.features.shape == test.features.shape
    True
    """

    def __init__(
        self,
        repair_level: float = 1.0,
        sensitive_attribute: str = "",
        *,
        unprotected: str | Sequence[str] | None = None,
        features: Sequence[str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.repair_level = repair_level
        self.sensitive_attribute = sensitive_attribute
        self.unprotected = unprotected
        self.features = features
        self.options = options

    def fit(self, dataset: Any) -> Self:
        """Design a plan from a dataset, the research data.

        Parameters
        ----------
        dataset : BinaryLabelDataset or another StructuredDataset
            Only ``features``, ``feature_names`` and ``protected_attribute_names`` are read.
        """
        attributes = [str(name) for name in dataset.protected_attribute_names]
        protected = self.sensitive_attribute or attributes[0]
        named = {protected, *as_names(self.unprotected), *as_names(self.features)}
        self.plan_: Plan = design(
            _table(dataset, "research data"),
            protected=protected,
            unprotected=self.unprotected,
            features=self.features,
            exclude=[name for name in attributes if name not in named],
            amount=self.repair_level,
            **(self.options or {}),
        )
        return self

    def transform(self, dataset: Any, **options: Any) -> Any:
        """Repair a dataset.

        Parameters
        ----------
        dataset : BinaryLabelDataset or another StructuredDataset
            Of any rows, with the features that the plan names. Not modified.
        **options
            Arguments of :meth:`fairmend.Plan.repair`, such as ``seed``, ``summary``, ``unseen``, or
            ``first_row`` where the dataset is a part of a longer one.

        Returns
        -------
        dataset of the same type
            A copy with repaired features.
        """
        check_is_fitted(self, "plan_")
        repaired = self.plan_.repair(_table(dataset, "archive"), **options)
        names, values = list(dataset.feature_names), np.array(dataset.features, dtype=float)
        for feature in self.plan_.feature_names:
            values[:, names.index(feature)] = repaired[feature].to_numpy()
        copy = dataset.copy()
        copy.features = values
        return copy

    def fit_transform(self, dataset: Any, **options: Any) -> Any:
        """Design a plan from a dataset, and repair that dataset with it."""
        return self.fit(dataset).transform(dataset, **options)


def _table(dataset: Any, role: str) -> pa.Table:
    names = [str(name) for name in dataset.feature_names]
    if len(set(names)) < len(names):
        raise ColumnError.duplicated(role, names)
    return pa.table(dict(zip(names, np.asarray(dataset.features, dtype=float).T, strict=True)))
