"""Tokens: exact offline counts, and estimates for what has no text."""
