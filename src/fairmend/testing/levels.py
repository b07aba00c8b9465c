"""Laws of levels that research did not show, or hardly: an error that says so, or a policy."""

import warnings

import numpy as np

from fairmend.testing.adapter import Adapter
from fairmend.testing.law import Make, first_words, require
from fairmend.testing.tables import FEATURES, Table, compare, fitted, numbers, people

WORDS = 4
"""Fewest words of an error that says what is wrong: ``KeyError: 2`` does not."""


def unseen_group_is_not_guessed(make: Make) -> None:
    """Rows of a group that research did not show stop the repair with words, or stay as they are.

    A third group that is repaired as the first, or set to zero, is harmed in silence.
    """
    adapter, archive = fitted(make, people()), people(seed=1)
    strange = (archive["id"] % 10 == 0).to_numpy()
    _stops_or_stays(adapter, archive, archive.assign(s=archive["s"].mask(strange, 2)), strange)


def unseen_stratum_is_not_guessed(make: Make) -> None:
    """Rows of a stratum that research did not show stop the repair with words, or stay as they are.

    There is nothing to compare these people with.
    """
    adapter, archive = fitted(make, people(), unprotected="u"), people(seed=1)
    strange = (archive["id"] % 10 == 0).to_numpy()
    _stops_or_stays(adapter, archive, archive.assign(u=archive["u"].mask(strange, 7)), strange)


def group_of_one_row_is_no_bare_error(make: Make) -> None:
    """A group with a single research row stops with words, or is repaired to finite values.

    Small groups are where unfairness hides, and a bare error in a library tells nobody what to do.
    """
    research, archive = people(), people(seed=1)
    # An error on any table would not be about the small group.
    fitted(make, research, ["x"]).transform(archive)
    research["s"] = (np.arange(len(research)) == 0).astype(int)
    try:
        found = fitted(make, research, ["x"]).transform(archive)
    except Exception as error:  # noqa: BLE001 - a tool may raise anything
        return _says_what_is_wrong(error)
    wild = int(np.sum(~np.isfinite(numbers(found, "x"))))
    return require(not wild, f"{wild:,} of {len(archive):,} values are not finite any more")


def _stops_or_stays(adapter: Adapter, archive: Table, strangers: Table, strange: object) -> None:
    """Require an error or a warning in words, or that strangers keep their values."""
    wanted = adapter.transform(archive)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = adapter.transform(strangers)
    except Exception as error:  # noqa: BLE001 - a tool may raise anything
        return _says_what_is_wrong(error)
    if any(len(str(one.message).split()) >= WORDS for one in said):
        return None
    strange = np.asarray(strange)
    for name in FEATURES:
        now, then = numbers(found, name)[strange], numbers(strangers, name)[strange]
        moved = int(np.sum(~np.isnan(now) & ~np.isclose(now, then)))
        to = f", {np.sum(now == 0):,} of them to 0" if (now == 0).any() else ""
        require(not moved, f"{name}: {moved:,} of {now.size:,} such rows were changed{to}, unsaid")
    return compare(found[~strange], wanted[~strange], FEATURES)


def _says_what_is_wrong(error: Exception) -> None:
    require(len(str(error).split()) >= WORDS, f"it stops with no more than {first_words(error)!r}")


LAWS = (
    unseen_group_is_not_guessed,
    unseen_stratum_is_not_guessed,
    group_of_one_row_is_no_bare_error,
)
