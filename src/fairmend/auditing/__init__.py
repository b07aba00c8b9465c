"""Auditing: what a repair achieved and what it cost, measured from the archive before and after.

``measure`` is the door. The two tables are read once (``material``); each part of a report is
measured by a module of its own (``dependence``, ``leak``, ``damage``, ``missing``, ``paper``,
``outcomes``, ``drift``) against stated ``tolerances``; ``words`` and ``chapters`` say what was
found, and ``gates`` ask it yes or no. The result is the one plain dict of
:mod:`fairmend.report.content`.

``unlabelled`` is the audit of an archive whose groups nobody recorded.
"""
