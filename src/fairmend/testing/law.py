"""A law: a name, the law in one sentence, why it matters, and a check of an adapter."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from fairmend.testing.adapter import Adapter, NotApplicable

Make = Callable[[], Adapter]
Outcome = Literal["holds", "fails", "stops", "not applicable"]


class BrokenLawError(AssertionError):
    """A law does not hold, and how that was seen."""


def require(holds: object, reason: str) -> None:
    """Stop with what was seen, where a law does not hold."""
    if not holds:
        raise BrokenLawError(reason)


@dataclass(frozen=True)
class Law:
    """A law that a repair should keep.

    Attributes
    ----------
    name : str
        Name of the check.
    says : str
        The law in one sentence.
    why : str
        What happens to people or data where it is broken.
    run : callable
        The check itself, of a function that makes an adapter.
    """

    name: str
    says: str
    why: str
    run: Callable[[Make], None]

    @classmethod
    def of(cls, run: Callable[[Make], None]) -> "Law":
        """Make a law of a check; its docstring holds the law, and after an empty line the why."""
        says, _, why = (run.__doc__ or "").partition("\n\n")
        return cls(run.__name__, says.strip(), " ".join(why.split()), run)

    def __str__(self) -> str:
        return self.name

    def check(self, make: Make) -> None:
        """Raise BrokenLawError, NotApplicable, or whatever the tool itself raises; or nothing."""
        why_not = make().not_applicable.get(self.name)
        if why_not:
            raise NotApplicable(why_not)
        self.run(make)


@dataclass(frozen=True)
class Result:
    """What became of one law.

    Attributes
    ----------
    law : Law
        The law.
    outcome : {"holds", "fails", "stops", "not applicable"}
        ``"stops"`` is an error of the tool where a result was asked for.
    reason : str
        What was seen, or why the law does not apply; empty where it holds.
    """

    law: Law
    outcome: Outcome
    reason: str = ""


def examine(make: Make, laws: Iterable[Law]) -> Iterator[Result]:
    """Check a tool against laws, one after the other, whatever it raises and warns of."""
    for law in laws:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield _examined(law, make)


def _examined(law: Law, make: Make) -> Result:
    try:
        law.check(make)
    except NotApplicable as said:
        return Result(law, "not applicable", str(said))
    except BrokenLawError as seen:
        return Result(law, "fails", str(seen))
    except Exception as error:  # noqa: BLE001 - a tool may raise anything, and it is written down
        return Result(law, "stops", first_words(error))
    return Result(law, "holds")


def first_words(error: BaseException) -> str:
    """Name an error and quote the first line that it says."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"[:200].rstrip(": ")
