from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairmend
from fairmend.errors import CellError, ColumnError, DataError, OptionError, SummaryError
from summaries.conftest import FEATURES, ROLES, hash_of, table

SMALL = {"small_groups": "shrink", "shrinkage": 10}
VARIANTS = (
    {},
    {"missing": "state", "amount": 0.5},
    {"min_atom_rows": 5, "target_weights": "size", "n_support": 50},
)


class Stream:
    """Something that is known by its Arrow stream only, as a DuckDB relation is."""

    def __init__(self, arrow):
        self.arrow = arrow

    def __arrow_c_stream__(self, requested_schema=None):
        return self.arrow.__arrow_c_stream__(requested_schema)


def parts_of(arrow, cuts):
    cuts = sorted({0, len(arrow), *cuts})
    return [arrow.slice(a, b - a) for a, b in pairwise(cuts)]


# The same plan as from the rows together


@pytest.fixture(scope="module")
def some():
    roles = ROLES | {"features": ["age", "pay", "job", "grade"]}
    arrow = table(200, seed=1)
    return arrow, roles, hash_of(fairmend.design(arrow, **roles, **SMALL))


@settings(max_examples=25)
@given(st.data())
def test_any_cut_order_and_tree_of_merges_gives_the_same_plan(some, data):
    arrow, roles, whole = some
    order = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(len(arrow))
    parts = parts_of(arrow.take(order), data.draw(st.lists(st.integers(0, 200), max_size=6)))
    summaries = [fairmend.summarise(part, **roles) for part in parts]
    while len(summaries) > 1:
        at = data.draw(st.integers(1, len(summaries) - 1))
        summaries[at - 1 : at + 1] = [summaries[at].merge(summaries[at - 1])]
    assert hash_of(fairmend.design(summaries[0], **SMALL)) == whole


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("options", VARIANTS)
def test_sites_together_give_the_same_plan_for_all_options(research, weight, options):
    roles = ROLES | {"sample_weight": weight}
    whole = fairmend.design(research, **roles, **SMALL, **options)
    sites = [fairmend.summarise(part, **roles) for part in parts_of(research, [10, 700])]
    assert hash_of(fairmend.design(sites[::-1], **SMALL, **options)) == hash_of(whole)


def test_every_kind_of_stream_gives_the_same_plan(research):
    whole = hash_of(fairmend.design(research, **ROLES, **SMALL))
    parts = parts_of(research, [1, 2, 900])
    streams = {
        "tables": parts,
        "iterator": iter(parts),
        "batches": [batch for part in parts for batch in part.to_batches()],
        "reader": research.to_reader(max_chunksize=100),
        "stream": Stream(research),
        "empty among them": [research.slice(0, 0), *parts],
    }
    for name, stream in streams.items():
        assert hash_of(fairmend.design(stream, **ROLES, **SMALL)) == whole, name
        roles = ROLES | {"unprotected_bins": {"years": {"young": (None, 40), "old": (40, None)}}}
    named = [fairmend.summarise(part, **roles) for part in parts]
    assert hash_of(fairmend.design(named, **SMALL)) == hash_of(
        fairmend.design(research, **roles, **SMALL)
    )


def test_tables_of_any_library_come_in_parts(research):
    numbers = research.select(["sex", "wage", "age"])
    whole = fairmend.design(numbers, protected="sex")
    for make in (pl.from_arrow, lambda arrow: arrow.to_pandas()):
        parts = [make(part) for part in parts_of(numbers, [100, 800])]
        assert hash_of(fairmend.design(parts, protected="sex")) == hash_of(whole)


def test_fractional_weights_are_added_to_their_last_bits(research):
    w = np.random.default_rng(0).random(len(research))
    weighted = research.set_column(4, "w", pa.array(w))
    roles = {"protected": "sex", "features": ["age", "wage"], "sample_weight": "w"}
    whole = fairmend.design(weighted, **roles)
    again = fairmend.design(parts_of(weighted, [3, 800])[::-1], **roles)
    for one, two in zip(whole.features, again.features, strict=True):
        np.testing.assert_allclose(two.cells[0].marginals, one.cells[0].marginals, atol=1e-12)


def test_levels_are_found_as_they_come():
    first = pa.table({"s": ["b"] * 40, "u": [2] * 40, "x": np.arange(40.0), "c": ["q"] * 40})
    second = pa.table(
        {"s": ["a", "b"] * 40, "u": [1, 10] * 40, "x": np.arange(80.0), "c": ["p", "r"] * 40}
    )
    roles = {"protected": "s", "unprotected": "u", "features": ["x", "c"]}
    whole = fairmend.design(pa.concat_tables([first, second]), **roles, small_groups="shrink")
    again = fairmend.design([first, second], **roles, small_groups="shrink")
    assert hash_of(again) == hash_of(whole)
    assert again.strata.combinations == ((1,), (2,), (10,))
    assert again.codecs["c"].levels == ("p", "q", "r")


def test_numbers_as_levels_do_not_show_which_table_came_first():
    whole = pa.table({"s": [1, 2] * 30, "x": np.arange(60.0)})
    real = whole.set_column(0, "s", whole["s"].cast(pa.float64()))
    sites = [fairmend.summarise(part, protected="s") for part in (whole, real)]
    assert hash_of(fairmend.design(sites)) == hash_of(fairmend.design(sites[::-1]))
    assert repr(fairmend.design(sites).groups.combinations) == "((1,), (2,))"


def test_a_column_may_be_empty_in_some_parts():
    known = pa.table({"s": ["a", "b"] * 30, "x": ["p", "q", "q"] * 20})
    empty = pa.table({"s": ["a", "b"] * 10, "x": pa.nulls(20)})
    plan = fairmend.design([empty, known, empty], protected="s", missing="state")
    assert plan.codecs["x"].levels == ("p", "q")
    assert plan.features[0].cells[0].missing == pytest.approx([0.4, 0.4, 0.4])
    with pytest.raises(ColumnError, match="'x' of the research data is of type null"):
        fairmend.design([empty], protected="s")


def test_ordered_categories_keep_their_order_and_drop_what_no_row_has():
    def site(levels, values):
        column = pa.array(pd.Categorical(values * 20, categories=levels, ordered=True))
        return pa.table({"s": ["a", "b"] * (len(column) // 2), "x": column})

    sites = [site(["low", "high"], ["low", "high"]), site(["low", "mid", "top", "high"], ["mid"])]
    plan = fairmend.design(sites, protected="s")
    assert plan.codecs["x"].levels == ("low", "mid", "high")
    assert plan.features[0].kind == "ordinal"
    with pytest.raises(SummaryError, match=r"'x' in orders of which none holds the other.*kinds="):
        fairmend.design([*sites, site(["high", "low"], ["low", "high"])], protected="s")


def test_numeric_kinds_may_be_named_at_the_design(research):
    summary = fairmend.summarise(research, protected="sex", features=["age", "wage"])
    plan = fairmend.design(summary, kinds={"age": "continuous"})
    direct = fairmend.design(
        research, protected="sex", features=["age", "wage"], kinds={"age": "continuous"}
    )
    assert hash_of(plan) == hash_of(direct)


# Errors, each once


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"protected": "race"}, "the protected columns: ['sex'] in one, ['race'] in another"),
        ({"unprotected": "college"}, "the unprotected columns"),
        ({"features": ["age"]}, "the features: ['age', 'wage'] in one, ['age'] in another"),
        ({"sample_weight": "w"}, "the column of sample weights: None in one, w in another"),
        ({"kinds": {"age": "categorical"}}, "the type of 'age': number in one, category in"),
        ({"kinds": {"age": "discrete"}}, "the kind of 'age': None in one, discrete in another"),
        ({"unprotected": "years", "unprotected_bins": {"years": [50]}}, "the bins of"),
    ],
)
def test_only_summaries_made_alike_are_added_up(research, other, said):
    roles = {"protected": "sex", "features": ["age", "wage"]}
    if "unprotected_bins" in other:
        roles |= {"unprotected": "years", "unprotected_bins": {"years": [40]}}
    one = fairmend.summarise(research, **roles)
    two = fairmend.summarise(research, **(roles | other))
    with pytest.raises(SummaryError) as error:
        one.merge(two)
    assert said in str(error.value)


def test_a_column_that_turns_to_text_half_way_is_named(research):
    text = research.set_column(6, "wage", research["wage"].cast(pa.string()))
    with pytest.raises(SummaryError, match="differ in the type of 'wage': number in one, category"):
        fairmend.design([research, text], protected="sex", features=["wage"])


def test_quantile_bins_need_all_rows(research):
    roles = ROLES | {"unprotected_bins": {"years": 3}}
    fairmend.summarise(research, **roles)
    with pytest.raises(SummaryError, match=r"unprotected_bins\['years'\].*Pass the cut points"):
        fairmend.summarise([research], **roles)


def test_roles_are_not_given_again(research):
    summary = fairmend.summarise(research, protected="sex", features=["age", "job"])
    with pytest.raises(SummaryError, match="protected=, exclude= cannot be given"):
        fairmend.design(summary, protected="sex", exclude=["id"])
    with pytest.raises(SummaryError, match=r"kinds\['age'\]= cannot be given"):
        fairmend.design(summary, kinds={"age": "categorical"})
    with pytest.raises(SummaryError, match=r"kinds\['job'\]= cannot be given"):
        fairmend.design(summary, kinds={"job": ["cook", "nurse", "clerk"]})
    with pytest.raises(OptionError, match="kinds= names 'x', which is not a feature"):
        fairmend.design(summary, kinds={"x": "discrete"})
    with pytest.raises(SummaryError, match="from research data or from summaries"):
        fairmend.design([summary, research])
    with pytest.raises(OptionError, match="protected= names no column"):
        fairmend.design(research)


def test_nothing_to_count_is_an_error(research):
    with pytest.raises(DataError, match="research data has no rows"):
        fairmend.design([research.slice(0, 0)], protected="sex")
    with pytest.raises(DataError, match="research data has no rows"):
        fairmend.design([], protected="sex")


def test_checks_of_the_rows_hold_for_all_parts_together(research):
    women = research.filter(pa.compute.equal(research["sex"], "F"))
    with pytest.raises(CellError, match="one group only, sex='F'"):
        fairmend.design([women, women], protected="sex", features=["wage"])
    nobody = research.set_column(4, "w", pa.array(np.zeros(len(research))))
    with pytest.raises(DataError, match="'w', named by sample_weight=, has 0 missing"):
        fairmend.design([nobody], protected="sex", features=["wage"], sample_weight="w")
    with pytest.raises(CellError, match="at least 900 research rows"):
        fairmend.design([research], protected="sex", features=["wage"], min_group_size=900)


def test_the_summary_says_what_was_counted(research):
    summary = fairmend.summarise(research, **ROLES)
    assert summary.n_rows == len(research)
    assert summary.feature_names == tuple(FEATURES)
    assert repr(summary).startswith("<fairmend.Summary: 1,500 rows; 6 groups of ['sex', 'race']")
