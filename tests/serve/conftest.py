"""A plan for people, and a client of a server that applies it."""

import pytest
from starlette.testclient import TestClient

import fairmend
from fairmend.serve import create_app

SEED = 8_888_777_766_665_555
ARROW = "application/vnd.apache.arrow.stream"


@pytest.fixture(scope="session")
def plan(people):
    return fairmend.design(
        people.slice(0, 500), protected="sex", unprotected="college", features=["hours", "wage"]
    )


@pytest.fixture
def client_of(plan):
    def client(**options):
        app = create_app(plan, SEED, key="id", **options)
        return TestClient(app, raise_server_exceptions=True)

    return client


@pytest.fixture
def client(client_of):
    return client_of()
