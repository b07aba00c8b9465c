"""What stands before every request: the token, the count, and an end to faults without a trace."""

import hmac
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from fairmend.serve import refusals
from fairmend.serve.metrics import Metrics
from fairmend.serve.records import write

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PATHS = ("/repair", "/plan", "/health", "/metrics", "/openapi.json")
OPEN = "/health"
"""The one path that needs no token, for load balancers."""

log = logging.getLogger("fairmend.serve")


class Guard:
    """ASGI middleware.

    A fault of our own is answered by 500 and logged by its type and place only: its message, or a
    traceback's lines, might hold what a caller sent.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str, optional
        Which callers must send.
    metrics : Metrics
        Counts requests.
    """

    def __init__(self, app: Any, token: str | None, metrics: Metrics) -> None:
        self.app = app
        self.token = None if token is None else token.encode()
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def sent(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"cache-control", b"no-store")]
            await send(message)

        try:
            if self._is_known(scope):
                await self.app(scope, receive, sent)
            else:
                refusal = refusals.no_token()
                await answer(sent, refusal.status, refusal.message)
        except Exception as fault:  # noqa: BLE001
            log.error("a fault of fairmend's own: %s", place_of(fault))
            if not status:
                await answer(sent, 500, "A fault of the server's own; its log says where.")
        finally:
            path = scope["path"] if scope["path"] in PATHS else "other"
            self.metrics.answered(path, status, time.perf_counter() - started)

    def _is_known(self, scope: Scope) -> bool:
        if self.token is None or scope["path"] == OPEN:
            return True
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, token = (given[0] if len(given) == 1 else b"").partition(b" ")
        return hmac.compare_digest(token.strip(), self.token) and scheme.lower() == b"bearer"


async def answer(send: Send, status: int, message: str) -> None:
    """Send a sentence as JSON."""
    body = write({"detail": message})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def place_of(fault: BaseException) -> str:
    """Name a fault's type and the line that raised it, without its message."""
    trace = fault.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f" ({trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno})"
    return f"{type(fault).__name__}{where}"
