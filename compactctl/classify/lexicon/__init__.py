"""Cue tables, one TOML file a language: data, not code (docs/classification.md says more)."""
