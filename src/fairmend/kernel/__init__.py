"""One kernel behind every door: a pure function of a value, its group and its row's key."""

from fairmend.kernel.repair import implementation

__all__ = ["implementation"]
