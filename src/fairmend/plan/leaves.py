"""The leaves of a joint plan in its file, and whether what was read can be applied."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairmend.plan.documents import canonical_json
from fairmend.plan.refined import Refined
from fairmend.plan.tree import MOST_LEAVES, Split, Tree
from fairmend.transport.cell import Cell


def refined_content(refined: Refined | None) -> dict[str, Any] | None:
    """Lay trees and leaves out as plain JSON types; a leaf has the support of its stratum."""
    if refined is None:
        return None
    return {
        "pseudo_rows": refined.pseudo_rows,
        "strata": [
            {
                "splits": [_split_content(split) for split in tree.splits],
                "leaves": [_leaf_content(cell) for cell in cells],
            }
            for tree, cells in zip(refined.trees, refined.cells, strict=True)
        ],
    }


def refined_text(content: Mapping[str, Any]) -> str:
    """Write trees and leaves one a line."""
    strata = []
    for one in content["strata"]:
        leaves = ",\n".join(map(canonical_json, one["leaves"]))
        splits = ",\n".join(map(canonical_json, one["splits"]))
        strata.append(f'{{"leaves":[\n{leaves}\n],"splits":[\n{splits}\n]}}')
    inside = ",\n".join(strata)
    return f'{{"pseudo_rows":{canonical_json(content["pseudo_rows"])},"strata":[\n{inside}\n]}}'


def refined_from(content: Mapping[str, Any], strata: Sequence[Cell]) -> Refined:
    """Rebuild trees and leaves from their content and the cells of the strata."""
    parts = list(zip(content["strata"], strata, strict=True))
    trees = [Tree(tuple(_split(split) for split in part["splits"])) for part, _ in parts]
    cells = [tuple(_leaf(leaf, cell) for leaf in part["leaves"]) for part, cell in parts]
    return Refined(tuple(trees), tuple(cells), content["pseudo_rows"])


def faults_of(
    refined: Refined, strata: int, earlier: Mapping[str, tuple[int, bool]]
) -> Iterator[str]:
    """Say what is wrong with the trees of a feature.

    Parameters
    ----------
    refined : Refined
        As read.
    strata : int
        How many there are.
    earlier : mapping of str to (levels, ordered)
        The features repaired before.
    """
    if not (len(refined.trees) == len(refined.cells) == strata):
        yield "lacks strata"
    if not (np.isfinite(refined.pseudo_rows) and refined.pseudo_rows >= 0):
        yield "leans on a stratum as on no number of rows"
    for tree, cells in zip(refined.trees, refined.cells, strict=False):
        if tree.leaves != len(cells) or tree.leaves > MOST_LEAVES:
            yield "lacks leaves or has too many"
        children = [to for one in tree.splits for to in (one.left, one.right)]
        if sorted(children) != [*range(-tree.leaves, 0), *range(1, len(tree.splits))] * bool(
            tree.splits
        ) or any(0 <= to <= at for at, one in enumerate(tree.splits) for to in _kids(one)):
            yield "has splits that form no tree"
        if not all(_can_be_asked(split, earlier) for split in tree.splits):
            yield "asks of what is not repaired before"


def _kids(split: Split) -> tuple[int, int]:
    return split.left, split.right


def _can_be_asked(split: Split, earlier: Mapping[str, tuple[int, bool]]) -> bool:
    if split.feature not in earlier:
        return False
    levels, ordered = earlier[split.feature]
    if ordered:
        return not split.among and (split.at_most is None or bool(np.isfinite(split.at_most)))
    return split.at_most is None and all(0 <= at < levels for at in split.among)


def _split_content(split: Split) -> dict[str, Any]:
    return {
        "feature": split.feature,
        "at_most": split.at_most,
        "among": list(split.among),
        "missing": split.missing,
        "left": split.left,
        "right": split.right,
    }


def _split(content: Mapping[str, Any]) -> Split:
    return Split(**{**content, "among": tuple(content["among"])})


def _leaf_content(cell: Cell) -> dict[str, Any]:
    return {
        "counts": cell.counts.tolist(),
        "marginals": cell.marginals.tolist(),
        "missing": None if cell.missing is None else cell.missing.tolist(),
        "target": cell.target.tolist(),
    }


def _leaf(content: Mapping[str, Any], stratum: Cell) -> Cell:
    return replace(
        stratum,
        counts=np.array(content["counts"], dtype=np.int64),
        marginals=np.array(content["marginals"], dtype=np.float64),
        missing=None if content["missing"] is None else np.array(content["missing"]),
        target=np.array(content["target"], dtype=np.float64),
    )
