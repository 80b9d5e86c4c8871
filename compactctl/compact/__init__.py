"""Compacting: when, where, what, how to write it, and the proof. Pure."""
