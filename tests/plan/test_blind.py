import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from scipy.optimize import linprog

import fairmend
from fairmend.cli.main import cli
from fairmend.datasets import simulate
from fairmend.errors import OptionError, PlanFileError
from fairmend.transport.blind import dependence_of, shared_map


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(4)
    table = simulate(12_000, 6)
    s = table["s"].to_numpy()
    hours = np.where(rng.random(12_000) < 0.4, 40, rng.integers(30, 45, 12_000) + 4 * s)
    job = np.array(["a", "b", "c", "d"])[np.minimum(rng.integers(0, 4, 12_000) + s, 3)]
    return table.append_column("hours", pa.array(hours)).append_column("job", pa.array(job))


FEATURES = ["x1", "hours", "job"]


@pytest.fixture(scope="module")
def plan(people):
    return fairmend.design(
        people.slice(0, 8_000), protected="s", unprotected="u", features=FEATURES
    )


@pytest.fixture(scope="module")
def blind(plan):
    return plan.blind(0.5)


def test_the_group_makes_no_difference(people, blind):
    archive = people.slice(8_000)
    other = archive.set_column(0, "s", pa.array(1 - archive["s"].to_numpy()))
    unknown = archive.drop(["s"])
    found = [blind.repair(table, seed=3) for table in (archive, other, unknown)]
    for name in FEATURES:
        assert found[0][name].equals(found[1][name])
        assert found[0][name].equals(found[2][name])
    assert not found[0]["x1"].equals(archive["x1"])


def test_dependence_falls_as_the_budget_rises_and_the_budget_is_kept(plan):
    ends = [plan.blind(budget).tradeoff([1.0])[0] for budget in (0.0, 0.25, 0.5, 0.8)]
    for name in FEATURES:
        left = [end.by_feature[name][0] for end in ends]
        assert left == sorted(left, reverse=True)
        assert left[-1] < 0.2 * left[0]
        for budget, end in zip((0.0, 0.25, 0.5, 0.8), ends, strict=True):
            assert end.by_feature[name][1] <= budget + 1e-9
    for name in ("x1", "hours"):
        # While dependence is left, all of the budget is spent.
        assert [end.by_feature[name][1] for end in ends[:3]] == pytest.approx(
            [0.0, 0.25, 0.5], rel=0.03
        )


def test_what_is_expected_happens(people, plan, blind):
    research, archive = people.slice(0, 8_000), people.slice(8_000)
    expected, before = (one.tradeoff([1.0])[0].by_feature for one in (blind, plan.blind(0.0)))
    for name, kind in (("x1", "continuous"), ("hours", "discrete")):
        for table, most in ((research, 0.1), (archive, 0.25)):
            repaired = blind.repair(table.drop(["s"]), seed=1)
            was, left = (
                fairmend.dependence(one[name], table["s"], table["u"], kind=kind)
                for one in (table, repaired)
            )
            assert left / was == pytest.approx(expected[name][0] / before[name][0], abs=most)
            assert left < 0.75 * was
            u = table["u"].to_numpy()
            deviation = np.sqrt(np.mean([table[name].to_numpy()[u == v].var() for v in (0, 1)]))
            rmse = fairmend.damage(table[name], repaired[name]).rmse
            assert rmse / deviation == pytest.approx(expected[name][1], rel=0.1)


def test_no_budget_changes_nothing(people, plan):
    archive = people.slice(8_000).drop(["s"])
    found = plan.blind(0.0).repair(archive, seed=1)
    for name in ("hours", "job"):
        assert found[name].equals(archive[name])
    # A continuous value still goes to one of its two neighbours on the support.
    step = np.diff(plan.features[0].cells[0].support).max()
    assert np.abs(found["x1"].to_numpy() - archive["x1"].to_numpy()).max() <= 1.5 * step


def test_a_saved_plan_is_the_same(people, blind, tmp_path):
    blind.save(tmp_path / "blind.json")
    again = fairmend.Plan.load(tmp_path / "blind.json")
    archive = people.slice(8_000).drop(["s"])
    assert again.is_blind
    assert again.repair(archive, seed=3).equals(blind.repair(archive, seed=3))
    text = (tmp_path / "blind.json").read_text()
    (tmp_path / "other.json").write_text(text.replace('"blind":0.5', '"blind":0.6'))
    with pytest.raises(PlanFileError, match="changed or damaged"):
        fairmend.Plan.load(tmp_path / "other.json")


def test_a_plan_with_groups_is_written_without_a_word_of_it(plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    assert '"blind"' not in (tmp_path / "plan.json").read_text()


def test_what_makes_no_sense_is_refused(people, blind):
    with pytest.raises(OptionError, match="blind already"):
        blind.blind(0.3)
    roles = {"protected": "s", "unprotected": "u", "features": ["x1"]}
    with pytest.raises(OptionError, match="makes no draws"):
        fairmend.design(people, **roles, output="monge").blind(0.3)
    with pytest.raises(OptionError, match="budget"):
        fairmend.design(people, **roles).blind(-1.0)


def two_normals(n, share):
    x = np.linspace(-3.5, 4.5, n)
    laws = np.exp(-0.5 * (x - np.array([[1.0], [0.0]])) ** 2)
    laws /= laws.sum(axis=1, keepdims=True)
    return x, laws, np.array([share, 1 - share]) @ laws


@pytest.mark.parametrize("damage", [0.4, 0.6, 0.8])
def test_no_pairing_of_values_is_better(damage):
    """Bound: pairs of a value of either side meet at the place of least cost (a linear program).

    A pair that meets leaves no dependence there, and takes away a share of what was.
    """
    x, laws, mass = two_normals(40, 0.2)
    gap = laws[0] - laws[1]
    low, high = np.flatnonzero(gap < 0), np.flatnonzero(gap > 0)
    ratio, telling = np.abs(gap / mass), 0.5 * np.abs(np.log(laws[0] / laws[1]))
    cost = (x[low][:, None] - x[high]) ** 2 / (ratio[low][:, None] + ratio[high])
    worth = telling[low][:, None] + telling[high]
    ends = np.vstack(
        [
            np.kron(np.eye(low.size), np.ones(high.size)),
            np.kron(np.ones(low.size), np.eye(high.size)),
            cost.ravel(),
        ]
    )
    limits = np.concatenate([-gap[low], gap[high], [damage**2]])
    found = linprog(-worth.ravel(), A_ub=ends, b_ub=limits, method="highs")
    bound = dependence_of(laws) + found.fun
    squares = (x[:, None] - x) ** 2
    prices = np.geomspace(0.02, 2.0, 25)
    kernels = [shared_map(laws, mass, squares, price) for price in prices]
    left = [dependence_of(laws @ kernel + 1e-12) for kernel in kernels]
    spent = [np.sqrt((mass[:, None] * kernel * squares).sum()) for kernel in kernels]
    assert np.interp(damage, spent[::-1], left[::-1]) < bound


def test_an_invertible_map_changes_no_dependence_and_any_map_does_not_raise_it():
    rng = np.random.default_rng(0)
    _, laws, _ = two_normals(30, 0.3)
    order = rng.permutation(30)
    assert dependence_of(laws[:, order]) == pytest.approx(dependence_of(laws), abs=1e-12)
    kernel = rng.dirichlet(np.ones(30), size=30)
    assert dependence_of(laws @ kernel) < dependence_of(laws)


def test_the_command(people, plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    args = ["blind", str(tmp_path / "plan.json"), "--damage", "0.5"]
    found = CliRunner().invoke(cli, [*args, "-o", str(tmp_path / "b.json")], catch_exceptions=False)
    assert found.exit_code == 0
    assert "E with groups" in found.output
    pa.parquet.write_table(people.slice(8_000).drop(["s"]), tmp_path / "archive.parquet")
    repair = ["repair", str(tmp_path / "archive.parquet"), "--plan", str(tmp_path / "b.json")]
    found = CliRunner().invoke(
        cli, [*repair, "-o", str(tmp_path / "out.parquet"), "--seed", "3"], catch_exceptions=False
    )
    assert found.exit_code == 0
    wanted = plan.blind(0.5).repair(people.slice(8_000).drop(["s"]), seed=3)
    assert pa.parquet.read_table(tmp_path / "out.parquet")["x1"].equals(wanted["x1"])
