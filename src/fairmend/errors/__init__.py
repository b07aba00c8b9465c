"""Every error that fairmend raises on purpose; each sentence is written once, here.

An error says what is wrong (names and counts, never a person's value), what was found, and what to
do. The reader has two tables, so each sentence says which: the *research data* or the *archive*.
"""

from fairmend.errors.base import FairmendError
from fairmend.errors.columns import ColumnError
from fairmend.errors.findings import AuditError, DriftError
from fairmend.errors.inputs import FormatError, InputError
from fairmend.errors.labels import LabelError, LabelFileError
from fairmend.errors.options import NotOnSampleError, OptionError
from fairmend.errors.outputs import OutputError
from fairmend.errors.plans import PlanFileError, SummaryError, SummaryFileError
from fairmend.errors.rows import CellError, DataError, RowKeyError, UnseenError

__all__ = [
    "AuditError",
    "CellError",
    "ColumnError",
    "DataError",
    "DriftError",
    "FairmendError",
    "FormatError",
    "InputError",
    "LabelError",
    "LabelFileError",
    "NotOnSampleError",
    "OptionError",
    "OutputError",
    "PlanFileError",
    "RowKeyError",
    "SummaryError",
    "SummaryFileError",
    "UnseenError",
]

# Where they are named from, also in tracebacks: in which file a sentence stands is our affair.
for _name in __all__:
    globals()[_name].__module__ = __name__
