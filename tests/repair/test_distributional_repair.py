"""Seeds, keys and parameters of the estimator over design and repair."""

import inspect
import pickle
import random
import secrets

import numpy as np
import pandas as pd
import pytest
from repair_tables import to_pandas
from sklearn.exceptions import NotFittedError

from fairmend import DistributionalRepair, Plan, design
from fairmend.errors import ColumnError, OptionError, RowKeyError
from fairmend.plan.storage import to_content

ROLES = {"protected": "sex", "unprotected": "college", "exclude": ["id"]}

OPTIONS = {
    "n_support": 60,
    "margin": 0.3,
    "bandwidth": "scott",
    "t": 0.2,
    "unseen": "keep",
    "out_of_range": "keep",
    "amount": 0.5,
    "missing": "state",
    "min_group_size": 5,
    "small_groups": "pool",
    "shrinkage": 7.0,
    "min_atom_rows": 2,
    "solver": "sinkhorn",
    "target_weights": "size",
    "unprotected_bins": {"score": 3},
    "sample_weight": "weight",
    "kinds": {"hours": "ordinal"},
    "output": "dithered",
    "regularisation": 0.2,
}

OTHERWISE = {"unprotected_bins": {"unprotected_bins": {"score": 4}}}
"""What to compare with where the default cannot be."""

# What an option needs beside it, or it would change nothing.
WITH = {
    "regularisation": {"solver": "sinkhorn", "n_support": 30, "features": "score"},
    "solver": {"n_support": 30, "features": "score"},
    "unprotected_bins": {"unprotected": "score", "features": ["hours", "ratio"]},
}


def test_it_is_design_and_repair(people, as_table):
    table = as_table(people)
    repair = DistributionalRepair(**ROLES, seed=7, drop_protected=False).fit(table)
    plan = design(table, **ROLES)
    assert to_content(repair.plan_) == to_content(plan)
    pd.testing.assert_frame_equal(
        to_pandas(repair.transform(table)), to_pandas(plan.repair(table, seed=7))
    )


@pytest.mark.parametrize("name", OPTIONS)
def test_each_option_reaches_the_design(people, name):
    if name in ("solver", "regularisation"):
        pytest.importorskip("ot")
    table = people.assign(weight=1 + people["id"] % 3)
    beside = ROLES | WITH.get(name, {})
    option = {name: OPTIONS[name]}
    content = to_content(DistributionalRepair(**beside, **option).fit(table).plan_)
    assert content == to_content(design(table, **beside, **option))
    assert content != to_content(design(table, **beside, **OTHERWISE.get(name, {})))


def test_every_option_of_the_design_is_one_here():
    mine = inspect.signature(DistributionalRepair).parameters
    assert set(inspect.signature(design).parameters) - set(mine) == {"research"}
    assert set(OPTIONS) <= set(mine)


def test_sample_weights_are_no_feature_and_do_not_come_out(people, as_table):
    table = as_table(people.assign(weight=1 + people["id"] % 3))
    repair = DistributionalRepair(**ROLES, sample_weight="weight", seed=7).fit(table)
    assert repair.plan_.feature_names == ("hours", "score", "ratio")
    for drop in (True, False):
        out = to_pandas(repair.set_params(drop_protected=drop).transform(table))
        assert "weight" not in out
        assert list(out) == list(repair.get_feature_names_out())


def test_sample_weights_of_an_array_are_named_by_place(people):
    X = people[["sex", "hours", "id"]].replace({"F": 0, "M": 1}).to_numpy().astype(float)
    repair = DistributionalRepair(0, features=1, sample_weight=2, seed=7).fit(X)
    assert repair.transform(X).shape == (300, 1)
    with pytest.raises(ColumnError, match="A column has one role"):
        repair.set_params(sample_weight=1).fit(X)
    with pytest.raises(ColumnError, match="A column has one role"):
        repair.set_params(sample_weight=2, key=2).fit(X.astype(int))


def test_bins_name_columns_of_x_by_name_or_place_or_beside_it(people):
    X, score = people[["sex", "hours"]], people["score"]
    cuts = [-0.5, 0.5]
    placed = DistributionalRepair("sex", 2, "hours", unprotected_bins={2: cuts})
    plan = placed.fit(X.assign(score=score)).plan_
    assert plan.strata.combinations[0] == ("below -0.5",)
    beside = DistributionalRepair("sex", features="hours", unprotected_bins={"score": cuts})
    assert to_content(beside.fit(X, control_features=score).plan_) == to_content(plan)
    with pytest.raises(ColumnError, match="named by unprotected_bins="):
        beside.set_params(unprotected_bins={"scor": cuts}).fit(X, control_features=score)


def test_amount_0_changes_nothing_and_small_amounts_change_less(people):
    seeded = ROLES | {"seed": 7, "drop_protected": False}
    pd.testing.assert_frame_equal(
        DistributionalRepair(**seeded, amount=0.0).fit_transform(people), people
    )
    half, whole = (
        DistributionalRepair(**seeded, amount=amount).fit_transform(people) for amount in (0.5, 1.0)
    )
    moved_half, moved = half["hours"] != people["hours"], whole["hours"] != people["hours"]
    assert 0 < moved_half.sum() < moved.sum()
    assert not (moved_half & ~moved).any()


def test_levels_in_order_and_an_unseen_category(people, as_table):
    levels = ["low", "mid", "top"]
    people["grade"] = np.array(levels)[np.digitize(people["score"], [-0.5, 0.5])]
    roles = {"protected": "sex", "features": "grade", "seed": 7, "kinds": {"grade": levels}}
    repair = DistributionalRepair(**roles, unseen="pool").fit(as_table(people))
    assert repair.plan_.codecs["grade"].levels == tuple(levels)
    out = to_pandas(repair.transform(as_table(people)))
    assert set(out["grade"]) == set(levels)
    assert not out["grade"].equals(people["grade"])
    odd = people.assign(grade=["none"] * 10 + people["grade"].tolist()[10:])
    pooled = to_pandas(repair.transform(as_table(odd)))["grade"]
    assert "none" not in set(pooled)


def test_missing_as_a_state_brings_the_shares_together(people):
    rng = np.random.default_rng(0)
    many = pd.concat([people] * 10, ignore_index=True)
    gone = rng.random(3_000) < np.where(many["sex"] == "F", 0.4, 0.1)
    many["score"] = many["score"].mask(gone)
    out = {
        missing: DistributionalRepair(**ROLES, missing=missing, seed=7).fit_transform(many)
        for missing in ("keep", "state")
    }
    shares = {
        name: table["score"].isna().groupby(many["sex"]).mean() for name, table in out.items()
    }
    assert abs(shares["keep"]["F"] - shares["keep"]["M"]) > 0.2
    assert abs(shares["state"]["F"] - shares["state"]["M"]) < 0.06


def test_kinds_weights_output_and_features_reach_the_design(people):
    options = {
        "features": ["score", "ratio"],
        "kinds": {"score": "continuous", "ratio": "continuous"},
        "target_weights": {"F": 3, "M": 1},
        "output": "monge",
    }
    repair = DistributionalRepair("sex", "college", **options).fit(people)
    expected = design(people, protected="sex", unprotected="college", **options)
    assert to_content(repair.plan_) == to_content(expected)


def test_parameters_of_design_have_the_same_defaults_here():
    mine = inspect.signature(DistributionalRepair).parameters
    theirs = inspect.signature(design).parameters
    shared = [name for name in theirs if name in mine and name != "protected"]
    assert len(shared) >= 12
    assert {name: mine[name].default for name in shared} == {
        name: theirs[name].default for name in shared
    }


def test_option_that_cannot_be_is_refused_in_fit_not_before(people):
    repair = DistributionalRepair(**ROLES, t=2)
    with pytest.raises(OptionError, match="t=2 is not possible"):
        repair.fit(people)
    with pytest.raises(NotFittedError):
        repair.transform(people)


def test_fit_transform_is_fit_and_transform(people):
    fitted = DistributionalRepair(**ROLES, seed=7).fit(people)
    out = DistributionalRepair(**ROLES, seed=7).fit_transform(people)
    pd.testing.assert_frame_equal(out, fitted.transform(people))


# The seed


def test_fit_draws_a_seed_and_keeps_it(people):
    repair = DistributionalRepair(**ROLES).fit(people)
    first, out = repair._seed, repair.transform(people)
    assert repair.seed is None
    pd.testing.assert_frame_equal(repair.transform(people), out)
    assert repair._seed == first
    assert repair.fit(people)._seed != first
    assert not repair.transform(people).equals(out)


def test_seed_is_64_bits_of_the_operating_system(people, monkeypatch):
    asked = []
    monkeypatch.setattr(secrets, "randbits", lambda bits: asked.append(bits) or 2**64 - 1)
    repair = DistributionalRepair(**ROLES).fit(people)
    assert asked == [64]
    assert repair._seed == 2**64 - 1


def test_given_seed_is_used(people):
    first, second = (DistributionalRepair(**ROLES, seed=9).fit_transform(people) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    assert not first.equals(DistributionalRepair(**ROLES, seed=10).fit_transform(people))


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, "7"])
def test_seed_that_is_none_is_refused(people, seed):
    with pytest.raises(OptionError, match=r"0 to 2\*\*64 - 1"):
        DistributionalRepair(**ROLES, seed=seed).fit(people)


def test_plan_holds_no_seed_and_the_pickle_does(people, tmp_path):
    repair = DistributionalRepair(**ROLES).fit(people)
    repair.plan_.save(tmp_path / "plan.json")
    text = (tmp_path / "plan.json").read_text()
    assert str(repair._seed) not in text
    assert "seed" not in text
    assert repair._seed.to_bytes(8, "little") not in pickle.dumps(repair.plan_)
    assert pickle.loads(pickle.dumps(repair))._seed == repair._seed


def test_notebook_does_not_display_the_seed(people):
    repair = DistributionalRepair(**ROLES).fit(people)
    assert str(repair._seed) not in repr(repair) + repair._repr_html_()
    assert not [name for name in dir(repair) if "seed" in name and name.endswith("_")]


def test_saved_plan_and_seed_repeat_the_repair(people, tmp_path):
    repair = DistributionalRepair(**ROLES, drop_protected=False).fit(people)
    repair.plan_.save(tmp_path / "plan.json")
    again = Plan.load(tmp_path / "plan.json").repair(people, seed=repair._seed)
    pd.testing.assert_frame_equal(again, repair.transform(people))


def test_global_random_state_is_neither_used_nor_moved(people):
    numpys, pythons = np.random.get_state(), random.getstate()  # noqa: NPY002
    DistributionalRepair(**ROLES).fit_transform(people)
    assert random.getstate() == pythons
    for before, after in zip(numpys, np.random.get_state(), strict=True):  # noqa: NPY002
        np.testing.assert_array_equal(before, after)


# The key


@pytest.fixture
def keyed(people):
    return DistributionalRepair("sex", "college", key="id", seed=7).fit(people)


def test_with_a_key_any_cut_and_order_gives_the_same_rows(people, keyed):
    whole = keyed.transform(people)
    for rows in (slice(0, 10), slice(250, None), np.random.default_rng(0).permutation(300)):
        pd.testing.assert_frame_equal(keyed.transform(people.iloc[rows]), whole.iloc[rows])


def test_with_a_key_a_single_row_is_repaired_as_in_the_whole(people, keyed):
    whole = keyed.transform(people)
    singles = [keyed.transform(people.iloc[[i]]) for i in range(0, 300, 10)]
    pd.testing.assert_frame_equal(pd.concat(singles), whole.iloc[::10])


def test_key_may_be_text_or_several_columns(people):
    people["day"], people["no"] = people["id"].astype(str).str[:2], people["id"].astype(str)
    for key in ("no", ["day", "id"]):
        roles = {**ROLES, "exclude": ["day", "no", "id"], "key": key}
        repair = DistributionalRepair(**roles, seed=7).fit(people)
        whole = repair.transform(people)
        pd.testing.assert_frame_equal(repair.transform(people[5:6]), whole[5:6])


def test_key_of_an_integer_array(people):
    X = people[["sex", "hours", "id"]].replace({"F": 0, "M": 1}).to_numpy().astype(int)
    repair = DistributionalRepair(0, features=1, key=2, seed=7).fit(X)
    np.testing.assert_array_equal(repair.transform(X[7:8]), repair.transform(X)[7:8])


def test_key_is_no_feature_and_comes_out_as_it_was(people, keyed):
    assert keyed.plan_.feature_names == ("hours", "score", "ratio")
    pd.testing.assert_series_equal(keyed.transform(people)["id"], people["id"])


def test_single_row_without_a_key_is_refused(people):
    repair = DistributionalRepair(**ROLES, seed=7).fit(people)
    with pytest.raises(RowKeyError, match=r"same draw, .* Pass key= with the column"):
        repair.transform(people[:1])


def test_without_a_key_rows_count_from_0_in_each_call(people):
    repair = DistributionalRepair(**ROLES, seed=7).fit(people)
    whole = repair.transform(people)
    pd.testing.assert_frame_equal(repair.transform(people[:10]), whole[:10])
    assert not repair.transform(people[100:]).equals(whole[100:])


def test_key_column_that_is_not_there_is_refused(people):
    with pytest.raises(ColumnError, match=r"no column 'Id', named by key=.* Did you mean 'id'"):
        DistributionalRepair("sex", "college", key="Id").fit(people)


def test_float_key_is_refused(people):
    people["id"] = people["id"].astype(float)
    repair = DistributionalRepair("sex", "college", key="id").fit(people)
    with pytest.raises(RowKeyError, match="Keys are integers or strings"):
        repair.transform(people)
