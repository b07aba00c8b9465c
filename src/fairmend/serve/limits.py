"""Limits of one request: its size, its rows and its time."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairmend.plan.options import number_in
from fairmend.serve import refusals

if TYPE_CHECKING:
    from starlette.requests import Request


@dataclass(frozen=True)
class Limits:
    """What a request may take.

    Attributes
    ----------
    size : int
        Of its body, in bytes.
    rows : int
        In its body.
    seconds : float
        For its body to arrive, and again for its repair.
    """

    size: int = 10_000_000
    rows: int = 100_000
    seconds: float = 30.0

    def __post_init__(self) -> None:
        """Refuse limits that let nothing through."""
        number_in("max_bytes", self.size, 1, 2**40)
        number_in("max_rows", self.rows, 1, 2**40)
        number_in("timeout", self.seconds, 0.001, 1e6)

    async def body_of(self, request: "Request") -> bytes:
        """Read a body as far as it is allowed."""
        said = request.headers.get("content-length", "")
        if said.isdecimal() and int(said) > self.size:
            raise refusals.too_large(self.size)
        parts, size = [], 0
        try:
            async with asyncio.timeout(self.seconds):
                async for part in request.stream():
                    size += len(part)
                    if size > self.size:
                        raise refusals.too_large(self.size)
                    parts.append(part)
        except TimeoutError:
            raise refusals.too_slow(self.seconds) from None
        return b"".join(parts)
