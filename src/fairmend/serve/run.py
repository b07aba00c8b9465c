"""Running the application on uvicorn."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

MOST_AT_ONCE = 128
"""Connections and requests; more are answered by 503, so that a flood costs no memory."""


def run(app: "FastAPI", host: str, port: int) -> None:
    """Serve until the process is told to stop; the access log has paths, never bodies."""
    import uvicorn

    uvicorn.run(
        app,
        host=host,
        port=port,
        limit_concurrency=MOST_AT_ONCE,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=10,
        server_header=False,
        log_level="info",
    )
