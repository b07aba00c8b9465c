"""Foresight: what repair will leave in an archive, said from the research data alone.

Rows are parted (``parting``), a plan is designed from one part and the other is pushed through its
couplings (``push``) to the places where an audit would count it (``places``); many such ``trials``
give a ``curve`` over the number of rows, and with the chance in it (``interval``) the ``outlook``
of each feature. ``forecasting`` is the door.
"""

from fairmend.foresight.forecasting import forecast

__all__ = ["forecast"]
