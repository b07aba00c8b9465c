"""Memory between two steps: kept, and not handed back to the system to be asked for again."""

from functools import cache

import numpy as np

LARGE = 2**25 - 2**16
"""Just below the 32 MB up to which glibc learns from an array that it will be wanted again."""


@cache
def keep_freed_memory() -> None:
    """Let a large array come and go, once, so that the C library keeps what is freed after it.

    glibc gives the end of its heap back as soon as a few hundred kilobytes of it are free, and a
    moment later fetches it again page by page: of a design's 2.6 seconds that took 0.7, in every
    second run. From then on it keeps up to 64 MB. Nothing is written to the array, so it takes no
    memory; other C libraries take no notice.
    """
    np.empty(LARGE, dtype=np.uint8)
