"""Every code block of the README and of the manual runs, and prints what the page shows.

Blocks of one page run in their order, in one folder and one namespace. ``python`` blocks are run
as they are, or as doctests where they have prompts. In ``console`` blocks each line after ``$ `` is
a command of the shell that has to succeed, and the lines below it, where there are any, are what it
prints; ``...`` stands for anything. Other languages are only shown, and hold no command of ours.
Comments steer a page:

- ``<!-- needs: polars java -->`` skips it where a module or a program is absent;
- ``<!-- not run: why -->`` stands before a block that cannot run here;
- ``<!-- figures vary -->`` stands before a block of which the words are compared and not the
  numbers, since each run draws a seed of its own;
- ``<!-- setup: code -->`` runs Python that the page does not show.
"""

import doctest
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
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
RUN = ("python", "console")
SHOWN = ("text", "yaml", "json", "{toctree}", "{eval-rst}", "{include}")
FIGURE = re.compile(r"[-−]?\d[\d,]*(\.\d+)?([eE][-+]?\d+)?")


@dataclass(frozen=True)
class Block:
    """A fenced block, or Python in a comment, and the comment that steers it."""

    language: str
    code: str
    line: int
    note: str = ""


def blocks(text):
    """Yield every block of a page, told by the comment straight before it."""
    tokens = [token for token in MarkdownIt().parse(text) if token.type in ("fence", "html_block")]
    for before, token in pairwise([None, *tokens]):
        line = token.map[0] + 1
        if token.type == "fence":
            near = (
                before is not None
                and before.type == "html_block"
                and (text.splitlines()[before.map[1] : token.map[0]].count("") <= 1)
            )
            language = token.info.partition(" ")[0]
            yield Block(language, token.content, line, before.content if near else "")
        elif token.content.startswith("<!-- setup:"):
            code = token.content.removeprefix("<!-- setup:").partition("-->")[0]
            yield Block("python", code, line)


def runs(block):
    return block.language in RUN and not block.note.startswith("<!-- not run:")


def run_python(block, page, names):
    code, line = block.code, block.line
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


def without_figures(text):
    """Leave the words of an output: its numbers, and the rules as wide as they are, may differ."""
    return re.sub("─+", "─", FIGURE.sub("#", text))


def run_console(block, page, names):
    code = block.code
    vary = without_figures if block.note.startswith("<!-- figures vary") else str
    for found in re.finditer(
        r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", code, re.M
    ):
        command, shown = found["command"], found["shown"]
        line = block.line + code[: found.start()].count("\n") + 1
        where = f"{page}, line {line}: {command}"
        done = subprocess.run(
            ["bash", "-c", command],
            env=os.environ
            | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
            | {"COLUMNS": "88", "TERM": "dumb", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{where}\n{done.stdout}{done.stderr}"
        agree = doctest.OutputChecker().check_output(vary(shown), vary(done.stdout), FLAGS)
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
    for block in filter(runs, blocks(text)):
        run[block.language](block, name, names)


@pytest.mark.parametrize("name", PAGES)
def test_no_command_escapes_by_the_language_of_its_block(name):
    for block in blocks((ROOT / name).read_text(encoding="utf-8")):
        where = f"{name}, line {block.line}"
        assert block.language in RUN + SHOWN, f"{where}: a block of language {block.language!r}"
        if block.language == "text" and not block.note.startswith("<!-- not run:"):
            assert not re.search(r"^(\$ |fairmend )", block.code, re.M), f"{where}: not run"


def test_blocks_are_found_and_their_outputs_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (
        "```python\nx = 1\n```\n<!-- not run: here -->\n```python\nx = 2\n```\n"
        "```text\n?\n```\n```console\n$ echo one\none\n$ echo two \\\n  three\n```\n"
        "<!-- setup:\ny = 3\n-->\n\n"
        "<!-- figures vary -->\n```console\n$ echo E 0.5 ─\nE 7 ───\n```\n"
    )
    found = list(filter(runs, blocks(text)))
    assert [(b.language, b.line) for b in found] == [
        ("python", 1),
        ("console", 11),
        ("python", 17),
        ("console", 22),
    ]
    run_console(found[1], "page", {})
    run_python(found[2], "page", names := {})
    assert names["y"] == 3
    run_console(found[3], "page", {})
    with pytest.raises(AssertionError, match=r"line 2: echo one\s+shown:\s+two"):
        run_console(Block("console", "$ echo one\ntwo\n", 1), "page", {})
    with pytest.raises(AssertionError, match="Expected:"):
        run_python(Block("python", ">>> 1 + 1\n3\n", 1), "page", {})
