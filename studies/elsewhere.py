"""Peers' repairs, in the environment that `make peers` makes, with which a study talks by files."""

import os
import subprocess
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from peers import PEERS

PYTHON = Path(os.environ.get("PEERS_PYTHON", ".venv-peers/bin/python"))
SECONDS = 300
"""A peer that takes longer is stopped, and the page says so."""


def absent():
    """Say what is not there."""
    return None if PYTHON.exists() else f"{PYTHON} is not there; `make peers` makes it"


def repaired_by(peer, research, archive, features):
    """Let a peer repair numeric columns of the archive, or say why it cannot.

    Both tables have S in their column ``sex`` and U in ``college``.
    """
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.parquet" for name in ("research", "archive", "out")]
        for table, path in zip((research, archive), paths, strict=False):
            pq.write_table(table.select([*features, "sex", "college"]), path)
        line = [PYTHON, Path(__file__).parent / "leak_peer.py", peer, *paths]
        try:
            subprocess.run(line, capture_output=True, text=True, check=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None, f"it had not ended after {SECONDS} seconds"
        except subprocess.CalledProcessError as error:
            return None, error.stderr.strip().splitlines()[-1][:200]
        repaired = pq.read_table(paths[-1])
    for name in features:
        at = archive.schema.get_field_index(name)
        archive = archive.set_column(at, name, repaired[name])
    return archive, None


def versions():
    """Name the versions of the peers that are there."""
    code = (
        "from importlib.metadata import version\n"
        f"print(', '.join(f'{{n}} {{version(n)}}' for n in {list(PEERS)}))"
    )
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "versions unknown"
