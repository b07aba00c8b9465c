import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.plan.forest import Bins, Forest
from fairmend.plan.tree import Split, Tree

LEVELS = 4


@st.composite
def trees(draw, most=12):
    """Trees of any shape over an ordered feature "x" and a categorical one "c"."""
    n = draw(st.integers(0, most))
    ends, splits = [(-1, "")], []
    for at in range(n):
        parent, side = ends.pop(draw(st.integers(0, len(ends) - 1)))
        if parent >= 0:
            splits[parent][side] = at
        asked = {"missing": draw(st.booleans()), "left": None, "right": None}
        if draw(st.booleans()):
            cut = draw(st.one_of(st.none(), st.integers(-3, 3).map(float)))
            asked |= {"feature": "x", "at_most": cut, "among": ()}
        else:
            among = draw(st.sets(st.integers(0, LEVELS - 1)))
            asked |= {"feature": "c", "at_most": None, "among": tuple(sorted(among))}
        splits.append(asked)
        ends += [(at, "left"), (at, "right")]
    for leaf, (parent, side) in enumerate(ends):
        if parent >= 0:
            splits[parent][side] = ~leaf
    return Tree(tuple(Split(**one) for one in splits))


def walked(tree, row):
    """Find a row's leaf as one would by hand."""
    to = 0 if tree.splits else -1
    while to >= 0:
        one = tree.splits[to]
        value = row[one.feature]
        if np.isnan(value) or (one.feature == "c" and value < 0):
            left = one.missing
        elif one.feature == "c":
            left = value in one.among
        else:
            left = one.at_most is not None and value <= one.at_most
        to = one.left if left else one.right
    return ~to


def compiled(forest_trees):
    bins = {
        "x": Bins.asked("x", forest_trees, levels=0, ordered=True),
        "c": Bins.asked("c", forest_trees, levels=LEVELS, ordered=False),
    }
    return Forest.of(forest_trees, bins), bins


@given(st.lists(trees(), min_size=1, max_size=3), st.integers(0, 2**32 - 1))
def test_every_row_comes_to_the_leaf_that_a_walk_down_the_tree_finds(forest_trees, seed):
    rng = np.random.default_rng(seed)
    n = 200
    x = rng.choice([-np.inf, *np.arange(-3.5, 4, 0.5), np.inf, np.nan], n)
    c = rng.choice([-1.0, *range(LEVELS), np.nan], n)
    stratum = rng.integers(0, len(forest_trees), n)
    forest, bins = compiled(forest_trees)
    seen = {"x": bins["x"].of(x), "c": bins["c"].of(c)}
    found = forest.leaf(stratum, seen)
    wanted = [
        forest.first[u] + walked(forest_trees[u], {"x": a, "c": b})
        for u, a, b in zip(stratum, x, c, strict=True)
    ]
    assert found.tolist() == wanted


@given(trees(), st.integers(1, 14))
def test_a_pruned_tree_is_the_first_splits(tree, leaves):
    smaller = tree.pruned(leaves)
    assert smaller.leaves == min(leaves, tree.leaves)
    # A leaf of the large tree lies in one leaf of the small one, which is one of its nodes.
    kept = [bits for bits, _ in tree.nodes[: 2 * smaller.leaves - 1]]
    parents = {parent for _, parent in tree.nodes[: 2 * smaller.leaves - 1]}
    ends = [bits for at, bits in enumerate(kept) if at not in parents]
    assert sum(ends) == (1 << tree.leaves) - 1
    assert len(ends) == smaller.leaves


def test_as_many_leaves_as_a_word_has_bits_are_told_apart():
    chain = tuple(Split("x", float(at), (), False, ~at, at + 1) for at in range(61))
    tree = Tree((*chain, Split("x", 61.0, (), True, ~61, ~62)))
    forest, bins = compiled([tree])
    x = np.append(np.arange(63.0), np.nan)
    leaf = forest.leaf(np.zeros(64, dtype=np.int64), {"x": bins["x"].of(x)})
    assert leaf.tolist() == [*range(63), 61]


@pytest.mark.parametrize("levels", [0, 3])
def test_missing_values_and_unseen_levels_have_a_bin_of_their_own(levels):
    trees = [Tree((Split("x", 1.0, (), False, ~0, ~1),))]
    bins = Bins.asked("x", trees, levels=levels, ordered=True)
    found = bins.of(np.array([np.nan, 0.0, 1.0, 1.5, -1.0]))
    assert found.tolist() == [2, 0, 0, 1, 2 if levels else 0]
