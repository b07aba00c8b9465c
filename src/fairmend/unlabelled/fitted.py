"""What a label model has learnt: all that a repair asks of it, on executors too.

NumPy and pyarrow are all that it needs, unless it uses a classifier.
"""

from dataclasses import dataclass

from fairmend.frames.codec import Codec
from fairmend.frames.columns import Columns
from fairmend.frames.levels import Factor
from fairmend.transport.support import Floats
from fairmend.unlabelled.calibration import Calibration
from fairmend.unlabelled.tellers import Teller, posterior_of


@dataclass(frozen=True)
class Fitted:
    """What a label model has learnt.

    Attributes
    ----------
    groups, strata : Factor
        What the research data showed.
    codecs : dict of str to Codec
        The columns that tell groups.
    teller : Teller
        The method, fitted.
    method : str
        Its name.
    temper : float
        Power of its likelihood.
    calibration : Calibration
        What held-out rows said of it.
    """

    groups: Factor
    strata: Factor
    codecs: dict[str, Codec]
    teller: Teller
    method: str
    temper: float
    calibration: Calibration

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of an archive that it reads."""
        return (*self.strata.columns, *self.codecs)

    def posterior(self, frame: Columns) -> Floats:
        """Give each row's probabilities of the groups, of shape (n, groups)."""
        frame.require(self.strata.columns, "unprotected")
        frame.require(tuple(self.codecs), "features")
        prior, likelihood = self.teller.scores(frame)
        return posterior_of(prior, likelihood, self.temper).T
