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
from fairmend.report.times import date_ticks, moment, span_ticks

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


@pytest.fixture(scope="module")
def words_drawn():
    rng = np.random.default_rng(2)
    group = rng.integers(0, 2, 2_000)
    job = np.array(["clerk", "lumberjack and more", "chef"] + [f"j{at}" for at in range(17)])
    table = pa.table(
        {
            "s": group,
            "job": job[np.minimum(rng.geometric(0.3 + 0.2 * group, 2_000), 20) - 1],
            "fair": rng.random(2_000) < 0.4,
            "hired": np.datetime64("2015-01-01")
            + (rng.gamma(4 + group, 300) * 86_400_000_000).astype("m8[us]"),
            "took": (rng.gamma(4 + group, 2_000) * 1e6).astype("m8[us]"),
        }
    )
    plan = fairmend.design(table, protected="s")
    return to_svg(densities(table, plan.repair(table, seed=1), plan))


def test_levels_are_named_below_their_bars(words_drawn):
    root = ET.fromstring(words_drawn)
    found = {element.text: element for element in root.iter(f"{SVG}text")}
    assert "rotate" in found["clerk"].get("transform")
    assert "lumberjack…" in found
    assert "lumberjack and more" not in found
    assert found["other"].get("transform")
    assert found["True"].get("transform") is None, "short names need no slant"
    assert "nan" not in words_drawn


def test_bars_of_levels_stand_apart(words_drawn):
    bars = [p.get("d") for p in ET.fromstring(words_drawn).iter(f"{SVG}path")]
    # Two levels: up, along, down, along, up, along, down.
    assert any(len(re.findall("[HV]", d)) >= 7 and d.count("V") == 4 for d in bars)


def test_axes_of_times_have_dates_and_spans(words_drawn):
    said = texts(words_drawn)
    assert {"2020", "2025"} <= set(said)
    assert "1 h" in said or "2 h" in said


DAY = 86_400e6


@pytest.mark.parametrize("start", [0.0, 19_000 * DAY, -30_000 * DAY])
@pytest.mark.parametrize("days", [0.01, 0.2, 1, 9, 40, 62, 100, 300, 700, 3_000, 40_000])
def test_dates_on_an_axis_are_few_and_inside(start, days):
    found = date_ticks(start, start + days * DAY)
    assert 1 <= len(found) <= 5
    assert all(start <= at <= start + days * DAY for at, _ in found)
    assert len({label for _, label in found}) == len(found)


def test_moments_beyond_the_calendar_are_at_its_end():
    assert moment(1e30) == "9999-12-01"
    assert moment(-1e30) == "0001-01-01"
    assert date_ticks(-1e18, 1e18)


def test_spans_are_written_in_a_fitting_unit():
    assert span_ticks(0, 30e6)[-1] == (30e6, "30 s")
    assert [label for _, label in span_ticks(0, 10 * DAY)] == ["0 d", "5 d", "10 d"]
