"""A plan for people, and people with a column that is only passed through."""

import pyarrow as pa
import pytest

import fairmend


@pytest.fixture(scope="module")
def plan(people):
    return fairmend.design(
        people.slice(0, 500), protected="sex", unprotected="college", features=["hours", "wage"]
    )


@pytest.fixture(scope="session")
def noted(people):
    """Add a column that is only passed through."""
    note = pa.array([None if i % 5 == 0 else f"note, {i}" for i in range(900)])
    return people.append_column("a.b `note`", note)
