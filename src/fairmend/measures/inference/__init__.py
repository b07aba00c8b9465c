"""Inference: what a measured dependence says beyond chance.

A value is counted once into a small table (``tables``); everything after that works on counts and
costs the same for a thousand rows and for ten million: the three distances (``distances``), their
law under permuted S and under repeated sampling (``resampling``), estimates with floor and
interval (``estimate``, ``cells``), one test of several (``tippett``) and the words (``verdict``).
``examine`` is the door to it.
"""
