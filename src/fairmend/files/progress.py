"""How a long task says what it is doing, without knowing who listens."""

from collections.abc import Callable

Tell = Callable[[str], None]


def silent(step: str) -> None:
    """Tell nobody."""
