"""Codex rollouts: the session files of the Codex CLI, version 0.50 and later."""

from compactctl.formats.codex.rollout import CODEX

__all__ = ["CODEX"]
