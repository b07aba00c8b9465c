"""Check a tool from the command line: ``python -m fairmend.testing MODULE:ADAPTER``."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from importlib import import_module

from fairmend.testing import LAWS, Make, examine


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what becomes of each law, and return 1 where a law does not hold."""
    parser = argparse.ArgumentParser(
        prog="python -m fairmend.testing",
        description="Check a tool that repairs tables against laws.",
    )
    parser.add_argument("adapter", metavar="MODULE:ADAPTER", help="a class of adapters")
    parser.add_argument(
        "--laws", metavar="WORD", default="", help="only laws with this in the name"
    )
    asked = parser.parse_args(arguments)
    laws = [law for law in LAWS if asked.laws in law.name]
    if not laws:
        parser.error(
            f"no law has {asked.laws!r} in its name; there are {', '.join(map(str, LAWS))}"
        )
    counts: Counter[str] = Counter()
    for result in examine(_imported(parser, asked.adapter), laws):
        counts[result.outcome] += 1
        sys.stdout.write(f"{result.outcome:>14}  {result.law}\n")
        if result.reason:
            sys.stdout.write(f"{'':>16}{result.reason}\n")
        if result.outcome in ("fails", "stops"):
            sys.stdout.write(f"{'':>16}Why it matters: {result.law.why}\n")
        sys.stdout.flush()
    sys.stdout.write(", ".join(f"{n} {outcome}" for outcome, n in counts.items()) + "\n")
    return 1 if counts["fails"] + counts["stops"] else 0


def _imported(parser: argparse.ArgumentParser, name: str) -> Make:
    module, _, attribute = name.partition(":")
    if not attribute:
        parser.error(f"{name!r} names no adapter; write it as MODULE:ADAPTER")
    try:
        make: Make = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:  # exit code 1 is for laws that do not hold
        parser.error(f"{name!r} cannot be imported: {error}")
    return make


if __name__ == "__main__":
    sys.exit(main())
