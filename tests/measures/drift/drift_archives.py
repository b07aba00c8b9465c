"""Archives with columns of every kind, and as arrays."""

import numpy as np
import pyarrow as pa

from fairmend.frames.table import Frame
from fairmend.plan.apply import cells_of
from fairmend.plan.options import Policies


def rows_of(plan, archive):
    """Give an archive as the arrays that all drift measures take."""
    frame = Frame(archive, "archive")
    return frame.finite_numbers(plan.codecs), cells_of(plan, frame, Policies(unseen="pool"))


def of_every_kind(n, seed, shift=0.0):
    """Draw columns of every kind; ``shift`` moves each by that many deviations or shares."""
    rng = np.random.default_rng(seed)
    s, u = rng.integers(0, 2, n), rng.integers(0, 2, n)
    hours = np.rint(35 + 3 * s + 9 * rng.standard_normal(n) + 9 * shift)
    hours[rng.random(n) < 0.3] = 40
    gain = np.where(rng.random(n) < 0.4 + shift / 2, 0.0, rng.lognormal(1 + u, 1, n))
    place = np.where(rng.random(n) < shift / 2, "e", rng.choice(list("abcde"), n))
    return pa.table(
        {
            "s": s,
            "u": u,
            "real": rng.normal(s + u, 1, n) + shift,
            "flat": rng.random(n) * (1 + s) + shift / 3,
            "hours": hours,
            "gain": gain,
            "heavy": rng.lognormal(2.5 * shift, 2.5, n),
            "place": pa.array(place).dictionary_encode(),
        }
    )
