"""Pins: what people said that must survive a compaction, verbatim."""

from compactctl.classify.pins.find import find_pins

__all__ = ["find_pins"]
