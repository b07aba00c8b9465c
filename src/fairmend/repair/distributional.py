"""The plan as a scikit-learn transformer: designed in ``fit``, applied in ``transform``."""

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, Literal, Self

from sklearn.utils.validation import check_is_fitted

from fairmend.frames.bins import BinSpec
from fairmend.frames.levels import Level
from fairmend.kernel.draws import checked_seed
from fairmend.kernel.move import Output
from fairmend.plan.labels import Draw, Labels
from fairmend.plan.options import Missing, OutOfRange, SmallGroups, Unseen
from fairmend.plan.plan import Plan
from fairmend.repair.estimator import RepairEstimator
from fairmend.repair.roles import Columns, names_of, refuse_two_roles
from fairmend.repair.rows import names_in
from fairmend.research import design
from fairmend.research.constraints import Constraints
from fairmend.transport.kinds import Kind


class DistributionalRepair(RepairEstimator):
    """Design a plan from the research data and repair any other rows with it.

    A door to :func:`fairmend.design` and :meth:`fairmend.Plan.repair` for scikit-learn's pipelines.
    S and U are columns of X, named by ``protected`` and ``unprotected``, or arrays that are passed
    to ``fit`` and ``transform`` as ``sensitive_features`` and ``control_features``.

    Parameters
    ----------
    protected : str, int or list of these, optional
        S, as columns of X: names, or positions. Several columns are crossed into groups.
    unprotected : str, int or list of these, optional
        U, as columns of X. Features are repaired within each of its levels.
    features : list of str or int, optional
        Columns to repair. By default every column that is neither a role, nor a key, nor in
        ``exclude``.
    exclude : list of str or int
        Columns to leave alone.
    kinds : dict of str or int to str or list
        Overrides the kind found from the data: ``"continuous"``, ``"discrete"``, ``"mixed"``,
        ``"categorical"``, ``"ordinal"``, or the list of a column's levels in order.
    unprotected_bins : dict of str or int to int, list or dict
        Cuts numeric unprotected columns into strata: a number of quantile bins, cut points, or
        names with bounds.
    sample_weight : str or int, optional
        Column of X with the weights of the research rows. It is never a feature and does not come
        out, since no model is to learn from it.
    n_support : int, optional
        Points of a continuous support, n_Q.
    margin : float
        Share of the research range by which a continuous support is widened at each end.
    bandwidth : {"silverman", "scott", "isj"} or float
        Rule for the kernels' width, or the width itself.
    output : {"support", "dithered", "monge"}
        Where continuous values go: to a drawn support point, spread evenly over that point's grid
        cell, or along the deterministic map.
    t : float
        Weight in the target of the second of two groups, in sorted order.
    target_weights : dict, list of float, "equal" or "size", optional
        Weights of more groups; equal by default.
    amount : float
        Share of the full repair, from 0 (nothing changes) to 1.
    missing : {"keep", "state"}
        Whether missing values stay missing, or are a state that is repaired too.
    unseen : {"raise", "keep", "pool"}
        What ``transform`` does with rows whose group or stratum, or values whose category, has no
        plan.
    out_of_range : {"clip", "keep", "raise"}
        What ``transform`` does with values beyond the support.
    min_group_size : int
        Research rows below which a group of a cell is small.
    small_groups : {"raise", "pool", "shrink"}
        What ``fit`` does with small groups: stop, learn them from all strata, or mix them with
        their stratum's law.
    shrinkage : "auto" or float
        Pseudo-rows of the stratum's shared shape in each group's marginal.
    min_atom_rows : int
        Values with fewer research rows are not named in the plan.
    solver : {"exact", "sinkhorn"}
        Exact couplings, or entropic ones by POT (extra ``ot``).
    regularisation : float
        Strength of the entropic blur, in units of the stratum's variance.
    joint : {"sequential"}, optional
        Repair what features tell together, too.
    constraints : list of dict, or "unseen-pairs"
        With ``joint``: combinations of values that no repair may produce, see
        :func:`fairmend.design`. Features are named as columns of the table.
    seed : int, optional
        Address of the draws, for tests and re-runs. By default ``fit`` draws 64 secret bits.
    key : str, int or list of these, optional
        Columns of X that tell rows apart (integers or strings): a row's draws follow from them.
        They stay in the output and are never features. By default rows are numbered from 0 in each
        call of ``transform``.
    drop_protected : bool
        Leave the protected columns out of the output, since it feeds a model.
    labels : LabelModel, optional
        Estimates the groups of rows that lack theirs in ``transform``: S may have gaps, and
        ``sensitive_features`` may be left out. As in :meth:`fairmend.Plan.repair`. Pass S to
        ``fit`` under the name that the model knows: a column of X, a named Series or a table.
    draw : {"sample", "map", "expected"}
        How such rows are repaired.

    Attributes
    ----------
    plan_ : Plan
        What ``fit`` designed. It holds neither a research row nor the seed, and is what to save
        and publish.
    n_features_in_ : int
        Columns of X in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where X was a table.

    See Also
    --------
    fairmend.design : The same without scikit-learn.
    fairmend.GeometricRepair : The on-sample baseline.

    Notes
    -----
    **A fitted estimator carries the seed**, so that ``transform`` is deterministic, and so does its
    pickle. Guard both: whoever has plan, seed, row number and repaired value can compute back the
    protected attribute. ``plan_`` does not carry it. A notebook displays parameters and fitted
    attributes, so a drawn seed is neither; one that is passed as ``seed`` is displayed.

    Without ``key``, row i of each call gets the draws of row i, so a single row is refused: every
    such call would get the same draw. Where rows arrive in small batches, pass ``key``; a row's
    result then depends neither on the other rows nor on its place.

    The output is of X's own type, with its order, index and dtypes: pandas, polars, pyarrow, or an
    array. Columns without names of text are called ``x0``, ``x1``, … The keys of an array have to
    be integers, so a float array has none. Missing feature values stay missing, unless
    ``missing="state"``. ``transform`` needs S too, or ``labels``: each group has its own
    way to the target.

    Arrays beside X count by place, not by index. In a pipeline they take metadata routing:
    ``set_fit_request(sensitive_features=True).set_transform_request(sensitive_features=True)``.
    A search over such a pipeline can score with the pipeline's own ``score`` only, because a
    scorer does not pass arrays on to ``transform``. With S as a column of X any scorer will do.

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True).select(["sex", "college", "hours-per-week"])
    >>> research, archive = adult.slice(0, 5_000), adult.slice(5_000, 5)
    >>> repair = fairmend.DistributionalRepair("sex", "college", seed=7).fit(research)
    >>> repair.transform(archive).to_pydict()
    {'college': [False, False, True, True, False], 'hours-per-week': [40, 40, 40, 52, 40]}

    The same with S beside X, which then has nothing to drop:

    >>> X, sex = research.drop(["sex"]), research["sex"]
    >>> repair = fairmend.DistributionalRepair(unprotected="college", seed=7)
    >>> repair.fit(X, sensitive_features=sex).get_feature_names_out().tolist()
    ['college', 'hours-per-week']

    S has to come from somewhere:

    >>> repair.fit(X)
    Traceback (most recent call last):
        ...
    fairmend.errors.OptionError: There is no protected attribute. Name its column of X in
    protected=, or pass its values to fit and transform as sensitive_features=. ...
    """

    plan_: Plan

    def __init__(
        self,
        protected: Columns = None,
        unprotected: Columns = None,
        features: Columns = None,
        *,
        exclude: Columns = (),
        kinds: Mapping[str | int, Kind | Sequence[Level]] | None = None,
        unprotected_bins: Mapping[str | int, BinSpec] | None = None,
        sample_weight: str | int | None = None,
        n_support: int | None = None,
        margin: float = 0.1,
        bandwidth: str | float = "silverman",
        output: Output = "support",
        t: float = 0.5,
        target_weights: Mapping[str, float] | Sequence[float] | str | None = None,
        amount: float = 1.0,
        missing: Missing = "keep",
        unseen: Unseen = "raise",
        out_of_range: OutOfRange = "clip",
        min_group_size: int = 2,
        small_groups: SmallGroups = "raise",
        shrinkage: str | float = "auto",
        min_atom_rows: int = 1,
        solver: Literal["exact", "sinkhorn"] = "exact",
        regularisation: float = 0.05,
        joint: Literal["sequential"] | None = None,
        constraints: Constraints = (),
        seed: int | None = None,
        key: Columns = None,
        drop_protected: bool = True,
        labels: Labels | None = None,
        draw: Draw = "sample",
    ) -> None:
        self.protected = protected
        self.unprotected = unprotected
        self.features = features
        self.exclude = exclude
        self.kinds = kinds
        self.unprotected_bins = unprotected_bins
        self.sample_weight = sample_weight
        self.n_support = n_support
        self.margin = margin
        self.bandwidth = bandwidth
        self.output = output
        self.t = t
        self.target_weights = target_weights
        self.amount = amount
        self.missing = missing
        self.unseen = unseen
        self.out_of_range = out_of_range
        self.min_group_size = min_group_size
        self.small_groups = small_groups
        self.shrinkage = shrinkage
        self.min_atom_rows = min_atom_rows
        self.solver = solver
        self.regularisation = regularisation
        self.joint = joint
        self.constraints = constraints
        self.seed = seed
        self.key = key
        self.drop_protected = drop_protected
        self.labels = labels
        self.draw = draw

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
    ) -> Self:
        """Design the plan from research data (Algorithm 1).

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (rows, columns)
            The research data.
        y : None
            Not used.
        sensitive_features : array-like of shape (rows,) or (rows, columns), optional
            S, where it is no column of X.
        control_features : array-like of shape (rows,) or (rows, columns), optional
            U, where it is no column of X.

        Returns
        -------
        DistributionalRepair
            This estimator.
        """
        _, table = self._read_research(X, sensitive_features, control_features)
        seed = checked_seed(self.seed)
        self.plan_ = design(table, **self._design_options())
        self._seed = seed  # not public: notebooks display the attributes that are
        return self

    def transform(
        self, X: Any, *, sensitive_features: Any = None, control_features: Any = None
    ) -> Any:
        """Repair the features of X (Algorithm 2).

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (rows, columns)
            The archive, with the columns that X had in ``fit``, S included. Not modified.
        sensitive_features, control_features : array-like, optional
            S and U of these rows, where ``fit`` was given arrays.

        Returns
        -------
        table or ndarray
            Of X's type, with its rows, index and dtypes; without S unless ``drop_protected=False``,
            and without the sample weights.
        """
        check_is_fitted(self, "plan_")
        rows, table = self._read_archive(X, sensitive_features, control_features)
        told: dict[str, Any] = {"labels": self.labels, "draw": self.draw}
        repaired = self.plan_.repair(table, seed=self._seed, key=self._named("key"), **told)
        return self._given_back(rows, repaired)

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        control_features: Any = None,
    ) -> Any:
        """Design the plan from X and repair the same rows.

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (rows, columns)
            The research data.
        y : None
            Not used.
        sensitive_features, control_features : array-like, optional
            S and U, where they are no columns of X.

        Returns
        -------
        table or ndarray
            What ``fit(X).transform(X)`` returns.
        """
        roles = {"sensitive_features": sensitive_features, "control_features": control_features}
        return self.fit(X, y, **roles).transform(X, **roles)

    def __sklearn_tags__(self) -> Any:
        """Say that floats keep their width, and that without a seed each fit draws its own."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.non_deterministic = self.seed is None
        return tags

    def _estimates_groups(self) -> bool:
        return self.labels is not None

    def _left_out(self) -> frozenset[str]:
        """Name the columns that do not come out: the sample weights never do."""
        return super()._left_out().union(self._named("sample_weight"))

    def _design_options(self) -> dict[str, Any]:
        """Collect the arguments of ``design``: the parameters of the same name, as columns of X."""
        mine = self.get_params(deep=False)
        options = {name: mine[name] for name in signature(design).parameters if name in mine}
        key, features, weight = (self._named(p) for p in ("key", "features", "sample_weight"))
        roles = {"protected": self._protected, "features": features, "key": key}
        refuse_two_roles(roles | {"sample_weight": weight})
        options["protected"], options["unprotected"] = self._protected, self._unprotected
        options["features"] = None if self.features is None else features
        options["exclude"] = (*self._named("exclude"), *key)
        options["sample_weight"] = weight[0] if weight else None
        if self.kinds is not None:
            options["kinds"] = dict(zip(self._named("kinds"), self.kinds.values(), strict=True))
        if self.unprotected_bins is not None:
            # U that is passed beside X is binned by the name it has there.
            columns = (*names_in(self), *self._unprotected)
            names = names_of(tuple(self.unprotected_bins), columns, "unprotected_bins")
            options["unprotected_bins"] = dict(
                zip(names, self.unprotected_bins.values(), strict=True)
            )
        return options
