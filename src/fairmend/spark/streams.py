"""Micro-batches: who is told when one is complete."""

from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.listener import StreamingQueryListener

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from fairmend.spark.reports import Account


class MicroBatches(StreamingQueryListener):  # type: ignore[misc]
    """Tells an account of each micro-batch that is complete."""

    def __init__(self, account: "Account") -> None:
        self.account = account

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Wait for its first micro-batch."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Have the micro-batch looked at."""
        self.account.complete(str(event.progress.id), int(event.progress.batchId))

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Wait for more."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Keep what was seen."""


def watch_batches(session: "SparkSession", account: "Account") -> None:
    """Have a session tell an account of complete micro-batches."""
    session.streams.addListener(MicroBatches(account))
