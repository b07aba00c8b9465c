"""A plan as text, as it travels to other processes: no pickle, and rebuilt once in each."""

import json
from functools import lru_cache

from fairmend.plan.documents import canonical_json
from fairmend.plan.plan import Plan
from fairmend.plan.storage import from_content, to_content


def text_of(plan: Plan) -> str:
    """Write a plan as the JSON of its file."""
    return canonical_json(to_content(plan))


@lru_cache(maxsize=4)
def plan_of(text: str) -> Plan:
    """Rebuild a plan, once for the many tasks that a process is given."""
    return from_content(Plan, json.loads(text))
