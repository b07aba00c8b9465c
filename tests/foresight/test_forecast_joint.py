import json

import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import OptionError, SummaryError
from fairmend.foresight.sequential import Tried, _Fit
from fairmend.measures.inference.tables import NORMAL

OPTIONS = {"protected": "s", "joint": "sequential"}
FEATURES = ["grade", "job", "pay"]


def paired(n, seed):
    """A grade, a job and a pay that tell the group together, and hardly alone."""
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 2, n)
    grade = rng.integers(0, 6, n)
    job = np.array(["cook", "nurse", "smith"])[(grade + s + (rng.random(n) < 0.2)) % 3]
    pay = rng.normal(size=n) + np.where((job == "cook") == (s == 1), 1.0, -1.0)
    return pa.table({"s": s, "grade": grade, "job": job, "pay": pay})


@pytest.fixture(scope="module")
def found():
    return fairmend.forecast(paired(1_200, 0), **OPTIONS, archive_rows=8_000)


def test_the_leak_that_an_archive_shows_is_in_the_interval(found):
    both = found.sequential
    plan = fairmend.design(paired(1_200, 0), **OPTIONS)
    archive = paired(8_000, 1)
    for expected, one in ((both.joint, plan), (both.alone, plan.without_joint())):
        auc = fairmend.leak(
            one.repair(archive, seed=1), protected="s", features=FEATURES, permutations=0,
            each=False, all_columns=False,
        ).auc  # fmt: skip
        assert expected.low <= auc <= expected.high
        assert expected.high - expected.low < 0.2
    assert both.joint.value < both.alone.value - 0.1
    assert both.supported
    assert both.adversary_rows == 8_000
    assert found.joint is None


def test_it_is_said_in_words_and_in_json(found):
    said = "\n".join(found.sentences)
    assert "repaired jointly: expect an adversary that learns from 8,000 rows" in said
    content = json.loads(json.dumps(found.to_dict()))["sequential"]
    assert content["joint"]["low"] <= content["joint"]["value"] <= content["joint"]["high"]
    assert content["smallest"] == min(np.bincount(paired(1_200, 0)["s"].to_numpy()).tolist())


def test_too_few_rows_are_said_to_be_too_few():
    found = fairmend.forecast(paired(40, 0), **OPTIONS, small_groups="shrink")
    said = " ".join(found.sentences)
    assert "too small" in said
    assert found.sequential is None or not found.sequential.supported


def test_constraints_are_tried_too_and_checked():
    with pytest.raises(OptionError, match="does not show"):
        fairmend.forecast(paired(300, 0), **OPTIONS, constraints=[{"job": "pilot", "grade": 1}],
                          features=["grade", "job"])  # fmt: skip
    with pytest.raises(OptionError, match="joint='sequential'"):
        fairmend.forecast(paired(300, 0), protected="s", constraints="unseen-pairs")


def test_counts_alone_show_no_rows():
    summary = fairmend.summarise(paired(300, 0), protected="s")
    with pytest.raises(SummaryError, match="as one table"):
        fairmend.forecast(summary, joint="sequential")


def test_a_plane_through_trials_is_found_and_read_beyond_them():
    """With many exact trials the prior does not matter."""
    at = np.array([0.3, 0.15, -0.02])
    tried = [
        Tried(k, m, float(at @ [1.0, np.log(m / k), np.log(k / 1_000)]), 0.001)
        for k in (100, 300, 1_000, 3_000)
        for m in (100, 1_000, 10_000)
        for _ in range(40)
    ]
    fit = _Fit.of(tried)
    wanted = NORMAL.cdf(0.3 + 0.15 * np.log(15) - 0.02 * np.log(2))
    expected = fit.expected(2_000, 30_000)
    assert expected.value == pytest.approx(wanted, abs=0.003)
    assert expected.low < wanted < expected.high
    rows = fit.rows_to(0.56, 2_000, 30_000)
    z = 0.3 + 0.15 * np.log(30_000 / rows) - 0.02 * np.log(rows / 1_000)
    assert NORMAL.cdf(z) == pytest.approx(0.56, abs=0.005)
