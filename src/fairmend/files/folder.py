"""Which files an archive of many files has, and where the repair of each goes."""

import glob
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from fairmend.errors import FormatError, InputError, OutputError
from fairmend.files.channel import Piece
from fairmend.files.formats import FORMATS, Format, format_of

_MAGIC = "*?["


def is_many(archive: Path) -> bool:
    """Tell whether a path stands for many files: a folder, or a pattern that is no file's name."""
    return archive.is_dir() or (not archive.exists() and any(c in str(archive) for c in _MAGIC))


def pieces_of(archive: Path, out: Path, to: Format | None = None) -> list[Piece]:
    """List the files of a folder or a pattern, in the order in which their rows are numbered.

    Parameters
    ----------
    archive : Path
        A folder, which is searched with all folders in it, or a pattern such as
        ``"2024-*/*.parquet"``. Names that begin with a dot or an underscore are left out, here and
        in all folders, and so are files in a folder whose suffix names no format.
    out : Path
        The folder for the results, under the same names and in the same folders.
    to : Format, optional
        The results' format, if it is to be another one; it changes the names' suffix.

    Returns
    -------
    list of Piece
        Sorted by the names of folders and file, without suffixes. Folders named ``column=value``
        give their columns.
    """
    root, names = _names(archive)
    _refuse_overlap(root, out)
    pieces = [_piece(root, name, out, to) for name in names]
    outputs: dict[Path, Path] = {}
    for piece in pieces:
        if piece.out in outputs:
            raise OutputError.same(piece.out)
        outputs[piece.out] = piece.path
    return pieces


def pieces_in(research: Path) -> list[Piece]:
    """List the files of a folder or pattern that are only read, in the same order; or the one."""
    if not is_many(research):
        form = format_of(research)
        return [Piece(research, research, form, form)]
    root, names = _names(research)
    return [_piece(root, name, root, None) for name in names]


def _names(archive: Path) -> tuple[Path, list[Path]]:
    root, found = _found(archive)
    names = sorted((path.relative_to(root) for path in found), key=_place)
    if not names:
        raise InputError.no_files(archive, [suffix for form in FORMATS for suffix in form.suffixes])
    return root, names


def _place(name: Path) -> tuple[tuple[str, ...], str]:
    """Give a file's place in the order, which is without its suffix.

    Results of another format are in the same order then: ``x.d.csv`` comes after ``x.csv``, and
    ``x.d.parquet`` would come before ``x.parquet``, so that an audit paired other people's rows.
    """
    return (*name.parts[:-1], _stem(name)), name.name


def _stem(name: Path) -> str:
    lowered = name.name.lower()
    suffix = next(s for s in format_of(name).suffixes if lowered.endswith(s))
    return name.name[: -len(suffix)]


def _found(archive: Path) -> tuple[Path, list[Path]]:
    if archive.is_dir():
        paths = [path for path in archive.rglob("*") if path.is_file() and _has_format(path)]
        return archive, list(_shown(archive, paths))
    parts = archive.parts
    first = next(at for at, part in enumerate(parts) if any(c in part for c in _MAGIC))
    root = Path(*parts[:first])
    paths = [Path(name) for name in glob.glob(str(archive), recursive=True)]  # noqa: PTH207
    return root, list(_shown(root, [path for path in paths if path.is_file()]))


def _shown(root: Path, paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if not any(part.startswith((".", "_")) for part in path.relative_to(root).parts):
            yield path


def _has_format(path: Path) -> bool:
    try:
        format_of(path)
    except FormatError:
        return False
    return True


def _refuse_overlap(root: Path, out: Path) -> None:
    """Refuse to write into what is read, or around it: the next run would read its own results."""
    inner, outer = root.resolve(), out.resolve()
    if inner == outer or inner in outer.parents or outer in inner.parents:
        raise OutputError.overlap(out, root)


def _piece(root: Path, name: Path, out: Path, to: Format | None) -> Piece:
    source = format_of(name)
    target, result = source, name
    if to is not None and to is not source:
        target, result = to, name.with_name(_stem(name) + to.suffixes[0])
    fixed = dict(part.split("=", 1) for part in name.parts[:-1] if "=" in part)
    fixed = {unquote(column): unquote(value) for column, value in fixed.items()}
    return Piece(root / name, out / result, source, target, fixed)
