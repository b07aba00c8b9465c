"""Laws of rows and tables: whose result it is, and where it stands."""

import numpy as np

from fairmend.testing.law import Make, require
from fairmend.testing.tables import FEATURES, compare, fitted, joined, numbers, people


def row_does_not_depend_on_its_batch(make: Make) -> None:
    """A row's result is the same whichever rows come with it.

    Batches are an accident of storage. Where they matter, nobody can say why a person's value is
    what it is, and a file that is repaired in two halves is another file.
    """
    adapter, archive = fitted(make, people()), people(seed=1)
    whole = adapter.transform(archive)
    parts = [adapter.transform(archive.iloc[a:b]) for a, b in ((0, 150), (150, 620), (620, 1_000))]
    compare(joined(parts), whole, FEATURES)
    alone = (archive["s"] == 0).to_numpy()
    compare(adapter.transform(archive[alone]), whole[alone], FEATURES)


def row_alone_is_repaired_as_in_company(make: Make) -> None:
    """A single row gets the result that it gets among others.

    Decisions are made about one person at a time, when they apply.
    """
    adapter, archive = fitted(make, people()), people(seed=1)
    whole = adapter.transform(archive)
    for at in (0, 417, 999):
        row = slice(at, at + 1)
        compare(adapter.transform(archive.iloc[row]), whole.iloc[row], FEATURES)


def row_does_not_depend_on_what_others_hold(make: Make) -> None:
    """A row's result is the same whatever the other rows' values are.

    Otherwise a stranger's wild value, or an error in one field, moves everybody else.
    """
    adapter, archive = fitted(make, people()), people(seed=1)
    other = archive.copy()
    other.loc[::2, "x"] = 3 * other["x"].to_numpy()[::2][::-1]
    kept = slice(1, None, 2)
    found, wanted = adapter.transform(other), adapter.transform(archive)
    compare(found.iloc[kept], wanted.iloc[kept], FEATURES)


def rows_may_come_in_any_order(make: Make) -> None:
    """Shuffled rows give the same results, shuffled.

    Databases and clusters promise no order.
    """
    adapter, archive = fitted(make, people()), people(seed=1)
    order = np.random.default_rng(2).permutation(len(archive))
    found = adapter.transform(archive.iloc[order].reset_index(drop=True))
    compare(found, adapter.transform(archive).iloc[order], FEATURES)


def rows_keep_their_place(make: Make) -> None:
    """There come out as many rows as go in, each in its place.

    Repaired columns are put beside others by position: a row out of place is someone else's.
    """
    archive = people(seed=1)
    found = fitted(make, people()).transform(archive)
    require(len(found) == len(archive), f"{len(found):,} rows come out of {len(archive):,}")
    ranks = [numbers(t, "x")[archive["s"] == 0].argsort().argsort() for t in (found, archive)]
    along = float(np.corrcoef(*ranks)[0, 1])
    require(along > 0.7, f"x: ranks within a group agree by {along:.2f} only")


def index_is_kept(make: Make) -> None:
    """The table that comes out has the index that went in.

    pandas aligns by the index without a word: another index puts values beside other people.
    """
    archive = people(seed=1).set_index(np.arange(1_000)[::-1] * 3)
    found = fitted(make, people()).transform(archive)
    require(found.index.equals(archive.index), "the index that comes out is another one")


def duplicate_index_works(make: Make) -> None:
    """Rows that share an index label are repaired like any others.

    Tables that were put together from parts have such indices.
    """
    research, archive = people(), people(seed=1)
    wanted = fitted(make, research).transform(archive)
    twice = fitted(make, research.set_index(np.zeros(1_000, int)))
    compare(twice.transform(archive.set_index(np.arange(1_000) // 2)), wanted, FEATURES)


def types_are_kept(make: Make) -> None:
    """Each column comes out with the type that it had.

    A schema downstream is a promise: whole numbers that turn into floats break joins and files.
    """
    types = {"x": "float64", "income": "float32", "hours": "int64", "flag": "int8"}
    archive = people(seed=1).astype(types)
    found = fitted(make, people().astype(types), list(types)).transform(archive)
    changed = [
        f"{name} {dtype} became {found[name].dtype}"
        for name, dtype in types.items()
        if found[name].dtype != dtype
    ]
    require(not changed, "; ".join(changed))


def other_columns_stay(make: Make) -> None:
    """Columns that are not to be repaired come out as they were, in their order.

    Otherwise a repair changes what nobody asked it to. S alone may be left out: a model is not to
    see it.
    """
    archive = people(seed=1)
    found = fitted(make, people()).transform(archive)
    names = [name for name in archive.columns if name != "s" or name in found.columns]
    require(list(found.columns) == names, f"the columns that come out are {list(found.columns)}")
    changed = [n for n in names if n not in FEATURES and (found[n] != archive[n]).any()]
    require(not changed, f"changed were {changed}")


def input_is_not_modified(make: Make) -> None:
    """Neither the research data nor the archive is changed.

    The caller still needs them, to see what the repair did if for nothing else.
    """
    tables = research, archive = people(), people(seed=1)
    before = [table.copy(deep=True) for table in tables]
    fitted(make, research).transform(archive)
    for name, table, copy in zip(("research data", "archive"), tables, before, strict=True):
        require(table.equals(copy), f"the {name} is changed")


LAWS = (
    row_does_not_depend_on_its_batch,
    row_alone_is_repaired_as_in_company,
    row_does_not_depend_on_what_others_hold,
    rows_may_come_in_any_order,
    rows_keep_their_place,
    index_is_kept,
    duplicate_index_works,
    types_are_kept,
    other_columns_stay,
    input_is_not_modified,
)
