import copy
import re
from xml.etree import ElementTree as ET

import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.report.densities import densities
from fairmend.report.figure import to_svg
from fairmend.report.scales import Scale, ticks
from fairmend.report.svg import NAMESPACE, path

SVG = f"{{{NAMESPACE}}}"


@pytest.fixture(scope="module")
def shown(repaired):
    return densities(*repaired)


@pytest.fixture(scope="module")
def drawn(shown):
    return to_svg(shown)


def texts(svg):
    return [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_it_is_a_well_formed_picture_that_screen_readers_can_tell(drawn, shown):
    root = ET.fromstring(drawn)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "title desc"
    said = {element.get("id"): element.text for element in root[:2]}
    assert said["title"]
    for panel in shown["panels"]:
        assert f"{panel['before']['dependence']:.3f} nats" in said["desc"]


def test_it_has_a_ground_of_its_own(drawn):
    ground = ET.fromstring(drawn)[2]
    assert (ground.tag, ground.get("fill"), ground.get("width")) == (f"{SVG}rect", "#fff", "720")


def test_every_panel_says_what_it_is_and_how_dependent(drawn, shown):
    said = texts(drawn)
    for panel in shown["panels"]:
        assert f"{panel['feature']}, {panel['stratum']}" in said
        for side in ("before", "after"):
            assert f"E = {panel[side]['dependence']:.3f} nats" in said
    assert said.count("before repair") == said.count("after repair") == len(shown["panels"])
    assert {"a", "b", "c"} <= set(said)


def test_the_peak_is_cut_and_its_shares_are_said(drawn, shown):
    assert any(re.fullmatch(r"40: \d+ % a, \d+ % b", said) for said in texts(drawn))


def test_the_same_data_gives_the_same_text(drawn, shown):
    assert to_svg(copy.deepcopy(shown)) == drawn


def test_it_is_small_and_rounded(drawn):
    assert len(drawn) < 60_000
    assert not re.search(r"\d\.\d\d", " ".join(re.findall(r' d="([^"]*)"', drawn)))
    assert "nan" not in drawn


def test_everything_is_inside(drawn):
    root = ET.fromstring(drawn)
    width, height = (float(root.find(f"{SVG}rect").get(side)) for side in ("width", "height"))
    for element in root.iter():
        for name, most in (("x", width), ("x2", width), ("y", height), ("y2", height)):
            assert 0 <= float(element.get(name, 0)) <= most


def test_names_are_escaped():
    rng = np.random.default_rng(0)
    table = {"<s>": rng.integers(0, 2, 50).tolist(), 'x & "y"': rng.integers(0, 9, 50).tolist()}
    table = pa.table(table)
    plan = fairmend.design(table, protected="<s>")
    svg = to_svg(densities(table, table, plan), title="a < b")
    assert ET.fromstring(svg)[0].text == "a < b"
    assert 'x & "y", all rows' in texts(svg)


def test_too_few_rows_are_said_and_not_drawn():
    table = pa.table({"s": [0, 0, 1, 1], "x": [1, 2, 2, 3]})
    plan = fairmend.design(table, protected="s", features="x")
    assert texts(to_svg(densities(table, table, plan))).count("E unknown (too few rows)") == 2


@pytest.mark.parametrize("low", [-3.2, 0, 17, 1e6])
@pytest.mark.parametrize("span", [1e-6, 0.3, 1, 7, 99, 4e9])
@pytest.mark.parametrize("most", [3, 6])
def test_ticks_are_few_and_inside(low, span, most):
    found = ticks(low, low + span, most)
    assert 1 <= len(found) <= most
    assert all(low <= value <= low + span for value in found)
    np.testing.assert_allclose(np.diff(found, 2), 0, atol=1e-6 * span + 1e-9)


def test_what_is_beyond_a_scale_is_at_its_end():
    scale = Scale(0, 10, 100, 200)
    assert [scale(value) for value in (-5, 0, 5, 10, 99)] == [100, 100, 150, 200, 200]


def test_points_that_fall_together_are_drawn_once():
    assert path([(0, 0), (0.01, 0), (0.02, 4), (9, 4)]).get("d") == "M0 0V4H9"
