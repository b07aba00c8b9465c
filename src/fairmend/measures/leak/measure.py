"""The leak test over a table: every column alone, the features together, and all that is there."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from fairmend.errors import DataError
from fairmend.frames.bins import Bins, BinSpec
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Codes, Factor
from fairmend.frames.roles import encoded_roles
from fairmend.frames.table import Frame
from fairmend.measures.leak.columns import see
from fairmend.measures.leak.parts import FEWEST, Trial, parts_of, trial
from fairmend.measures.leak.results import Leak, Telltale

Names = str | Sequence[str] | None


def leak(
    table: Any,
    *,
    protected: str | Sequence[str],
    unprotected: Names = None,
    features: str | Sequence[str],
    exclude: Names = None,
    each: bool = True,
    all_columns: bool = True,
    unprotected_bins: Mapping[str, BinSpec] | None = None,
    classifier: Any = None,
    permutations: int = 1,
    max_rows: int = 30_000,
    random_state: int = 0,
) -> Leak:
    """Measure how well an adversary tells S within each level of U.

    A repair that shifts groups by amounts of their own shows here at once (AUC near 1), though it
    may look perfect by means and correlations. Three adversaries are trained: on each column alone,
    on all features together, and on every column that is handed on, since an untouched column may
    give away what the repaired ones hide.

    Parameters
    ----------
    table : pandas, polars or pyarrow table
        Before or after a repair, with S.
    protected, unprotected : str or list of str
        Columns of S and U.
    features : str or list of str
        The repaired columns. Missing values are seen as such.
    exclude : str or list of str, optional
        Columns that will not be handed on, such as a label kept apart.
    each, all_columns : bool
        Whether to test every column alone, and all columns together.
    unprotected_bins : dict, optional
        As in :func:`fairmend.design`.
    classifier : scikit-learn classifier, optional
        With ``predict_proba`` or ``decision_function``; a clone of it is trained. By default
        gradient boosting (``HistGradientBoostingClassifier``).
    permutations : int
        Runs with permuted S for the null.
    max_rows : int
        A larger table is sampled, to bound the time.
    random_state : int
        For folds, sampling, training and permutations: the same table gives the same figures.

    Returns
    -------
    Leak
        With ``auc`` and ``null`` of all features together; ``all_columns``; ``columns`` one by one,
        the most telling first; and ``to_dict``.

    Raises
    ------
    FairmendError
        If no stratum has two groups of at least 10 rows, or a role or feature is not there.

    Notes
    -----
    *AUC* is the chance that the adversary ranks a member of a group above another row of the same
    stratum: cross-validated in 3 folds within each stratum, each fold ranked by itself, averaged by
    rows. With more than two groups it is the mean over groups of one against the rest. 0.5 is
    chance; a figure below is an adversary misled by noise, reported as it is.

    *The interval* of 95 % is normal, with DeLong's variance of each fold, doubled. Doubled, because
    without dependence every pair of folds is counted twice, one teaching and the other tested and
    then the other way round. Where there is much dependence the interval is therefore somewhat
    wider than it need be; at an AUC of exactly 1 it has no width.

    *An adversary is no proof.* Another one may find more, and so may this one with more rows: the
    AUC is that of a model trained on two thirds of ``rows_used``.

    *Columns.* Numbers, times, categories and booleans are seen as they are; text by its whole
    values, not by its words. Where more than 255 values repeat, the adversary sees, beside the
    value, the share of each group among the training rows that have it, so that a shift by group
    of a fine column is found; the values of such text are ordered by frequency. Keys, which are
    text columns and integers outside ``features`` whose values do not repeat in more than 255 rows,
    columns of other types and those of one value only are not seen, and are listed in ``unseen``.
    Infinite values are seen as a little beyond the largest finite one.

    Groups of fewer than 10 rows in a stratum are left out of it (``rows_left_out``), so are rows
    without a group or stratum (``rows_unlabelled``).

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True).slice(0, 4_000)
    >>> before = fairmend.leak(adult, protected="sex", unprotected="college",
    ...                        features=["age", "hours-per-week"], permutations=1)
    >>> before.auc > before.null + 0.1
    True
    >>> before.columns[0].column, before.columns[0].is_feature
    ('relationship', False)
    """
    frame = Frame(table, "table")
    names = _listed(features)
    groups_of, strata_of, excluded = (_listed(n) for n in (protected, unprotected, exclude))
    for parameter, columns in (
        ("protected", groups_of),
        ("unprotected", strata_of),
        ("features", names),
        ("exclude", excluded),
    ):
        frame.require(columns, parameter)
    n_rows = len(frame)
    frame = frame.labelled([*groups_of, *strata_of])
    n_labelled = len(frame)
    if not n_labelled:
        raise DataError.empty(frame.name)
    if n_labelled > max_rows:
        rng = np.random.default_rng(random_state)
        frame = frame.rows(np.sort(rng.choice(n_labelled, max_rows, replace=False)))
    s, groups = _codes(frame, groups_of, {})
    u, strata = _codes(frame, strata_of, unprotected_bins or {})
    parts = parts_of(s, u, groups, strata)
    if not parts:
        message = (
            f"No stratum has two groups of at least {FEWEST} rows, so no adversary can be trained. "
            f"Pass more rows, or a coarser column in unprotected=."
        )
        raise DataError(message)
    told = {*groups_of, *excluded, *(n for n in strata_of if n not in (unprotected_bins or {}))}
    others = [n for n in frame.columns if all_columns and n not in {*told, *names}]
    seen, unseen = see(frame, [*names, *others], names)
    if not any(n in seen for n in names):
        reasons = ", ".join(f"{n!r} ({unseen[n]})" for n in names)
        message = f"No feature can be shown to an adversary: {reasons}. Name others in features=."
        raise DataError(message)
    run = partial(
        trial,
        parts=parts,
        classifier=classifier,
        permutations=permutations,
        random_state=random_state,
    )
    trials: dict[tuple[str, ...], Trial] = {}

    def of(columns: Sequence[str], *, shuffle: bool = False) -> Trial:
        """Test an adversary, once for each set of columns."""
        shown = tuple(n for n in columns if n in seen)
        if shown not in trials:
            trials[shown] = run([seen[n] for n in shown], shuffle=shuffle)
        return trials[shown]

    joint = of(names, shuffle=each)
    everything = of([*names, *others], shuffle=each) if all_columns else None
    telling = [
        Telltale(
            column=name,
            is_feature=name in names,
            alone=of([name]).auc if each else None,
            joint_drop=joint.drops.get(name),
            all_drop=None if everything is None else everything.drops.get(name),
        )
        for name in seen
    ]
    return Leak(
        joint=joint.auc,
        all_columns=None if everything is None else everything.auc,
        columns=tuple(sorted(telling, key=_least_telling)),
        unseen=unseen,
        rows=n_rows,
        rows_unlabelled=n_rows - n_labelled,
        rows_used=len(frame),
        rows_left_out=len(frame) - sum(part.rows.size for part in parts),
    )


def _listed(names: Names) -> list[str]:
    return [] if names is None else [names] if isinstance(names, str) else list(names)


def _codes(
    frame: Frame, columns: Sequence[str], specs: Mapping[str, BinSpec]
) -> tuple[Codes, Factor]:
    bins = {
        name: Bins.of(name, spec, frame.finite_numbers({name: Codec("number")})[name])
        for name, spec in specs.items()
    }
    encoded = encoded_roles(frame, columns, bins)
    factor = Factor.of(columns, encoded, bins)
    return factor.encode(encoded, len(frame)), factor


def _least_telling(one: Telltale) -> float:
    return -(one.alone.auc if one.alone is not None else 0.0)
