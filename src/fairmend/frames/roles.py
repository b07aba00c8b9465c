"""Role columns: groups and strata of the rows of a table."""

from collections.abc import Mapping, Sequence

from fairmend.frames.bins import Bins
from fairmend.frames.codec import Codec
from fairmend.frames.columns import Columns
from fairmend.frames.levels import Codes, Encoded, Factor


def numbered(frame: Columns, factor: Factor) -> Codes:
    """Give each row the number of its group or stratum; UNSEEN where research had none."""
    return factor.encode(encoded_roles(frame, factor.columns, factor.bins), len(frame))


def numbered_where_known(frame: Columns, factor: Factor) -> Codes:
    """Give each row its number as :func:`numbered` does, a missing value being UNSEEN too."""
    return factor.encode(_encoded(frame, factor.columns, factor.bins), len(frame))


def encoded_roles(
    frame: Columns, columns: Sequence[str], bins: Mapping[str, Bins]
) -> list[Encoded]:
    """Encode role columns, binned ones by their bins; missing values are an error."""
    frame.refuse_missing(columns)
    return _encoded(frame, columns, bins)


def _encoded(frame: Columns, columns: Sequence[str], bins: Mapping[str, Bins]) -> list[Encoded]:
    return [
        bins[name].encode(frame.finite_numbers({name: Codec("number")})[name])
        if name in bins
        else frame.encoded(name)
        for name in columns
    ]
