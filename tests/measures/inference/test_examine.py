import json

import numpy as np
import polars as pl
import pytest
from inference_samples import KINDS, e_of_normals, independent, normals, tv_of_normals
from scipy import stats

from fairmend.errors import CellError, DataError, OptionError
from fairmend.measures.arrays import Labels
from fairmend.measures.dependence import dependence
from fairmend.measures.inference.examine import examine
from fairmend.measures.inference.resampling import permuted

CELLS = ((25, 25), (500, 500), (25, 5_000), (25_000, 25_000))


def one_cell(values, groups, kind, seed, **options):
    found = examine(values, groups, kinds={"values": kind}, seed=seed, **options)
    return found.features["values"].by_stratum[0]


def rejections(kind, sizes, seeds, weights=None):
    """Share of seeds in which each test finds what is not there: any, E, TV, KS."""
    found = []
    for seed in range(seeds):
        values, groups = independent(kind, sizes, seed)
        weight = None if weights is None else weights(groups, np.random.default_rng(seed))
        cell = one_cell(values, groups, kind, seed, draws=99, weights=weight)
        found.append([cell.p, cell.mean.e.p, cell.mean.tv.p, cell.mean.ks.p])
    return (np.array(found) <= 0.05).mean(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", CELLS)
def test_the_test_finds_nothing_where_there_is_nothing(kind, sizes):
    found = rejections(kind, sizes, 1_000)
    assert (found <= 0.07).all()
    assert (found >= 0.015).all()  # a test that never rejects would pass the line above


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [(25, 25), (25, 400)])
def test_the_test_finds_little_where_there_is_nothing(kind, sizes):
    # 100 seeds: more than 11 of 100 has a chance of 0.4 % at 5 %.
    assert (rejections(kind, sizes, 60) <= 0.15).all()


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_the_test_keeps_its_level_with_weights(spread):
    def weights(groups, rng):
        return (1 + groups) * np.exp(spread * rng.normal(size=groups.size))

    found = rejections("continuous", (100, 900), 1_000, weights)
    assert (found <= 0.07).all()
    assert (found >= 0.015).all()


@pytest.mark.slow
@pytest.mark.parametrize("n", [500, 5_000])
@pytest.mark.parametrize(
    ("shift", "scale"), [(0.2, 1), (0.5, 1), (1, 1), (1.5, 1), (2, 1), (0, 1.25), (0.5, 1.5)]
)
def test_intervals_hold_the_truth_of_normals(n, shift, scale):
    truth = e_of_normals(shift, scale), tv_of_normals(shift, scale)
    holds = []
    for seed in range(200):
        found = one_cell(*normals((n, n), shift, scale, seed), "continuous", seed, draws=199).mean
        both = zip(truth, (found.e, found.tv), strict=True)
        holds.append([one.low <= true <= one.high for true, one in both])
    assert (np.mean(holds, axis=0) >= 0.9).all()


@pytest.mark.slow
@pytest.mark.parametrize("levels", [2, 5, 20, 70])
@pytest.mark.parametrize("n", [500, 5_000])
def test_intervals_hold_the_truth_of_shares(n, levels):
    rng = np.random.default_rng(levels)
    p = rng.dirichlet(np.full(levels, 2.0))
    q = p * np.exp(rng.normal(0, 0.5, levels))
    q /= q.sum()
    truth = [
        0.5 * (p - q) @ np.log(p / q),
        0.5 * np.abs(p - q).sum(),
        np.abs(np.cumsum(p - q)).max(),
    ]
    holds, groups = [], np.repeat([0, 1], n)
    for seed in range(200):
        drawn = np.random.default_rng(seed)
        values = np.concatenate([drawn.choice(levels, n, p=law) for law in (p, q)]).astype(float)
        found = one_cell(values, groups, "discrete", seed, draws=199).mean
        both = zip(truth, (found.e, found.tv, found.ks), strict=True)
        holds.append([one.low <= true <= one.high for true, one in both])
    assert (np.mean(holds, axis=0) >= 0.9).all()


@pytest.mark.slow
def test_holm_keeps_the_family_of_cells():
    alarms = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        groups, strata = rng.integers(0, 2, 900), rng.integers(0, 3, 900)
        table = {name: rng.normal(size=900) for name in "xyz"}
        found = examine(table, groups, strata, draws=399, seed=seed)
        alarms.append(any(one.detectable for one in found.features.values()))
    assert np.mean(alarms) <= 0.08  # 5 % and 2.4 standard errors


def test_one_cell_of_many_is_detectable_without_many_draws_for_all(monkeypatch):
    rng = np.random.default_rng(4)
    groups, strata = rng.integers(0, 2, 1_800), rng.integers(0, 12, 1_800)
    table = {name: rng.normal(size=1_800) for name in "xyz"}
    table["x"] += 1.2 * groups * (strata == 5)
    drawn = []
    monkeypatch.setattr(
        "fairmend.measures.inference.cells.permuted",
        lambda counts, n, rng: drawn.append(n) or permuted(counts, n, rng),
    )
    found = examine(table, groups, strata)
    cells = [cell for one in found.features.values() for cell in one.by_stratum]
    # 499 permutations cannot say it: the least p-value times 36 cells is 0.07.
    assert [cell for cell in cells if cell.detectable] == [found.features["x"].worst]
    assert found.features["x"].worst.stratum == 5
    assert found.features["x"].worst.p_holm < 0.05
    assert drawn.count(499) == len(cells) == 36
    assert len(drawn) - 36 <= 4, "one of 50 cells are sure by chance"


def test_a_half_sigma_shift_is_found():
    found = [one_cell(*normals((200, 200), 0.5, 1, s), "continuous", s) for s in range(20)]
    assert np.mean([cell.detectable for cell in found]) >= 0.9


def test_e_of_two_normals_lies_in_its_interval():
    found = []
    for seed in range(40):
        values, groups = normals((500, 500), 0.5, 1.25, seed)
        found.append(one_cell(values, groups, "continuous", seed, draws=99).mean)
    true = e_of_normals(0.5, 1.25), tv_of_normals(0.5, 1.25)
    assert np.mean([one.e.low <= true[0] <= one.e.high for one in found]) >= 0.9
    assert np.mean([one.tv.low <= true[1] <= one.tv.high for one in found]) >= 0.9
    assert np.mean([one.e.value for one in found]) == pytest.approx(true[0], rel=0.1)
    # Not by being wide: hardly any holds a shift and scale that are twice as much.
    assert np.mean([one.e.high < e_of_normals(1, 1.5) for one in found]) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "rows"), [(0.0, 150), (0.1, 200), (0.4, 75)])
def test_the_rows_said_to_decide_mostly_do(shift, rows):
    decided = {"e": [], "tv": []}
    for seed in range(50):
        first = one_cell(*normals((rows, rows), shift, 1, seed), "continuous", seed, draws=99)
        for measure, told in first.verdicts.items():
            if told.rows_to_decide is not None:
                half = min(told.rows_to_decide, 200_000) // 2
                again = one_cell(
                    *normals((half, half), shift, 1, 1_000 + seed), "continuous", seed, draws=99
                )
                decided[measure].append(again.verdicts[measure].words != told.words)
    # 80 % if the first estimate were right, which it is not.
    assert all(np.mean(found) >= 0.55 for found in decided.values())


def table(seed=0, n=3_000):
    rng = np.random.default_rng(seed)
    groups, strata = rng.choice(["a", "b", "c"], n), rng.choice(["u", "v"], n, p=[0.7, 0.3])
    x = rng.normal(1.0 * (groups == "c") * (strata == "u"))
    return {"x": x, "y": np.round(rng.normal(size=n))}, groups, strata


def test_parts_are_named_and_found():
    values, groups, strata = table()
    found = examine(pl.DataFrame(values), groups, strata)
    x, y = found.features["x"], found.features["y"]
    assert (x.kind, y.kind) == ("continuous", "discrete")
    assert [cell.stratum for cell in x.by_stratum] == ["u", "v"]
    assert [pair.groups for pair in x.by_pair] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [cell.detectable for cell in x.by_stratum] == [True, False]
    assert x.worst.stratum == "u"
    assert x.worst.worst_pair[1] == "c"
    assert not y.detectable
    assert x.rows == 3_000 == sum(cell.rows for cell in x.by_stratum)
    assert x.total.e.value == pytest.approx(0.7 * 2 / 3 * 0.5, abs=0.05)


def test_it_estimates_what_dependence_does():
    values, groups = normals((20_000, 20_000), 1, 1, 0)
    found = examine(values, groups).features["values"].total.e
    assert found.low < dependence(values, groups) < found.high


def test_rare_values_of_small_groups_are_no_dependence():
    lows = []
    for seed in range(40):
        values, groups = independent("discrete", (25, 25), seed)
        lows.append(one_cell(values, groups, "discrete", seed, draws=99).mean.e.low)
    assert np.mean(np.array(lows) > 0) <= 0.1


def test_many_strata_without_dependence_have_an_interval_down_to_zero():
    rng = np.random.default_rng(5)
    strata, groups = rng.integers(0, 12, 6_000), rng.integers(0, 2, 6_000)
    total = examine(rng.normal(size=6_000), groups, strata).features["values"].total
    assert total.e.low == 0
    assert total.tv.low == 0
    assert total.e.p > 0.01


def test_the_same_seed_says_the_same_whatever_else_is_examined():
    values, groups, strata = table()
    both = examine(values, groups, strata, draws=99).to_dict()
    again = examine(values, groups, strata, draws=99).to_dict()
    alone = examine({"y": values["y"]}, groups, strata, draws=99).to_dict()
    assert both == again
    assert both["features"]["y"]["total"] == alone["features"]["y"]["total"]
    assert both != examine(values, groups, strata, draws=99, seed=1).to_dict()


def test_rows_that_cannot_be_compared_are_left_out_and_counted():
    values, groups, strata = table(n=300)
    x = values["x"].copy()
    x[:7] = np.nan
    strata[10] = "w"  # alone in a stratum
    where = {level: code for code, level in enumerate(["a", "b", "c"])}
    codes = np.array([where[g] for g in groups])
    codes[[5, 20, 21]] = -1  # row 5 has no value either
    strata[20:22] = "u"
    found = examine({"x": x}, Labels(codes, ("a", "b", "c")), strata).features["x"]
    assert found.excluded.to_dict() == {"missing": 7, "unlabelled": 2, "small": 1}
    assert found.rows == 290


def test_a_group_too_small_in_a_stratum_does_not_take_the_others_with_it():
    values = np.random.default_rng(0).normal(size=201)
    groups = np.array(["a"] * 100 + ["b"] * 100 + ["c"])
    found = examine(values, groups).features["values"]
    assert [pair.groups for pair in found.by_pair] == [("a", "b")]
    assert found.excluded.small == 1


def test_nothing_to_compare_is_no_error():
    found = examine([1.0, 2.0, 3.0], ["a", "b", "b"]).features["values"]
    assert (found.rows, found.total, found.worst, found.detectable) == (0, None, None, False)
    json.dumps(found.to_dict())


def test_constant_values_and_groups_apart_are_measured():
    groups = np.repeat([0, 1], 50)
    same = examine(np.ones(100), groups).features["values"]
    assert (same.total.e.value, same.total.tv.value, same.detectable) == (0, 0, False)
    apart = examine(np.repeat([0.0, 1.0], 50), groups).features["values"]
    assert apart.total.tv.value == pytest.approx(1, abs=0.01)
    assert np.isfinite(apart.total.e.high)
    assert apart.verdicts["e"].words == "above tolerance"


def test_a_repaired_column_on_support_points_is_measured_as_before():
    values, groups = normals((4_000, 4_000), 0.5, 1, 1)
    support = np.linspace(-5, 5.5, 200)
    on_support = support[np.searchsorted(support, values)]
    kinds = {"values": "continuous"}
    smooth, tied = (
        examine(x, groups, kinds=kinds).features["values"].total.e for x in (values, on_support)
    )
    assert tied.value == pytest.approx(smooth.value, rel=0.05)


def test_atoms_are_seen_between_values():
    rng = np.random.default_rng(2)
    groups = np.repeat([0, 1], 2_000)
    values = rng.normal(size=4_000)
    values[rng.random(4_000) < np.where(groups == 1, 0.3, 0.2)] = 0.0
    found = examine(values, groups, kinds={"values": "mixed"}, atoms={"values": np.zeros(1)})
    e = found.features["values"].total.e
    assert e.low < 0.5 * 0.1 * np.log(0.3 * 0.8 / (0.2 * 0.7)) < e.high
    assert found.features["values"].detectable


def test_categories_have_no_order():
    rng = np.random.default_rng(3)
    codes, groups = rng.integers(0, 4, 500).astype(float), rng.integers(0, 2, 500)
    kinds = {"values": "categorical"}
    found = examine(codes, groups, kinds=kinds, draws=99).features["values"]
    assert found.total.ks is None
    renamed = np.array([2.0, 0.0, 3.0, 1.0])[codes.astype(int)]
    other = examine(renamed, groups, kinds=kinds, draws=99).features["values"]
    assert other.total.e.raw == pytest.approx(found.total.e.raw)


def test_weights_restore_what_the_sampling_bent():
    rng = np.random.default_rng(4)
    groups = np.repeat([0, 1], 30_000)
    values = rng.normal(size=60_000)
    kept = (groups == 0) | (rng.random(60_000) < 1 / (1 + np.exp(-values)))
    weights = np.where(groups == 0, 1.0, 1 + np.exp(-values))[kept]
    values, groups = values[kept], groups[kept]
    bent = examine(values, groups, draws=99).features["values"].total
    restored = examine(values, groups, draws=99, weights=weights).features["values"].total
    assert restored.tv.high < bent.tv.low
    assert restored.e.value < 0.1 * bent.e.value


def test_the_permutation_test_is_the_exact_one():
    values, groups = np.array([1.0, 2, 3, 4, 5, 6, 7]), np.array([0, 0, 1, 0, 1, 1, 1])
    exact = stats.permutation_test(
        (values[groups == 0], values[groups == 1]),
        lambda a, b: stats.ks_2samp(a, b).statistic,
        vectorized=False,
        n_resamples=np.inf,
        alternative="greater",
    ).pvalue
    found = one_cell(values, groups, "discrete", 0, draws=20_000)
    assert found.mean.ks.p == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"alpha": 2}, OptionError, "alpha=2 is not possible"),
        ({"draws": 3}, OptionError, "draws=3 is not possible"),
        ({"kinds": {"values": "smooth"}}, OptionError, "kinds='smooth' is not known"),
        ({"weights": [1, -1, 1, 1]}, DataError, "1 negative"),
    ],
)
def test_faults_are_named(options, error, match):
    with pytest.raises(error, match=match):
        examine([1.0, 2, 3, 4], [0, 1, 0, 1], **options)


def test_one_group_is_refused():
    with pytest.raises(CellError, match="at least 2 groups"):
        examine([1.0, 2.0], ["a", "a"])
