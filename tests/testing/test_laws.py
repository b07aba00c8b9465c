"""The laws hold for our own tools, and each is broken by a tool that is wrong in its way."""

import pickle
import subprocess
import sys
import warnings
from typing import ClassVar

import numpy as np
import pytest

import fairmend
from fairmend.testing import (
    LAWS,
    Adapter,
    BrokenLawError,
    NotApplicable,
    examine,
    parametrize_with_laws,
)
from fairmend.testing.__main__ import main


class OfPlan(Adapter):
    """Design and repair."""

    options: ClassVar = {}

    def fit(self, research, *, protected, unprotected, features, amount):
        self.plan = fairmend.design(
            research,
            protected=protected,
            unprotected=unprotected,
            features=features,
            amount=amount,
            **self.options,
        )

    def transform(self, archive):
        return self.plan.repair(archive, seed=7, key="id")

    def save(self, path):
        self.plan.save(path)

    @classmethod
    def load(cls, path):
        loaded = cls()
        loaded.plan = fairmend.Plan.load(path)
        return loaded


class OfEstimator(Adapter):
    """The scikit-learn estimator, saved as a pickle."""

    def fit(self, research, *, protected, unprotected, features, amount):
        self.estimator = fairmend.DistributionalRepair(
            protected=protected,
            unprotected=unprotected,
            features=features,
            amount=amount,
            seed=7,
            key="id",
        ).fit(research)

    def transform(self, archive):
        return self.estimator.transform(archive)


@parametrize_with_laws(OfPlan)
def test_plan(check):
    check()


@parametrize_with_laws(OfEstimator)
def test_estimator(check):
    check()


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{"joint": "sequential"}, {"output": "dithered"}],
    ids=lambda options: next(iter(options.values())),
)
def test_plans_of_other_designs(options):
    designed = type("Designed", (OfPlan,), {"options": options})
    assert {result.outcome for result in examine(designed, LAWS)} == {"holds"}


# Tools that are wrong


def wrong(transform=None, **methods):
    """Make a class of adapters that repairs as we do, and then does something wrong."""
    if transform:
        methods["transform"] = lambda self, archive: transform(
            self, archive, OfPlan.transform(self, archive)
        )
    return type("Wrong", (OfPlan,), methods)


def by_group(self, archive, repaired):
    """Shift each group by an amount of its own."""
    features = list(self.plan.feature_names)
    share = self.plan.options.amount
    means = archive.groupby("s")[features].transform("mean") - archive[features].mean()
    return archive.assign(**(archive[features] - share * means))


def about_the_batch(self, archive, repaired):
    return repaired.assign(x=repaired.x - repaired.x.mean())


def drawn(self, archive, repaired):
    return repaired.assign(x=repaired.x + np.random.rand(len(repaired)))  # noqa: NPY002


def refitted(self, archive, repaired):
    OfPlan.fit(self, archive, protected="s", unprotected=None, features=["x", "hours"], amount=1)
    return OfPlan.transform(self, archive)


def without_strata(self, research, *, unprotected, **options):
    OfPlan.fit(self, research, unprotected=None, **options)


def as_the_first(column, **methods):
    """Make a class that takes every level but 0 and 1 for 0."""

    def transform(self, archive):
        known = archive[column].where(archive[column] < 2, 0)
        return OfPlan.transform(self, archive.assign(**{column: known}))

    return type("Wrong", (OfPlan,), {"transform": transform, **methods})


def in_place(self, archive, repaired):
    archive["x"] = repaired["x"]
    return archive


def bare(self, research, *, protected, **options):
    if (research[protected] == 0).sum() < 2 or (research[protected] == 1).sum() < 2:
        raise KeyError(1)
    OfPlan.fit(self, research, protected=protected, **options)


def two_groups(self, research, *, protected, **options):
    two = research.assign(s=research[protected].clip(upper=1))
    OfPlan.fit(self, two, protected=protected, **options)


def with_rows(self, research, **options):
    OfPlan.fit(self, research, **options)
    self.rows = research["x"].to_numpy()


def as_pickle(self, path):
    path.write_bytes(pickle.dumps(self.rows))


def needing_a_label(self, archive, repaired):
    return repaired.assign(x=repaired.x + archive.label)


def lost(cls, path):
    loaded = OfPlan.load.__func__(cls, path)
    loaded.plan = loaded.plan.with_amount(0.5)
    return loaded


AS_IT_IS = wrong(lambda self, archive, repaired: archive)
WRONG = {
    "groups_come_closer_on_new_rows": AS_IT_IS,
    "binary_columns_are_merged_and_not_swapped": wrong(
        lambda self, archive, repaired: archive.assign(flag=1 - archive.flag)
    ),
    "whole_numbers_are_repaired": AS_IT_IS,
    "adversary_finds_groups_no_better": wrong(by_group),
    "half_a_repair_tells_no_more_than_none": wrong(by_group),
    "strata_are_repaired_each_by_itself": wrong(fit=without_strata),
    "three_groups_are_repaired": as_the_first("s", fit=two_groups),
    "research_is_what_it_learns_from": wrong(refitted),
    "same_seed_gives_the_same": wrong(drawn),
    "global_generator_is_left_alone": wrong(drawn),
    "no_research_row_is_kept": wrong(fit=with_rows, save=as_pickle),
    "saved_and_loaded_it_gives_the_same": wrong(load=classmethod(lost)),
    "no_label_is_needed": wrong(needing_a_label),
    "row_does_not_depend_on_its_batch": wrong(about_the_batch),
    "row_alone_is_repaired_as_in_company": wrong(about_the_batch),
    "row_does_not_depend_on_what_others_hold": wrong(about_the_batch),
    "rows_may_come_in_any_order": wrong(
        lambda self, archive, repaired: repaired.assign(x=repaired.x + np.arange(len(repaired)))
    ),
    "rows_keep_their_place": wrong(
        lambda self, archive, repaired: repaired.assign(x=np.sort(repaired.x))
    ),
    "index_is_kept": wrong(lambda self, archive, repaired: repaired.reset_index(drop=True)),
    "duplicate_index_works": wrong(
        lambda self, archive, repaired: (
            repaired.loc[archive.index.unique()[: len(archive)]].groupby(level=0).first()
        )
    ),
    "types_are_kept": wrong(
        lambda self, archive, repaired: repaired.astype(
            dict.fromkeys(self.plan.feature_names, "f8")
        )
    ),
    "other_columns_stay": wrong(lambda self, archive, repaired: repaired.drop(columns="note")),
    "input_is_not_modified": wrong(in_place),
    "scale_makes_no_difference": wrong(
        lambda self, archive, repaired: repaired.assign(x=repaired.x + 1e-3)
    ),
    "shift_makes_no_difference": wrong(
        lambda self, archive, repaired: repaired.assign(x=repaired.x * 1.01)
    ),
    "missing_stays_missing": wrong(lambda self, archive, repaired: repaired.fillna({"x": 0.0})),
    "whole_numbers_stay_whole_and_in_range": wrong(
        lambda self, archive, repaired: repaired.assign(hours=repaired.hours + 0.3)
    ),
    "positive_values_stay_positive": wrong(
        lambda self, archive, repaired: repaired.assign(income=repaired.income - 5)
    ),
    "amount_zero_changes_nothing": wrong(
        lambda self, archive, repaired: repaired.assign(hours=repaired.hours + 1)
    ),
    "unseen_group_is_not_guessed": as_the_first("s"),
    "unseen_stratum_is_not_guessed": as_the_first("u"),
    "group_of_one_row_is_no_bare_error": wrong(fit=bare),
}


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_each_law_is_broken_by_a_tool_that_is_wrong_in_its_way(law):
    with pytest.raises(BrokenLawError, match=r"\w+ \w+"):
        law.check(WRONG[law.name])


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_each_law_says_what_it_is_and_why(law):
    assert law.says.endswith(".")
    assert "\n" not in law.says
    assert law.why.endswith(".")
    assert law.name == str(law)


# What becomes of a law


def test_laws_that_do_not_apply_and_tools_that_stop_are_told_apart():
    class Tool(AS_IT_IS):
        not_applicable: ClassVar = {"types_are_kept": "gives one array"}

        def fit(self, research, *, amount, **options):
            if amount != 1:
                message = "there are no parts of its repair"
                raise NotApplicable(message)

        def transform(self, archive):
            return archive.fillna(0.0)

    by_name = {result.law.name: result for result in examine(Tool, LAWS)}
    found = {name: (result.outcome, result.reason) for name, result in by_name.items()}
    assert found["types_are_kept"] == ("not applicable", "gives one array")
    assert found["amount_zero_changes_nothing"][0] == "not applicable"
    assert found["missing_stays_missing"] == ("fails", "334 of 334 missing values were filled")
    assert found["index_is_kept"] == ("holds", "")

    class Stops(AS_IT_IS):
        def transform(self, archive):
            message = "division by\nzero"
            raise ZeroDivisionError(message)

    (stopped,) = examine(Stops, LAWS[:1])
    assert (stopped.outcome, stopped.reason) == ("stops", "ZeroDivisionError: division by")


def test_a_warning_in_words_is_a_stated_policy():
    class Warns(OfPlan):
        def transform(self, archive):
            if archive["s"].max() > 1:
                warnings.warn("rows of group 2 become those of group 0", stacklevel=1)
            return OfPlan.transform(self, archive.assign(s=archive["s"].clip(upper=1)))

    (law,) = (law for law in LAWS if law.name == "unseen_group_is_not_guessed")
    law.check(Warns)


# The command


def test_command_prints_each_law_and_says_whether_all_hold(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "leaves_alone.py").write_text(
        "from fairmend.testing import Adapter\n"
        "class Tool(Adapter):\n"
        "    not_applicable = {'index_is_kept': 'none of ours'}\n"
        "    def fit(self, research, **options):\n"
        "        pass\n"
        "    def transform(self, archive):\n"
        "        return archive\n"
    )
    assert main(["leaves_alone:Tool", "--laws", "index"]) == 0
    told = capsys.readouterr().out
    assert "not applicable  index_is_kept\n                none of ours\n" in told
    assert told.endswith("1 not applicable, 1 holds\n")
    assert main(["leaves_alone:Tool", "--laws", "whole"]) == 1
    told = capsys.readouterr().out
    assert "fails  whole_numbers_are_repaired\n" in told
    assert "Why it matters: Hours, ages, counts" in told
    with pytest.raises(SystemExit):
        main(["leaves_alone:Tool", "--laws", "nothing of the kind"])
    assert "there are groups_come_closer" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["leaves_alone"])
    for mistyped in ("leaves_alone:Tol", "leaves_a_lone:Tool"):
        with pytest.raises(SystemExit, match="2"):
            main([mistyped])
    assert "write it as MODULE:ADAPTER" in capsys.readouterr().err


def test_laws_need_nothing_else_of_fairmend_nor_pytest_nor_pyarrow():
    code = (
        "import sys, fairmend.testing\n"
        "from fairmend.testing.rows import people\n"
        "people(20)\n"
        "print(sorted(n for n in sys.modules if n.startswith('fairmend.')\n"
        "      and not n.startswith(('fairmend.testing', 'fairmend._version'))))\n"
        "print([n for n in ('pytest', 'narwhals', 'click', 'rich') if n in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]
