"""The class of an entry by author and kind: one total table."""

from types import MappingProxyType

from compactctl.model.entry import Author, Kind, StateClass

_D, _F, _R, _W = StateClass.DECISION, StateClass.FACT, StateClass.REASONING, StateClass.RAW

_BY_AUTHOR = {
    Author.HUMAN: dict.fromkeys(Kind, _D) | {Kind.IMAGE: _W, Kind.FILE: _W},
    Author.DELEGATOR: dict.fromkeys(Kind, _D) | {Kind.IMAGE: _W, Kind.FILE: _W},
    Author.SYSTEM: dict.fromkeys(Kind, _D) | {Kind.IMAGE: _W, Kind.FILE: _W},
    Author.ASSISTANT: dict.fromkeys(Kind, _R)
    | {Kind.TOOL_CALL: _W, Kind.TOOL_RESULT: _W, Kind.IMAGE: _W, Kind.FILE: _W},
    Author.TOOL: dict.fromkeys(Kind, _W),
    Author.SUMMARY: dict.fromkeys(Kind, _R) | {Kind.IMAGE: _W, Kind.FILE: _W},
    Author.CARRIED: dict.fromkeys(Kind, _D),
    Author.HARNESS: dict.fromkeys(Kind, _W),
}

CLASS_TABLE = MappingProxyType(
    {(author, kind): _BY_AUTHOR[author][kind] for author in Author for kind in Kind}
)
"""
Author and kind to state class, for every pair.

One rule stands above it: a tool result that proves something a later reader needs is a ``fact``,
and its call shares its class.
"""
