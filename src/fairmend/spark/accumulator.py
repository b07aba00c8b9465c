"""The way that reports take from the workers to the driver."""

from collections.abc import Callable
from typing import Any

from pyspark.accumulators import AccumulatorParam

from fairmend.spark.reports import Account, Report


class Reports(AccumulatorParam):  # type: ignore[misc]
    """On a worker a list that grows; on the driver the way to an account, which stays there."""

    def __init__(self, account: Account | None = None) -> None:
        self.account = account

    def __reduce__(self) -> Any:
        """Leave the account on the driver."""
        return Reports, ()

    def zero(self, value: list[Report]) -> list[Report]:
        """Start without reports."""
        return []

    def addInPlace(self, value1: list[Report], value2: list[Report]) -> list[Report]:  # noqa: N802
        """Put reports together, or account for them."""
        if self.account is None:
            return value1 + value2
        for report in value2:
            self.account.receive(report)
        return []


def reports_to(spark_context: Any, account: Account) -> Callable[[list[Report]], None]:
    """Give what a worker calls with its reports, so that a driver's account receives them."""
    add: Callable[[list[Report]], None] = spark_context.accumulator([], Reports(account)).add
    return add
