"""A label model as text, as it travels to other processes: no pickle, and rebuilt once in each."""

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from fairmend.plan.documents import canonical_json
from fairmend.unlabelled.fitted import Fitted
from fairmend.unlabelled.storage import from_content, to_content

if TYPE_CHECKING:
    from fairmend.unlabelled.model import LabelModel


def text_of(model: "LabelModel") -> str:
    """Write a model as the JSON of its file; one that uses a classifier is refused."""
    return canonical_json(to_content(model.learnt))


@lru_cache(maxsize=4)
def labels_of(text: str) -> Fitted:
    """Rebuild what a model has learnt, once for the many tasks that a process is given."""
    return from_content(json.loads(text))
