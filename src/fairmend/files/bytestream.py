"""Bytes in and out of files, compressed or not, a block at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pyarrow as pa

BLOCK = 1 << 22
"""Bytes taken at once from a file."""


class Bytes(Protocol):
    """What text formats are read from."""

    def take(self) -> bytes:
        """Return the next bytes, waiting until there are some; none at the end."""


class Out(Protocol):
    """What formats are written to."""

    def write(self, data: bytes | pa.Buffer) -> object:
        """Write all of some bytes."""


class FileBytes:
    """The bytes of a file.

    Parameters
    ----------
    file : pyarrow.NativeFile
        Opened for reading.
    """

    def __init__(self, file: pa.NativeFile) -> None:
        self._file = file

    def take(self) -> bytes:
        """Return the next block."""
        data: bytes = self._file.read(BLOCK)
        return data


@contextmanager
def reading(path: Path, compression: str | None = None) -> Iterator[FileBytes]:
    """Open a file to be read from its beginning to its end.

    Parameters
    ----------
    path : Path
        The file.
    compression : {"gzip", "zstd"}, optional
        How it is compressed.
    """
    with pa.OSFile(str(path), "rb") as file:
        if compression is None:
            yield FileBytes(file)
        else:
            with pa.CompressedInputStream(file, compression) as plain:
                yield FileBytes(plain)


@contextmanager
def writing(path: Path, compression: str | None = None) -> Iterator[Out]:
    """Open a file to be written from its beginning to its end.

    Parameters
    ----------
    path : Path
        The file.
    compression : {"gzip", "zstd"}, optional
        How it is to be compressed.
    """
    with path.open("wb", buffering=0) as raw:
        if compression is None:
            yield Whole(raw)
        else:
            with pa.CompressedOutputStream(Whole(raw), compression) as packed:
                yield packed


class Whole:
    """An unbuffered file of which each writing writes all: the system may take a part at a time.

    Parameters
    ----------
    raw : file
        Opened in binary mode, without a buffer.
    """

    closed = False

    def __init__(self, raw: object) -> None:
        self._raw = raw

    def write(self, data: bytes | pa.Buffer) -> int:
        """Write all of some bytes."""
        left = memoryview(data)
        size = left.nbytes
        while left:
            left = left[self._raw.write(left) :]  # type: ignore[attr-defined]
        return size

    def flush(self) -> None:
        """Keep nothing back, as it never does."""

    def close(self) -> None:
        """Leave the file open: who opened it closes it."""
