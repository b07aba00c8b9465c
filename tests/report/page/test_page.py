import copy
import re
from itertools import pairwise
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.report.content import Content
from fairmend.report.densities import densities
from fairmend.report.facts import parts_of
from fairmend.report.page.document import CONTENTS, to_cell, to_html
from fairmend.report.page.groups import Groups
from fairmend.report.page.shares import MOST_ALONE, MOST_BETWEEN, stretches
from report.page.page_contents import NASTY
from report.page.page_reader import Reader

NAMES = ("measured", "empty", "nasty", "large")


@pytest.fixture(params=NAMES)
def page(request, pages):
    return pages[request.param]


def test_it_is_well_formed(page):
    assert page.startswith("<!doctype html>\n<html")
    assert Reader(page).faults == []


def test_ids_are_unique_and_references_lead_somewhere(page):
    reader = Reader(page)
    ids = reader.ids()
    assert len(set(ids)) == len(ids)
    for _, given, _ in reader.elements:
        for reference in given.get("aria-labelledby", "").split():
            assert reference in ids
        if "href" in given:
            assert given["href"].removeprefix("#") in ids


def test_every_picture_has_a_name_and_a_text_alternative(page):
    reader = Reader(page)
    for given in reader.all("svg"):
        assert given["role"] == "img"
        said = [reader.texts[key] for key in given["aria-labelledby"].split()]
        assert len(said) == 2
        assert all(said)


def test_nothing_is_fetched_or_run(page):
    reader = Reader(page)
    assert {name for name, _, _ in reader.elements}.isdisjoint(
        {"script", "link", "img", "iframe", "object", "embed", "form", "base", "use", "image"}
    )
    for _, given, _ in reader.elements:
        assert not any(name.startswith("on") or name in ("src", "style") for name in given)
        assert given.get("href", "#").startswith("#")
    style = reader.texts["style"]
    assert "url(" not in style
    assert "http" not in style
    assert "@import" not in style
    policies = [given for given in reader.all("meta") if "http-equiv" in given]
    assert policies[0]["content"].startswith("default-src 'none'")


def test_landmarks_and_headings_are_in_order(page):
    reader = Reader(page)
    assert reader.all("html")[0]["lang"] == "en"
    for landmark in ("header", "main", "nav", "footer"):
        assert len(reader.all(landmark)) == 1
    levels = [int(name[1]) for name, _, _ in reader.elements if re.fullmatch("h[1-6]", name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_tables_name_their_rows_and_columns(page):
    reader = Reader(page)
    assert len(reader.all("caption")) == len(reader.all("table")) > 0
    assert all(given["scope"] in ("row", "col") for given in reader.all("th"))


@pytest.mark.parametrize(
    ("name", "most"), [("measured", 250_000), ("empty", 40_000), ("large", 1_000_000)]
)
def test_it_is_small(pages, name, most):
    assert len(pages[name].encode()) < most


def test_names_are_shown_and_do_nothing(pages):
    page = pages["nasty"]
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert not {"\x00", "\ud800", "\u202e"} & set(page)
    page.encode("utf-8")
    for name in NASTY[:3]:
        assert any(name[:20] in text for text in Reader(page).texts.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_a_function_of_its_content_and_leaves_it_alone(contents, pages, name):
    given = copy.deepcopy(contents[name])
    assert to_html(given) == pages[name]
    assert given == contents[name]


def test_what_was_not_measured_is_said_so(pages):
    page = pages["empty"]
    assert page.count('class="unmeasured"') == 11
    assert "No verdict" in page
    assert not Reader(page).all("svg")


@pytest.mark.parametrize(
    "part", ["densities", "dependence", "leak", "damage", "paper", "outcomes", "drift"]
)
def test_each_part_may_be_missing_by_itself(measured, part):
    assert Reader(to_html(measured | {part: None})).faults == []


def without_numbers(content):
    """Take every number that may be missing out of a content's tables."""
    if isinstance(content, dict):
        kept = ("tolerance", "tolerance_tv", "alpha", "rows_used", "rule", "grid")
        return {k: v if k in kept else without_numbers(v) for k, v in content.items()}
    if isinstance(content, list):
        return [without_numbers(one) for one in content]
    return None if isinstance(content, float) else content


def test_numbers_that_were_not_measured_are_dashes(measured):
    parts = ("dependence", "leak", "damage", "missing", "outcomes", "paper")
    page = to_html(measured | {part: without_numbers(measured[part]) for part in parts})
    assert Reader(page).faults == []
    assert "None" not in page
    assert "nan" not in Reader(page).texts["td"]


def thinned(value, hint, rng):
    """Take out three tenths of what a content's types allow to be missing."""
    if hint is Any:
        return value
    if type(None) in get_args(hint):
        if value is None or rng.random() < 0.3:
            return None
        hint = next(one for one in get_args(hint) if one is not type(None))
    if is_typeddict(hint):
        hints = get_type_hints(hint)
        return {k: thinned(one, hints[k], rng) for k, one in value.items()}
    if get_origin(hint) is list:
        return [thinned(one, get_args(hint)[0], rng) for one in value]
    return value


@pytest.mark.parametrize("seed", range(12))
def test_whatever_may_be_missing_is_missed_by_nobody(measured, seed):
    content = thinned(measured, Content, np.random.default_rng(seed))
    reader = Reader(to_html(content))
    assert reader.faults == []
    assert not [text for text in reader.texts.values() if re.search(r"\b(None|nan)\b", text)]


def test_a_large_page_says_what_it_leaves_out(pages):
    page = pages["large"]
    assert "12 of 360 are drawn" in page
    assert "1 group with fewer research rows not drawn" in page
    assert "60 of 840 rows are shown" in page
    assert "Only in the table: 46 less telling columns." in page


def timed(n, rng):
    group = rng.integers(0, 2, n)
    begin = np.datetime64("2020-01-01", "us")
    seconds = rng.integers(0, 30_000_000, n) + 2_000_000 * group
    return pa.table(
        {
            "s": np.array(["a", "b"])[group],
            "hired": begin + seconds.astype("timedelta64[s]"),
            "waited": (rng.integers(1, 200, n) * 60 + 600 * group).astype("timedelta64[s]"),
            "fits": rng.random(n) < 0.4 + 0.2 * group,
        }
    )


def test_times_and_truths_are_written_as_such_and_u_may_be_missing():
    rng = np.random.default_rng(5)
    research, archive = timed(1_000, rng), timed(1_500, rng)
    plan = fairmend.design(research, protected="s")
    content = parts_of(plan, 1_500)
    content["densities"] = densities(archive, plan.repair(archive, seed=1), plan)
    words = {"verdict": None, "sentences": [], "findings": []}
    page = to_html(content | {"summary": words, "limits": [], "article_10": []})
    assert Reader(page).faults == []
    rows = re.findall(r'<th scope="row">([^<]*)</th><td class="n">([^<]*)</td>', page)
    assert any(re.match(r"2020-\d\d-\d\d", value) and by.endswith("d") for value, by in rows)
    assert any(value.endswith("h") and by.endswith(("min", "s")) for value, by in rows)
    assert "all rows together" in page
    assert "e+" not in page


def test_the_contents_lead_to_every_section(pages):
    reader = Reader(pages["measured"])
    sections = [given["id"] for given in reader.all("section") if "id" in given]
    assert sections == list(CONTENTS)


def test_verdicts_are_words(measured, pages):
    page = pages["measured"]
    for finding in measured["summary"]["findings"]:
        assert finding["answer"] in page
    assert page.index("Above tolerance") < page.index("Findings") < page.index("<nav")


def test_the_first_screen_says_everything_once(measured):
    told = measured["summary"]
    answer = told["findings"][0]["answer"]
    again = {"sentences": ["Above tolerance: sex shows.", answer.split(". ")[0]]}
    page = to_html(measured | {"summary": told | again})
    opening = page[page.index("<main") : page.index("<nav")]
    assert "<p>Sex shows.</p>" in opening
    assert opening.count(answer) == 1
    assert "Above tolerance: " not in opening


def test_the_figures_of_the_verdict_are_on_the_first_screen(measured, pages):
    opening = pages["measured"].partition("<nav")[0]
    rows = measured["dependence"]["rows"]
    whole = [row["e"] for row in rows if row["stratum"] is None]
    worst = [max(e[side]["value"] for e in whole) for side in ("before", "after")]
    aucs = [measured["leak"]["rows"][0][side]["value"] for side in ("before", "after")]
    for before, after in (worst, aucs):
        assert f"<b>{before:.3f} → {after:.3f}</b>" in opening


def test_a_long_answer_is_folded_after_a_sentence(measured):
    told = measured["summary"]
    answer = " ".join(f"Feature {k}: E 0.2 before, 0.01 (0 to 0.02) after." for k in range(30))
    findings = [{"question": "What is left?", "answer": answer, "verdict": None}]
    page = to_html(measured | {"summary": told | {"findings": findings}})
    shown, folded = re.search(r'answer-words">(.*?)<details>(.*?)</details>', page).groups()
    assert shown.endswith("Feature 4: E 0.2 before, 0.01 (0 to 0.02) after.")
    assert "<p>Feature 5: " in folded
    assert folded.endswith("after.</p>")


def test_tables_behind_pictures_keep_the_peaks_and_add_up(pages, measured):
    reader = Reader(pages["measured"])
    assert len(reader.all("figure")) == len(reader.all("svg"))
    panel = next(p for p in measured["densities"]["panels"] if p["feature"] == "hours-per-week")
    found = stretches(panel, Groups.of(measured))
    assert len(found) <= 2 * MOST_ALONE + MOST_BETWEEN + 1
    edges = [(stretch.first, stretch.end) for stretch in found]
    assert edges[0][0] == 0
    assert edges[-1][1] == len(panel["edges"]) - 1
    assert all(a[1] == b[0] for a, b in pairwise(edges))
    forty = panel["edges"].index(39.5)
    assert (forty, forty + 1) in edges


def test_no_seed_and_no_small_count_is_told(measured):
    drift = copy.deepcopy(measured["drift"])
    drift["cells"][0] |= {"rows": 3, "research_rows": 4}
    page = to_html(measured | {"drift": drift})
    assert '<td class="n">&lt;5</td><td class="n">&lt;5</td>' in page
    assert "seed" not in measured["plan"]["options"]


def test_what_a_drift_report_hides_is_not_told(measured):
    drift = copy.deepcopy(measured["drift"])
    hidden = ("rows", "distance", "shift", "missing", "unseen", "out_of_range")
    drift["cells"][0] |= dict.fromkeys(hidden) | {"interval": [0.0, 1.0]}
    drift["mix"]["cells"][0]["archive"] = None
    parts = [("May", None, drift["cells"][:1]), ("June", 400, drift["cells"])]
    names = ("name", "rows", "cells")
    drift["periods"] = [dict(zip(names, p, strict=True)) | {"detected": False} for p in parts]
    page = to_html(measured | {"drift": drift})
    assert Reader(page).faults == []
    assert '<th scope="row">May</th><td class="n">&lt;5</td><td class="n">–</td>' in page
    assert '<th scope="row">June</th><td class="n">400</td><td class="n">0.' in page


def test_a_notebook_gets_a_frame_that_runs_nothing(measured, pages):
    reader = Reader(to_cell(measured))
    (frame,) = reader.all("iframe")
    assert frame["srcdoc"].replace('<base href="about:srcdoc">', "") == pages["measured"]
    assert "sandbox" in frame
    assert frame["title"]


INK = ("ink", "faint", "accent", "within", "above", "unsure")


def luminance(colour):
    wide = colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])
    parts = [int(wide[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1])
def test_colours_have_the_contrast_that_accessibility_asks_for(pages, scheme):
    style = Reader(pages["measured"]).texts["style"]
    block = re.findall(r":root \{(.*?)\}", style, flags=re.DOTALL)[scheme]
    colour = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]+)", block))
    for ground in ("paper", "raised"):
        for ink in INK:
            assert contrast(colour[ink], colour[ground]) >= 4.5, (ink, ground)
    for verdict in ("within", "above", "unsure"):
        ground = colour[f"{verdict}-ground"]
        assert contrast(colour[verdict], ground) >= 4.5
        assert contrast(colour["ink"], ground) >= 4.5
    for mark in ("before", "accent"):
        assert contrast(colour[mark], colour["paper"]) >= 3
