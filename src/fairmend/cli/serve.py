"""``fairmend serve``."""

import os
from pathlib import Path
from typing import Any

import click

from fairmend.cli.console import warn
from fairmend.cli.options import PATH, estimates, example, given, names, policies, size
from fairmend.errors import FairmendError, OptionError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
SEED, TOKEN = "FAIRMEND_SEED", "FAIRMEND_TOKEN"


@click.command(
    short_help="Repair records over HTTP.",
    epilog=example("fairmend serve --plan plan.json --key id --seed-file seed.txt"),
)
@click.option("--plan", type=PATH, required=True, help="The plan file.")
@click.option(
    "--key",
    multiple=True,
    required=True,
    callback=names,
    metavar="NAME,..",
    help="Members of a record that identify it; every record must have them.",
)
@click.option(
    "--seed-file",
    type=PATH,
    help=f"A file that holds the seed.  [default: the variable {SEED}]",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen at: this machine's."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@policies
@click.option(
    "--drop-protected", is_flag=True, help="Leave the protected members out of the answers."
)
@estimates
@click.option(
    "--max-bytes",
    callback=size,
    default="10MB",
    show_default=True,
    metavar="SIZE",
    help="Largest body of a request.",
)
@click.option(
    "--max-rows", type=click.IntRange(1), default=100_000, show_default=True, help="Largest batch."
)
@click.option(
    "--timeout",
    type=float,
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="For a body to arrive, and again for its repair.",
)
def serve(
    plan: Path,
    key: tuple[str, ...],
    seed_file: Path | None,
    host: str,
    port: int,
    max_bytes: int,
    max_rows: int,
    timeout: float,
    labels: Path | None,
    **options: Any,
) -> None:
    """Repair records over HTTP, one at a time or in batches, until Ctrl-C.

    POST /repair takes a record as a JSON object, a list of records, or an Arrow IPC stream, and
    answers in the same form. GET /plan shows the plan, /metrics counts for Prometheus, /health
    whether the server is up, and /openapi.json describes all of it to machines.

    THE SEED IS A SECRET, and must be the same at every start: it is read from the file or the
    variable FAIRMEND_SEED, and never logged or returned. fairmend repair --save-seed makes one.

    With the variable FAIRMEND_TOKEN set, callers must send its value in the header Authorization:
    Bearer TOKEN. Who may ask for repairs can learn what the seed does, so set it wherever others
    reach the server. Neither records nor protected values are ever logged.
    """
    from fairmend.plan.plan import Plan
    from fairmend.serve.limits import Limits
    from fairmend.serve.run import run

    try:
        from fairmend.serve import create_app
    except ImportError as error:
        raise FairmendError(str(error)) from error
    token = os.environ.pop(TOKEN, None)
    if token is None and host not in LOOPBACK:
        warn(
            f"--host {host} lets other machines in, and without {TOKEN} anybody there may ask for "
            f"repairs, which reveals what the seed does."
        )
    if labels is not None:
        from fairmend.unlabelled import LabelModel

        options["labels"] = LabelModel.load(labels)
    app = create_app(
        Plan.load(plan),
        _seed(seed_file),
        key=key,
        token=token,
        limits=Limits(max_bytes, max_rows, timeout),
        **given(options),
    )
    run(app, host, port)


def _seed(seed_file: Path | None) -> int:
    from fairmend.files.seeds import read_seed

    said = os.environ.pop(SEED, None)
    if seed_file is not None:
        return read_seed(seed_file)
    if said is None:
        message = (
            f"There is no seed. Set the variable {SEED}, or pass --seed-file with a file that "
            f"holds one; fairmend repair --save-seed makes such a file. A server that drew its own "
            f"would give a record other values after each start."
        )
        raise OptionError(message)
    if not said.strip().isdecimal():
        message = f"The variable {SEED} is not a whole number from 0 to 2**64 - 1."
        raise OptionError(message)
    return int(said)
