"""Every code block of the README and of the manual runs, and prints what the page shows.

Blocks of one page run in their order, in one folder and one namespace. ``python`` blocks are run
as they are, or as doctests where they have prompts. In ``console`` blocks each line after ``$ `` is
a command of the shell that has to succeed, and the lines below it, where there are any, are what it
prints; ``...`` stands for anything. Other languages are only shown. Two comments steer a page:
``<!-- needs: polars java -->`` skips it where a module or a program is absent, and
``<!-- not run: why -->`` stands before a block that cannot run here.
"""

import doctest
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if "_build" not in page.parts
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(text):
    """Yield language, code and first line of each block that is to run."""
    tokens = [token for token in MarkdownIt().parse(text) if token.type in ("fence", "html_block")]
    for before, token in pairwise([None, *tokens]):
        if token.type != "fence" or token.info not in ("python", "console"):
            continue
        told = before is not None and before.content.startswith("<!-- not run:")
        if not (told and text.splitlines()[before.map[1] : token.map[0]].count("") <= 1):
            yield token.info, token.content, token.map[0] + 1


def run_python(code, line, page, names):
    if ">>>" not in code:
        exec(compile("\n" * line + code, page, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(code, names, page, page, line)
    said = []
    doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(
        test, out=said.append, clear_globs=False
    )
    names.update(test.globs)
    assert not said, "".join(said)


def run_console(code, line, page, names):
    for found in re.finditer(
        r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", code, re.M
    ):
        command, shown = found["command"], found["shown"]
        where = f"{page}, line {line + code[: found.start()].count(chr(10)) + 1}: {command}"
        done = subprocess.run(
            ["bash", "-c", command],
            env=os.environ
            | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
            | {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{where}\n{done.stdout}{done.stderr}"
        agree = doctest.OutputChecker().check_output(shown, done.stdout, FLAGS)
        assert not shown.strip() or agree, f"{where}\nshown:\n{shown}\nprinted:\n{done.stdout}"


@pytest.mark.parametrize("name", PAGES)
def test_page(name, tmp_path, monkeypatch):
    text = (ROOT / name).read_text(encoding="utf-8")
    for needed in " ".join(re.findall(r"<!-- needs: (.*?) -->", text)).split():
        if importlib.util.find_spec(needed) is None and shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    run = {"python": run_python, "console": run_console}
    for language, code, line in blocks(text):
        run[language](code, line, name, names)


def test_blocks_are_found_and_their_outputs_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (
        "```python\nx = 1\n```\n<!-- not run: here -->\n```python\nx = 2\n```\n"
        "```text\n?\n```\n```console\n$ echo one\none\n$ echo two \\\n  three\n```\n"
    )
    found = list(blocks(text))
    assert [(language, line) for language, _, line in found] == [("python", 1), ("console", 11)]
    run_console(found[1][1], 11, "page", {})
    with pytest.raises(AssertionError, match=r"line 12: echo one\s+shown:\s+two"):
        run_console("$ echo one\ntwo\n", 11, "page", {})
    with pytest.raises(AssertionError, match="Expected:"):
        run_python(">>> 1 + 1\n3\n", 1, "page", {})
