"""Summaries: research data counted by value, group and stratum, which sites can add up."""

from fairmend.summaries.summary import Summary

__all__ = ["Summary"]
