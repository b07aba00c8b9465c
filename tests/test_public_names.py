"""Every public name is there, and every error is one of ours and in the manual."""

import pickle
from pathlib import Path

import pytest

import fairmend
from fairmend import errors

MANUAL = Path(__file__).parents[1] / "docs" / "reference" / "errors.md"


@pytest.mark.parametrize("name", fairmend.__all__)
def test_a_public_name_is_there(name):
    assert getattr(fairmend, name) is not None
    assert name in dir(fairmend)


def test_another_name_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'debias'"):
        fairmend.debias  # noqa: B018


@pytest.mark.parametrize("name", errors.__all__)
def test_an_error_is_caught_as_ours_and_crosses_processes(name):
    error = pickle.loads(pickle.dumps(getattr(fairmend.errors, name)("what is wrong")))
    assert isinstance(error, fairmend.FairmendError)
    assert isinstance(error, ValueError)
    assert f"{type(error).__module__}.{type(error).__name__}" == f"fairmend.errors.{name}"
    assert str(error) == "what is wrong"


@pytest.mark.parametrize("name", [name for name in errors.__all__ if name != "FairmendError"])
def test_the_manual_says_when_an_error_is_raised(name):
    assert f"`{name}`" in MANUAL.read_text(encoding="utf-8")
