"""What the author of a tool writes: how it is fitted, and how it is applied."""

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self
from unittest import SkipTest


class NotApplicable(SkipTest):
    """A law asks for what a tool does not claim to do; test runners skip on it."""


class Adapter:
    """A tool that repairs tables, as the laws see it.

    Write :meth:`fit` and :meth:`transform`. Give back what the tool gives: an adapter may pick
    columns and name them, and must not mend what the tool did. Where an option is asked for that
    the tool does not have, raise :class:`NotApplicable` with a few words; where a law as such is
    beside what the tool claims, name it in ``not_applicable``. A tool that draws random numbers is
    given a fixed seed, if it takes one, and the column ``id`` as its rows' key, if it takes that.

    Attributes
    ----------
    not_applicable : dict of str to str
        Names of laws, and why they do not apply.
    """

    not_applicable: ClassVar[Mapping[str, str]] = {}

    def fit(
        self,
        research: Any,
        *,
        protected: str,
        unprotected: str | None,
        features: Sequence[str],
        amount: float,
    ) -> None:
        """Learn how to repair.

        Parameters
        ----------
        research : pandas.DataFrame
            All of it numbers, except for the column ``note``. It has a column ``label``, 0 or 1,
            for tools that need one.
        protected : str
            The column of S: whole numbers, mostly 0 and 1.
        unprotected : str, optional
            The column of U, within the levels of which groups are to be compared.
        features : sequence of str
            The columns to repair.
        amount : float
            Share of the full repair, 1 in all laws but two.
        """
        raise NotImplementedError

    def transform(self, archive: Any) -> Any:
        """Repair other rows, and return a pandas table that holds the features at least.

        Parameters
        ----------
        archive : pandas.DataFrame
            A table with the columns of the research data.
        """
        raise NotImplementedError

    def save(self, path: Path) -> None:
        """Write what was fitted: a pickle of attributes, unless the tool has its own way."""
        path.write_bytes(pickle.dumps(vars(self)))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what :meth:`save` wrote."""
        loaded = cls.__new__(cls)
        vars(loaded).update(pickle.loads(path.read_bytes()))
        return loaded
