"""Laws of what is fitted: where it comes from, what it holds, and that it lasts."""

import tempfile
from pathlib import Path

import numpy as np

from fairmend.testing.adapter import Adapter
from fairmend.testing.law import Make, first_words, require
from fairmend.testing.tables import FEATURES, Floats, Table, compare, fitted, numbers, people


def research_is_what_it_learns_from(make: Make) -> None:
    """What is fitted on the research data is applied to other rows as it is.

    A repair that is fitted anew on each archive needs S and many rows there, treats the same person
    in another way each time, and cannot be reviewed before it is used.
    """
    research, archive = people(), people(seed=1)
    other = research.assign(x=research["x"] - 4 * research["s"])
    one, two = (numbers(fitted(make, t).transform(archive), "x") for t in (research, other))
    require(
        not np.allclose(one, two),
        "the archive's result is the same whatever the research data: it is fitted on the archive",
    )


def same_seed_gives_the_same(make: Make) -> None:
    """Fitted and applied again, with its seed if it has one, it gives the same result.

    A result that cannot be had again cannot be checked, nor explained to the person concerned.
    """
    found = []
    for state in (1, 2):
        _disturb(state)
        found.append(fitted(make, people()).transform(people(seed=1)))
    compare(found[0], found[1], FEATURES)


def global_generator_is_left_alone(make: Make) -> None:
    """NumPy's global random state is the same afterwards.

    Other code draws from it, too: to draw or to seed it changes results far away.
    """
    before = _state()
    fitted(make, people()).transform(people(seed=1))
    require((_state() == before).all(), "numpy.random's global state is another one afterwards")


def no_research_row_is_kept(make: Make) -> None:
    """What is fitted does not hold the values of research rows.

    It is handed to those who may not see these people: it is deployed, published, and sent on.
    """
    sizes = {}
    for n in (1_000, 20_000):
        research = people(n)
        content = _saved(fitted(make, research, ["x"]))
        sizes[n] = len(content)
    values = research["x"].to_numpy()[:500]
    held = np.mean([v.tobytes() in content or repr(float(v)).encode() in content for v in values])
    require(held < 0.1, f"{held:.0%} of the research data's values are in what is saved")
    few, many = sizes.values()
    require(
        many < 3 * few + 10_000,
        f"what is saved grows with the research data: {few:,} bytes of 1,000 rows, "
        f"{many:,} of 20,000",
    )


def saved_and_loaded_it_gives_the_same(make: Make) -> None:
    """What is fitted can be written to a file, read back, and gives the same result.

    Who fits and who repairs are mostly other people, on other days.
    """
    adapter, archive = fitted(make, people()), people(seed=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "fitted")
        adapter.save(path)
        loaded = type(adapter).load(path)
    compare(loaded.transform(archive), adapter.transform(archive), FEATURES)


def no_label_is_needed(make: Make) -> None:
    """Features are repaired without an outcome column.

    Archives are repaired before anybody knows what will be decided with them.
    """
    research, archive = people(), people(seed=1)
    wanted = fitted(make, research).transform(archive)
    bare: list[Table] = [table.drop(columns="label") for table in (research, archive)]
    try:
        found = fitted(make, bare[0]).transform(bare[1])
    except Exception as error:  # noqa: BLE001 - a tool may raise anything
        require(False, f"without the column it stops with {first_words(error)}")
    compare(found, wanted, FEATURES)


def _saved(adapter: Adapter) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "fitted")
        adapter.save(path)
        return path.read_bytes()


def _disturb(state: int) -> None:
    np.random.seed(state)  # noqa: NPY002 - the law is about tools that draw from it


def _state() -> Floats:
    _, words, place, *rest = np.random.get_state()  # noqa: NPY002
    return np.array([*words, place, *rest], dtype=float)


LAWS = (
    research_is_what_it_learns_from,
    same_seed_gives_the_same,
    global_generator_is_left_alone,
    no_research_row_is_kept,
    saved_and_loaded_it_gives_the_same,
    no_label_is_needed,
)
