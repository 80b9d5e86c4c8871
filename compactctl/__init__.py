"""Compacts and audits transcripts of LLM agents, offline."""

__version__ = "0.1.0"
