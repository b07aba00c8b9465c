"""What the README and the manual name is there: commands, their options, public names, errors."""

import pkgutil
import re

import pytest

import fairmend
from fairmend.cli.main import cli
from test_pages import PAGES, ROOT

OPTIONS = {
    name: {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"--help"}
    for name, command in cli.commands.items()
}
ANY = set().union(*OPTIONS.values(), {"--version"})


def text_of(name):
    """Read a page, commands on one line each."""
    return re.sub(r"\\\n\s*", " ", (ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PAGES)
def test_commands_have_the_options_that_a_page_gives_them(name):
    found = re.findall(r"(?:^\$ |`|\| )fairmend ([a-z-]+)([^`\n|>]*)", text_of(name), re.M)
    for command, rest in found:
        assert command in OPTIONS, f"{name}: there is no command {command!r}"
        unknown = set(re.findall(r"(?<!\S)--[a-z-]+", rest)) - OPTIONS[command]
        assert not unknown, f"{name}: {command} has no {sorted(unknown)}"


@pytest.mark.parametrize("name", PAGES)
def test_options_that_a_page_names_are_there(name):
    unknown = set(re.findall(r"(?<=`)--[a-z][a-z-]+", text_of(name))) - ANY
    assert not unknown, f"{name} names {sorted(unknown)}"


@pytest.mark.parametrize("name", PAGES)
def test_names_in_the_package_that_a_page_names_are_there(name):
    for dotted in set(re.findall(r"`fairmend\.([A-Za-z_.]+?)[`(]", text_of(name))):
        pkgutil.resolve_name(f"fairmend.{dotted}")


def test_every_public_name_is_in_the_reference():
    page = text_of("docs/reference/api.md")
    public = set(fairmend.__all__) - {"FairmendError", "__version__", "kernel"}
    missing = [name for name in public if not re.search(rf"fairmend\.(\w+\.)*{name}\b", page)]
    assert not missing, f"docs/reference/api.md lacks {sorted(missing)}"


def test_every_error_is_in_its_table():
    page = text_of("docs/reference/errors.md")
    errors = [name for name in vars(fairmend.errors) if re.fullmatch("(?!Fairmend).*Error", name)]
    missing = [name for name in errors if f"`{name}`" not in page]
    assert not missing, f"docs/reference/errors.md lacks {sorted(missing)}"


@pytest.mark.parametrize("name", PAGES)
def test_files_that_a_page_links_to_are_there(name):
    linked = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text_of(name))
    missing = [link for link in linked if not (ROOT / name).parent.joinpath(link).exists()]
    assert not missing, f"{name} links to {missing}"


def test_every_page_of_the_manual_is_in_the_reach_of_its_front_page():
    front = text_of("docs/index.md")
    pages = [
        page.removeprefix("docs/").removesuffix(".md") for page in PAGES if page != "README.md"
    ]
    trees = re.findall(
        r"^(\S+)$", "\n".join(re.findall(r"```{toctree}(.*?)```", front, re.S)), re.M
    )
    missing = [
        page
        for page in pages
        if page != "index" and page not in trees and f"{page.rpartition('/')[0]}/*" not in trees
    ]
    assert not missing, f"docs/index.md leads to none of {missing}"


def cells(line):
    return [cell.strip(" *") for cell in line.strip("|").split("|")]


def table_of(page):
    """Read the first table of a text: its head, and its rows by their names without versions."""
    lines = page.partition("\n|")[2].partition("\n\n")[0].splitlines()
    rows = [cells(line) for line in lines]
    return rows[0], {re.split(r" \d", row[0].replace("*", ""))[0]: row[1:] for row in rows[2:]}


def test_the_readme_says_of_other_tools_what_the_studies_found():
    _, said = table_of(text_of("README.md").partition("## Beside other tools")[2])
    head, leak = table_of(text_of("docs/studies/leak.md"))
    tools, laws = table_of(text_of("docs/studies/conformance.md"))
    tools = [tool.split()[0] for tool in tools[1:]]
    kept = dict(zip(tools, laws["laws kept, of those that apply"], strict=True))
    named = {"no repair": "none", "fairmend, features one by one": "fairmend"}
    assert len(said) == 9
    for tool, (auc, *_, of_laws) in said.items():
        found = leak[named.get(tool, tool)][head.index("5 numeric") - 1]
        assert found.startswith(auc), f"README.md: {tool} has {found}"
        assert of_laws == kept.get(named.get(tool, tool), ""), f"README.md: {tool}"


def test_the_readme_says_of_adult_what_the_study_found():
    pages = text_of("docs/studies/adult.md") + text_of("docs/studies/leak.md")
    said = text_of("README.md").partition("Nine columns,")[2].partition("\n\n")[0]
    figures = re.findall(r"\b\d\.\d{3}\b", said)
    assert len(figures) == 12
    assert [figure for figure in figures if figure not in pages] == []
