"""The description that machines read is what the server does: schemathesis asks it anything."""

import pyarrow as pa
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

import fairmend
from fairmend.serve import create_app

HEADERS = {"Authorization": "Bearer open sesame"}


@pytest.fixture(scope="module")
def operations(plan):
    app = create_app(plan, 7, key="id", token="open sesame")
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=HEADERS)
    return {one.ok().label: one.ok() for one in schema.get_all_operations()}


def ask(operation, mode, examples):
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(generation_mode=mode))
    def asked(case):
        # Records may fit the schema and be refused: keys that rows share, a key without an end.
        case.call_and_validate(headers=HEADERS, excluded_checks=[positive_data_acceptance])

    asked()


def test_all_paths_are_described(operations):
    paths = ["GET /health", "GET /metrics", "GET /plan", "POST /repair"]
    assert sorted(operations) == paths


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("examples", [20, pytest.param(1_000, marks=pytest.mark.slow)])
def test_whatever_is_asked_is_answered_as_described(operations, mode, examples):
    ask(operations["POST /repair"], mode, examples)


@pytest.fixture(scope="module")
def told(people):
    people = people.append_column("town", pa.array(["east", "west", None] * 300))
    roles = {"protected": "sex", "unprotected": "college", "features": ["hours", "wage"]}
    model = fairmend.LabelModel(**roles, also="town", method="bayes", folds=2)
    return model.fit(people.slice(0, 500))


def test_groups_that_are_estimated_may_be_left_out_or_null(plan, told):
    app = create_app(plan, 7, key="id", labels=told)
    described = app.openapi()["paths"]["/repair"]["post"]["requestBody"]["content"]
    record = described["application/json"]["schema"]["oneOf"][0]
    assert record["required"] == ["college", "hours", "id", "town", "wage"]
    assert record["properties"]["sex"]["enum"] == ["F", "M", None]
    assert record["properties"]["town"]["enum"] == ["east", "west", None]
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    operations = {one.ok().label: one.ok() for one in schema.get_all_operations()}
    ask(operations["POST /repair"], GenerationMode.POSITIVE, 20)


def test_a_blind_plan_describes_no_group(plan):
    described = create_app(plan.blind(0.0), 7, key="id").openapi()
    record = described["paths"]["/repair"]["post"]["requestBody"]["content"]["application/json"]
    assert "sex" not in record["schema"]["oneOf"][0]["properties"]


@pytest.mark.parametrize("label", ["GET /health", "GET /metrics", "GET /plan"])
def test_what_is_shown_is_as_described(operations, label):
    ask(operations[label], GenerationMode.POSITIVE, 3)
