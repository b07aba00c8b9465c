"""The command ``fairmend`` and its exit codes."""

import errno
import os
import signal
import sys
from contextlib import suppress
from typing import Any

import click

from fairmend._version import __version__
from fairmend.cli.audit import audit
from fairmend.cli.blind import blind
from fairmend.cli.demo import demo
from fairmend.cli.design import design
from fairmend.cli.expect_unlabelled import expect_unlabelled
from fairmend.cli.forecast import forecast
from fairmend.cli.inspect import inspect
from fairmend.cli.label_model import label_model
from fairmend.cli.leak import leak
from fairmend.cli.repair import repair
from fairmend.cli.serve import serve
from fairmend.cli.summarise import summarise
from fairmend.cli.tradeoff import tradeoff
from fairmend.errors import DriftError, FairmendError

STOPPED = 130
"""Exit code after Ctrl-C, as shells have it."""

TERMINATED = 143
"""Exit code after SIGTERM, likewise."""

NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

EPILOG = """\b
Try it:
  fairmend demo

\b
Then, with tables of your own (Parquet, Arrow IPC, CSV or NDJSON):
  fairmend design research.parquet --protected sex --unprotected college \\
      --features age,hours -o plan.json
  fairmend repair archive.parquet --plan plan.json -o repaired.parquet
  fairmend audit archive.parquet repaired.parquet --plan plan.json

\b
Environment:
  FAIRMEND_KERNEL  c or numpy: which kernel repairs; the bytes are the same. By
                   default C where it was built; fairmend inspect says which it is

\b
Exit codes:
  0    done
  1    unexpected: a fault of fairmend's own; please report its traceback
  2    the input or the options are at fault; the message says what to do
  3    audit --fail-if: the audit is done, and a condition holds
  4    repair --stop-on-drift: the archive has drifted from the research data
  130  stopped by Ctrl-C
  143  stopped by SIGTERM
  141  nobody read the results to their end, as in fairmend … | head
"""


class Terminated(KeyboardInterrupt):
    """The system or a scheduler asks the program to end."""


class Refusal(click.ClickException):
    """Something that the user can put right; said without a traceback."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Write the message to stderr."""
        click.echo(f"fairmend: error: {self.message}", file=file, err=file is None)


class Drifted(Refusal):
    """A run that was to stop at drift, and did."""

    exit_code = 4


class Commands(click.Group):
    """Commands whose errors of fairmend's own end in a message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order in which they are used."""
        return list(self.commands)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the whole command line, and say it where stdout has no room for the results."""
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            # Faults of files come as errors of fairmend's own.
            if error.errno not in NO_SPACE or error.filename is not None:
                raise
            _drop_stdout()
            reason = error.strerror or str(error)
            Refusal(f"stdout cannot be written ({reason}). Send it to another place.").show()
            sys.exit(Refusal.exit_code)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except DriftError as error:
            raise Drifted(str(error)) from error
        except FairmendError as error:
            raise Refusal(str(error)) from error
        except KeyboardInterrupt as stop:
            click.echo("fairmend: stopped; outputs that were not complete are gone.", err=True)
            ctx.exit(TERMINATED if isinstance(stop, Terminated) else STOPPED)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.version_option(__version__, prog_name="fairmend")
def cli() -> None:
    """Repair features of tabular data, so that they do not depend on a protected attribute.

    A plan is designed once, from a small research table that holds the protected attribute. It is
    then applied to archives of any size.
    """


for command in (
    forecast,
    design,
    repair,
    audit,
    leak,
    inspect,
    tradeoff,
    expect_unlabelled,
    label_model,
    blind,
    summarise,
    serve,
    demo,
):
    cli.add_command(command)


def _drop_stdout() -> None:
    """Forget what stdout still holds, or Python would try again at its end and complain."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _terminate(number: int, frame: object) -> None:
    raise Terminated


def main() -> None:
    """Run the command line; who stops reading its results ends it, quietly as everywhere."""
    # Boosting's threads otherwise spin while they wait for each other: on a machine that does other
    # work an adversary took ten times the processor time. OpenMP reads it when it is loaded, later.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, _terminate)
    cli(prog_name="fairmend")
