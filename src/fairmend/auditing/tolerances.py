"""What can be tolerated, stated before looking, and why."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

from fairmend.errors import OptionError
from fairmend.measures.drift.stationarity import TOLERANCE as DRIFT
from fairmend.measures.inference.verdict import TOLERANCES, Measure, judge

RULE = 0.8
"""The four-fifths rule of US employment law: a group's rate over that of the group ahead."""


@dataclass(frozen=True)
class Tolerances:
    """Limits that verdicts compare intervals with.

    Attributes
    ----------
    e, tv : float
        Of the dependence of a feature after the repair: E in nats, and total variation.
    leak : float
        Of an adversary's AUC.
    drift : float
        Of the distance between the archive and the research marginals.
    impact : float
        The ratio of favourable outcomes that every group should reach.
    """

    e: float = TOLERANCES["e"]
    tv: float = TOLERANCES["tv"]
    leak: float = TOLERANCES["auc"]
    drift: float = DRIFT
    impact: float = RULE

    @classmethod
    def of(cls, given: Mapping[str, float]) -> Self:
        """Read tolerances by name, in any case; those not given are the defaults.

        Examples
        --------
        >>> Tolerances.of({"E": 0.05}).e
        0.05
        >>> Tolerances.of({"auc": 0.6})
        Traceback (most recent call last):
        fairmend.errors.OptionError: tolerances='auc' is not known. Pass one of ['e', 'tv', ...
        """
        names = [field.name for field in fields(cls)]
        option = "tolerances"
        read = {}
        for name, value in given.items():
            if name.lower() not in names:
                raise OptionError.not_one_of(option, name, names)
            most = math.inf if name.lower() == "e" else 1.0
            if not 0 <= value <= most or math.isinf(value):
                option = f"{option}[{name!r}]"
                raise OptionError.not_in_range(option, value, 0, most)
            read[name.lower()] = float(value)
        return cls(**read)

    def reason(self, measure: Measure) -> str:
        """Say why a tolerance is what it is."""
        mine = {"e": self.e, "tv": self.tv, "auc": self.leak}[measure]
        stated = None if mine == TOLERANCES[measure] else mine
        return judge(measure, 0.0, (0.0, 0.0), 1, stated).reason
