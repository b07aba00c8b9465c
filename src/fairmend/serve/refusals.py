"""Refusals: what a caller is told, with a status of 4xx; never a traceback, never a value."""

from collections.abc import Sequence

LONGEST = 2_000
"""Characters of an answer: a level that nobody knows is named in it, and may be a megabyte."""


class RequestError(Exception):
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def too_large(most: int) -> RequestError:
    """Build the refusal of a body that is too large."""
    message = f"The body is larger than {most:,} bytes. Send the records in several requests."
    return RequestError(413, message)


def too_many(rows: int, most: int) -> RequestError:
    """Build the refusal of a batch with too many rows."""
    return RequestError(
        413, f"The batch has {rows:,} rows, and {most:,} are allowed. Send several requests."
    )


def too_slow(seconds: float) -> RequestError:
    """Build the refusal of a body that does not arrive."""
    return RequestError(408, f"The body did not arrive within {seconds:g} s.")


def too_busy(seconds: float) -> RequestError:
    """Build the refusal of a request that takes too long; the fault is ours."""
    return RequestError(
        503, f"The repair took longer than {seconds:g} s. Send fewer records at a time."
    )


def no_token() -> RequestError:
    """Build the refusal of a caller without the token."""
    return RequestError(
        401, "Send the header Authorization: Bearer TOKEN with this server's token."
    )


def other_type(kinds: Sequence[str]) -> RequestError:
    """Build the refusal of a content type."""
    return RequestError(
        415, f"Send the records as {' or '.join(kinds)}, and say so in Content-Type."
    )


def not_utf8(byte: int) -> RequestError:
    """Build the refusal of a body that is no text."""
    return RequestError(400, f"The body is not JSON: it is not UTF-8 (byte {byte:,}).")


def not_json(reason: str, line: int, column: int) -> RequestError:
    """Build the refusal of a body that is no JSON."""
    return RequestError(400, f"The body is not JSON: {reason} (line {line:,}, column {column:,}).")


def too_deep() -> RequestError:
    """Build the refusal of JSON that would exhaust the stack."""
    return RequestError(400, "The body is nested too deeply. Send flat records.")


def no_number() -> RequestError:
    """Build the refusal of NaN and of numbers with thousands of digits."""
    return RequestError(
        400, "The body holds NaN, an infinity or a number that is too long, which JSON has not."
    )


def not_records() -> RequestError:
    """Build the refusal of JSON that is neither a record nor a list of records."""
    return RequestError(
        422, 'Send one record as an object, like {"id": 1, "age": 40}, or a list of such objects.'
    )


def not_arrow() -> RequestError:
    """Build the refusal of a body that is no sound Arrow stream."""
    return RequestError(400, "The body is damaged, or no Arrow IPC stream (which is not the file).")


def compressed() -> RequestError:
    """Build the refusal of compressed buffers, which may claim to be of any size."""
    return RequestError(400, "The Arrow stream is compressed. Send its buffers as they are.")


def unfolds(most: int) -> RequestError:
    """Build the refusal of views and dictionaries that stand for more than they take."""
    return RequestError(
        413,
        f"Written out, the texts of the Arrow stream are larger than {most:,} bytes: views or "
        f"dictionaries repeat long ones. Send fewer rows, or shorter texts.",
    )


def long_dictionary(entries: int, most: int) -> RequestError:
    """Build the refusal of a dictionary with more entries than rows are allowed."""
    return RequestError(
        413,
        f"A dictionary of the Arrow stream has {entries:,} entries, and {most:,} are allowed. "
        f"Leave out those that no row uses, or send plain values.",
    )


def folded(kind: str) -> RequestError:
    """Build the refusal of types in which a few bytes stand for any number of values."""
    return RequestError(
        422, f"The Arrow stream has a column of type {_short(kind)}. Send its values as they are."
    )


def repeated() -> RequestError:
    """Build the refusal of two columns with one name."""
    return RequestError(422, "Two columns of the Arrow stream have the same name. Rename one.")


def lacking(names: Sequence[str], rows: int) -> RequestError:
    """Build the refusal of records that lack members which a repair needs."""
    return RequestError(
        422,
        f"{list(names)} are not in all records ({rows:,} lack some). Each record needs the key, "
        f"the features and all columns that the plan, or the label model, goes by; a feature that "
        f"is not known is null.",
    )


def no_key(names: Sequence[str]) -> RequestError:
    """Build the refusal of records without a key."""
    return RequestError(
        422,
        f"Records without a key in {list(names)}. Everybody without one would get the same draw, "
        f"and then the protected attribute can be read off the repaired values. Send what "
        f"identifies the record, such as its number in your database.",
    )


def of_other_type(name: str, expected: str) -> RequestError:
    """Build the refusal of a member of another type."""
    return RequestError(422, f"{name!r} is not {expected} in all records. Convert it.")


def refused(message: str) -> RequestError:
    """Build the refusal of records that the plan refuses, without texts of any length in them."""
    return RequestError(422, _short(message))


def _short(text: str) -> str:
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} … {text[-half:]}"
