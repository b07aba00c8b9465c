"""Tables that chance could have given: S permuted within the stratum, or the rows drawn again."""

from collections.abc import Callable, Iterator

import numpy as np

from fairmend.measures.arrays import Codes, Floats
from fairmend.measures.inference.tables import CountTable

MOST_CELLS = 4_000_000
"""Counts held at once; more draws than fit are made in turns."""


def permuted(table: CountTable, draws: int, rng: np.random.Generator) -> Iterator[Codes]:
    """Permute S within the stratum, many times.

    To deal the groups out anew over the rows is to deal the rows of each place out over the groups
    with both margins kept: the multivariate hypergeometric law. One draw costs as much as the table
    has cells, however many rows there are.

    Yields
    ------
    ndarray of shape (b, n_groups, m)
        ``draws`` tables in all.
    """
    for b in _turns(table, draws):
        left = np.broadcast_to(table.counts.sum(axis=0), (b, table.scores.size)).copy()
        dealt = np.empty((b, *table.counts.shape), dtype=np.int64)
        for group, size in enumerate(table.sizes[:-1]):
            dealt[:, group] = _drawn(left, int(size), rng)
            left -= dealt[:, group]
        dealt[:, -1] = left
        yield dealt


def _drawn(left: Codes, size: int, rng: np.random.Generator) -> Codes:
    """Draw ``size`` rows without replacement from each line of ``left``, place by place."""
    taken = np.empty_like(left)
    rest, wanted = left.sum(axis=1), np.full(left.shape[0], size)
    for place in range(left.shape[1]):
        here = left[:, place]
        rest -= here
        taken[:, place] = rng.hypergeometric(here, rest, wanted)
        wanted -= taken[:, place]
    return taken


def redrawn(
    table: CountTable, laws: Floats, draws: int, rng: np.random.Generator
) -> Iterator[Codes]:
    """Draw as many rows as each group has from its law, many times.

    Parameters
    ----------
    laws : ndarray of shape (n_groups, m)
        Each group's masses.
    """
    for b in _turns(table, draws):
        yield np.stack(
            [rng.multinomial(n, law, size=b) for n, law in zip(table.sizes, laws, strict=True)],
            axis=1,
        )


def measured(
    tables: Iterator[Codes], of_tables: Callable[[Floats], tuple[Floats, ...]]
) -> list[Floats]:
    """Apply a function to all tables, in turns, and join what it gives."""
    parts = [of_tables(turn.astype(np.float64)) for turn in tables]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def _turns(table: CountTable, draws: int) -> Iterator[int]:
    most = max(1, MOST_CELLS // table.counts.size)
    for start in range(0, draws, most):
        yield min(most, draws - start)
