"""Bytes in: sources that must not change, lines, damage, spans of JSON values, schemas."""
