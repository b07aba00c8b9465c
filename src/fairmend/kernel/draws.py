"""Random draws that are addressed, not consumed.

A draw is ``mix(mix(row key) ^ H(seed, feature, name of the draw))``. It depends on the row and on
nothing else, so a repair gives the same bytes for any batch size, order, number of threads or
engine. Whoever holds the seed can recompute it: the seed is a secret (see ``Plan.repair``).
"""

import hashlib
import secrets

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import OptionError

Bits = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def mix(bits: Bits) -> Bits:
    """Scramble 64-bit words so that every input bit reaches every output bit.

    The finaliser of SplitMix64: a bijection, hence distinct keys never share all their draws.
    """
    mixed = bits + _GOLDEN
    shifted = mixed >> np.uint64(30)
    mixed ^= shifted
    mixed *= _FIRST
    np.right_shift(mixed, np.uint64(27), out=shifted)
    mixed ^= shifted
    mixed *= _SECOND
    np.right_shift(mixed, np.uint64(31), out=shifted)
    mixed ^= shifted
    return mixed


def row_numbers(first_row: int, n: int) -> Bits:
    """Count rows from ``first_row`` on, as keys."""
    whole = isinstance(first_row, int | np.integer) and not isinstance(first_row, bool)
    if not whole or not 0 <= first_row <= 2**63 - n:
        message = f"first_row={first_row!r} is no row's number. Pass a whole number from 0 on."
        raise OptionError(message)
    return np.arange(first_row, first_row + n, dtype=np.uint64)


def stream(seed: int, feature: str, draw: str) -> np.uint64:
    """Hash seed, feature and the draw's name to the constant that sets one stream apart."""
    name = feature.encode()
    message = len(name).to_bytes(8, "little") + name + draw.encode()
    digest = hashlib.blake2b(
        message, digest_size=8, key=seed.to_bytes(8, "little"), person=b"fairmend"
    )
    return np.uint64(int.from_bytes(digest.digest(), "little"))


def fresh_seed() -> int:
    """Draw 64 secret bits from the operating system."""
    return secrets.randbits(64)


def checked_seed(seed: int | None) -> int:
    """Return the seed as a 64-bit number, or fresh bits where none is given."""
    if seed is None:
        return fresh_seed()
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        # Its type and not its value: the seed is a secret.
        kind = type(seed).__name__
        message = f"seed= is a {kind}, not a whole number. Pass one from 0 to 2**64 - 1, or None."
        raise OptionError(message)
    if not 0 <= seed < 2**64:
        message = "seed= is outside 0 to 2**64 - 1. Pass a number in that range, or None."
        raise OptionError(message)
    return int(seed)
