"""Sphinx builds the manual: `make docs`, with warnings as errors."""

import re
from pathlib import Path

import fairmend
from fairmend._version import __version__

project = "fairmend"
author = "The fairmend developers"
copyright = "the fairmend developers"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_click",
]
exclude_patterns = ["_build"]
nitpicky = False
autosummary_generate = False
highlight_language = "none"  # blocks say what they are in

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_inline", "substitution"]
myst_substitutions = {
    "example": '<a href="../_static/example-audit.html">Here is the report</a>',
}
myst_heading_anchors = 3

# The doors' extras: their docstrings are read without them.
autodoc_mock_imports = ["dask", "fastapi", "pyspark", "starlette", "uvicorn"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say types in words
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
python_display_short_literal_types = True

# Kept beside the pages, so that the manual reads offline.
mathjax_path = "mathjax-3.2.2-tex-svg.js"

html_theme = "furo"
html_title = "fairmend"
html_static_path = ["_static"]
html_css_files = ["fairmend.css"]
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#8cc4ea", "color-brand-content": "#8cc4ea"},
}
pygments_style = "friendly"
pygments_dark_style = "monokai"


def literal(app, ctx, lines):
    """Show the examples of a command as they are typed: sphinx-click has them as verse."""
    shown = []
    for before, line in zip(["", *lines], lines, strict=False):
        verse = line.startswith("| ")
        if verse and not before.startswith("| ") and not line.startswith("|   "):
            shown += ["", f"{line[2:].rstrip()}:", ""]  # "Example:" becomes "Example::"
        elif verse:
            shown.append(f"   {line[2:]}")
        else:
            shown.append(line)
    lines[:] = shown


def plain(app, ctx, lines):
    """Show options and defaults as the user writes them; two hyphens would become a dash."""
    for at, line in enumerate(lines):
        line = re.sub(r"PosixPath\('(.*?)'\)", r"\1", line)
        if not line.lstrip().startswith(".. option::"):
            line = re.sub(r"(?<![`\w-])--[a-z][a-z-]*", r"``\g<0>``", line)
        lines[at] = line


def example_report(app, exception):
    """Put the report that a page explains beside the pages, made by this very version."""
    if exception is not None or app.builder.format != "html":
        return
    columns = ["age", "hours-per-week", "sex", "college", "relationship", "occupation", "income"]
    adult = fairmend.datasets.adult(complete=True).select(columns)
    research, archive = adult.slice(0, 10_000), adult.slice(10_000, 8_000)
    features = ["age", "hours-per-week"]
    plan = fairmend.design(research, protected="sex", unprotected="college", features=features)
    repaired = plan.repair(archive, seed=7)
    audit = fairmend.audit(archive, repaired, plan, label="income", leak_rows=4_000)
    audit.to_html(Path(app.outdir) / "_static" / "example-audit.html", force=True)


def setup(app):
    """Have sphinx-click write what a reader can use; the usage line names the arguments."""
    app.connect("build-finished", example_report)
    app.connect("sphinx-click-process-epilog", literal)
    app.connect("sphinx-click-process-options", plain)
    app.connect("sphinx-click-process-description", plain)
    app.connect("sphinx-click-process-arguments", lambda app, ctx, lines: lines.clear())
