"""The application: one plan, one seed, and a repair for whoever asks."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from fairmend._version import __version__
from fairmend.errors import FairmendError, OptionError, RowKeyError
from fairmend.frames.arrow import ArrowFrame
from fairmend.frames.keys import row_keys
from fairmend.frames.sharing import Sharing
from fairmend.kernel.draws import checked_seed
from fairmend.plan.storage import to_content
from fairmend.serve import refusals, streams
from fairmend.serve.guard import Guard
from fairmend.serve.limits import Limits
from fairmend.serve.metrics import Metrics
from fairmend.serve.openapi import documented, repair_operation
from fairmend.serve.records import Reader, parse, write
from fairmend.serve.refusals import RequestError

if TYPE_CHECKING:
    from fairmend.plan.labels import Draw
    from fairmend.plan.plan import Plan
    from fairmend.unlabelled import LabelModel

JSON = "application/json"


@dataclass(frozen=True)
class Service:
    """A plan, its seed, and how records are read.

    Attributes
    ----------
    plan : Plan
        What is applied.
    seed : int
        The secret; shown nowhere.
    reader : Reader
        Knows the members or columns that are needed.
    options : dict
        Policies, how groups are estimated, and whether protected columns are dropped.
    limits : Limits
        Of one request.
    metrics : Metrics
        What was done.
    """

    plan: "Plan"
    seed: int = field(repr=False)
    reader: Reader
    options: dict[str, Any]
    limits: Limits
    metrics: Metrics

    def repaired_json(self, body: bytes) -> bytes:
        """Repair one record or a list of them."""
        records, alone = parse(body)
        if len(records) > self.limits.rows:
            raise refusals.too_many(len(records), self.limits.rows)
        if not records:
            return write([])
        repaired = self.repaired(self.reader.table(records))
        dropped = self.plan.protected if self.options.get("drop_protected") else ()
        found = self.reader.records(records, repaired, dropped)
        return write(found[0] if alone else found)

    def repaired_stream(self, body: bytes) -> bytes:
        """Repair an Arrow table."""
        table = streams.read(body, self.limits.rows, self.limits.size)
        absent = [name for name in self.reader.needed if name not in table.schema.names]
        if absent:
            raise refusals.lacking(absent, len(table))
        return streams.write(self.repaired(table))

    def repaired(self, table: pa.Table) -> pa.Table:
        """Repair a table; what the plan refuses, the caller is told."""
        counts: dict[str, Any] = {}
        try:
            key = self.reader.key
            done = self.plan.repair(table, seed=self.seed, key=key, summary=counts, **self.options)
            seen = Sharing()
            row_keys(ArrowFrame(table, "archive"), key, None, seen)
        except FairmendError as error:
            raise refusals.refused(str(error)) from None
        self.metrics.repaired(counts, seen)
        return done


def create_app(
    plan: "Plan",
    seed: int,
    *,
    key: str | Sequence[str],
    token: str | None = None,
    limits: Limits | None = None,
    labels: "LabelModel | None" = None,
    draw: "Draw" = "sample",
    **options: Any,
) -> FastAPI:
    """Make the ASGI application that ``fairmend serve`` runs.

    Parameters
    ----------
    plan : Plan
        What is applied.
    seed : int
        **A secret.** It must be the same at every start, or a record gets other draws each time.
    key : str or list of str
        Members of a record (columns of an Arrow body) that identify it. Required: without a key
        everybody would get the same draw.
    token : str, optional
        Callers must send it as ``Authorization: Bearer TOKEN``, except to ``/health``.
    limits : Limits, optional
        Of one request.
    labels : LabelModel, optional
        Estimates the groups of records that do not say theirs, as in :meth:`fairmend.Plan.repair`.
    draw : {"sample", "map", "expected"}
        How such records are repaired.
    **options
        ``unseen``, ``out_of_range`` and ``drop_protected`` as in :meth:`fairmend.Plan.repair`.

    Returns
    -------
    FastAPI

    Notes
    -----
    Whoever may ask for repairs can find out what the seed does, record by record: with the plan and
    enough questions about one key, the protected attribute behind a repaired value can be told.
    Give the token to those only who may see the protected attribute anyway: they send it.
    """
    keys = (key,) if isinstance(key, str) else tuple(key)
    if not keys or token == "":
        message = "key= and token= must not be empty. Name what identifies a record, and a secret."
        raise OptionError(message)
    for name in keys:
        if name in (*plan.protected, *plan.unprotected):
            raise RowKeyError.a_role(name)
    if plan.is_blind:
        labels = None
    told: dict[str, Any] = {} if labels is None else {"labels": labels, "draw": draw}
    reader, metrics = Reader(plan, keys, labels), Metrics()
    service = Service(plan, checked_seed(seed), reader, options | told, limits or Limits(), metrics)
    app = FastAPI(title="fairmend", version=__version__, docs_url=None, redoc_url=None, debug=False)
    _add_repair(app, service)
    _add_others(app, service)
    app.add_middleware(Guard, token=token, metrics=metrics)
    app.add_exception_handler(RequestError, _refused)
    documented(app, with_token=token is not None)
    return app


def _add_repair(app: FastAPI, service: Service) -> None:
    ways: dict[str, Callable[[bytes], bytes]] = {
        JSON: service.repaired_json,
        streams.STREAM: service.repaired_stream,
    }

    async def repair(request: Request) -> Response:
        """Repair one record, a list of records or an Arrow stream, and answer in the same form."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in ways:
            raise refusals.other_type(list(ways))
        limits = service.limits
        try:
            body = await limits.body_of(request)
        except ClientDisconnect:
            return Response(status_code=400)  # to nobody
        work = run_in_threadpool(partial(ways[kind], body))
        try:
            async with asyncio.timeout(limits.seconds):
                return Response(await work, media_type=kind)
        except TimeoutError:
            raise refusals.too_busy(limits.seconds) from None

    described = repair_operation(service.reader)
    app.add_api_route("/repair", repair, methods=["POST"], **described)


def _add_others(app: FastAPI, service: Service) -> None:
    content = write(to_content(service.plan))

    async def plan() -> Response:
        """Show the plan that is applied, as its file has it."""
        return Response(content, media_type=JSON)

    async def health() -> dict[str, str]:
        """Say that the server is up."""
        return {"status": "ok"}

    async def metrics() -> Response:
        """Show what was done, in Prometheus' text format."""
        return Response(service.metrics.text(), media_type="text/plain; version=0.0.4")

    answers: dict[str, Any] = {
        "/plan": {"content": {JSON: {"schema": {"type": "object"}}}},
        "/metrics": {"content": {"text/plain": {"schema": {"type": "string"}}}},
    }
    for path, endpoint in (("/plan", plan), ("/metrics", metrics)):
        responses = {200: {"description": "As asked.", **answers[path]}}
        app.add_api_route(path, endpoint, responses=responses, response_class=Response)
    app.add_api_route("/health", health)


async def _refused(request: Request, refusal: RequestError) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse({"detail": refusal.message}, refusal.status)
