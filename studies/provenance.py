"""Where figures come from: the code that measured them, and its commit."""

import ast
import hashlib
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
WORDS = {"page", "figure"}
"""What a study says of its figures; the figures do not come from it."""
DRAWING = {"drawing", "dots", "writing"}


def fingerprint(study):
    """Hash the code that a study's figures come from: its own, and that of those it imports.

    Comments, docstrings of modules and what is said on the page do not count, so that words can be
    changed without running everything again.
    """
    return hashlib.sha256("\n".join(_code(Path(study.__file__), set())).encode()).hexdigest()[:12]


def _code(path, seen):
    seen.add(path)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if ast.get_docstring(tree) is not None:
        del tree.body[0]
    tree.body = [
        node for node in tree.body if not (isinstance(node, ast.FunctionDef) and node.name in WORDS)
    ]
    yield ast.dump(tree)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module not in DRAWING:
            imported = HERE.joinpath(*node.module.split(".")).with_suffix(".py")
            if imported.exists() and imported not in seen:
                yield from _code(imported, seen)


def commit():
    """Name the commit that is checked out, and say whether the code was changed since."""
    changed = _git("status", "--porcelain", "--", "src", "studies")
    return _git("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")


def _git(*words):
    try:
        done = subprocess.run(
            ["git", *words], capture_output=True, text=True, check=True, cwd=HERE.parent
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
