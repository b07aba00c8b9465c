"""Where figures come from: the code that measured them, and its commit."""

import ast
import hashlib
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def fingerprint(study):
    """Hash the code that a study's figures come from: `measure`, and all that it uses in `studies`.

    What is run, drawn and said does not count, so that these can be changed without running
    everything again; nor do comments.
    """
    code = _code(Path(study.__file__), "measure", set())
    return hashlib.sha256("\n".join(code).encode()).hexdigest()[:12]


def _code(path, name, seen):
    """Yield the definition of a name, and those of the names in it."""
    if (path, name) in seen:
        return
    seen.add((path, name))
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            imported = HERE.joinpath(*node.module.split(".")).with_suffix(".py")
            if imported.exists() and any((a.asname or a.name) == name for a in node.names):
                yield from _code(imported, name, seen)
        elif name in _defined(node):
            yield ast.dump(node)
            used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
            for other in sorted(used):
                yield from _code(path, other, seen)


def _defined(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {at.id for to in targets for at in ast.walk(to) if isinstance(at, ast.Name)}
    return set()


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
