"""Laws that a repair of tables should keep, whoever wrote it, as checks that need no fairmend.

Write an :class:`Adapter` for a tool, and each law becomes a named test::

    @fairmend.testing.parametrize_with_laws(MyAdapter)
    def test_law(check):
        check()

or, without pytest, ``python -m fairmend.testing my_module:MyAdapter``. Needed are NumPy, pandas
and, for the adversary, scikit-learn; of fairmend nothing but this folder.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from fairmend.testing import fitted, levels, purpose, rows, values
from fairmend.testing.adapter import Adapter, NotApplicable
from fairmend.testing.law import BrokenLawError, Law, Make, Outcome, Result, examine

__all__ = [
    "LAWS",
    "Adapter",
    "BrokenLawError",
    "Law",
    "Make",
    "NotApplicable",
    "Outcome",
    "Result",
    "examine",
    "parametrize_with_laws",
]

LAWS = tuple(Law.of(run) for part in (purpose, fitted, rows, values, levels) for run in part.LAWS)
"""All laws."""


def parametrize_with_laws(make: Make, laws: Sequence[Law] = LAWS) -> Any:
    r"""Make a pytest mark that gives a test each law as ``check``, a function without arguments.

    Parameters
    ----------
    make : callable
        Makes an adapter: its class, mostly.
    laws : sequence of Law
        The laws to check.

    Examples
    --------
    >>> import fairmend.testing
    >>> from fairmend.testing import LAWS, Adapter
    >>> class LeaveAlone(Adapter):
    ...     def fit(self, research, *, protected, unprotected, features, amount):
    ...         pass
    ...     def transform(self, archive):
    ...         return archive
    >>> @fairmend.testing.parametrize_with_laws(LeaveAlone)
    ... def test_law(check):
    ...     check()
    >>> for result in fairmend.testing.examine(LeaveAlone, LAWS[:1]):
    ...     print(result.law, result.outcome, result.reason, sep="\n")
    groups_come_closer_on_new_rows
    fails
    x: the groups' distribution functions were 0.61 apart, and are 0.61
    """
    import pytest

    checks = [pytest.param(partial(law.check, make), id=law.name) for law in laws]
    return pytest.mark.parametrize("check", checks)
