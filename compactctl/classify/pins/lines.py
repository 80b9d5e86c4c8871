# ruff: noqa: RUF001 -- the patterns read best whole, a kind of line each
"""Tells lines that a machine wrote (logs, shells, code, data, diffs) from lines of prose."""

import re
from enum import IntEnum


class Made(IntEnum):
    """How surely a machine wrote a line."""

    PROSE = 0
    MAYBE = 1
    MACHINE = 2


_PROMPT = re.compile(
    r"\s{0,8}(?:[$❯➜»λ]\s+\S|%\s+[a-z]|>>>\s|PS [A-Z]:\\"
    r"|[\w.-]{1,40}@[\w.-]{1,60}[:\s][^$#\n]{0,80}[$#]\s|[A-Z]:\\[^>\n]{0,100}>|\([\w.-]{1,30}\)\s*[$➜])"
)
_MACHINE = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s*\[?\d{4}[-/]\d\d?[-/]\d\d?[T ]\d\d?:\d\d",  # timestamps
        r"\s*\[?\d\d?:\d\d:\d\d(?:[.,]\d+)?\]?\s",
        r"\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*\s+\d{1,2}\s+\d\d:\d\d",
        r"\s*[\[(<]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|PANIC|FAIL|PASS|OK)[\])>]?(?:\s*[:|\-]\s|\s+[\w./-]+[:(]|\s+\d|\s*\[|$)",
        r"\s*\[[\w:./@ -]{1,60}\]\s*(?:\$|[A-Z]{2,}\b)",
        r"\s*(?:===|---)\s+(?:RUN|PASS|FAIL|SKIP|CONT|PAUSE)\b",
        r"\s*Traceback \(most recent",
        r"\s*File \"[^\"]{1,300}\", line \d",
        r"\s+at\s+\S{1,300}\s?\([^)]{1,300}:\d+",
        r"\s+at\s+[\w$.<>/@-]{1,200}:\d+",
        r"\s*(?:Caused by|goroutine \d|panic|fatal|error|npm ERR!|remote|hint)(?:\s\[|: )\S",
        r"\s*[\w.]{1,80}(?:Error|Exception|Warning)(?:: |$)",
        r"(?:diff --git |index [0-9a-f]{6,}\.\.|@@ -\d|\+\+\+ [ab/]|--- [a/])",
        r"[+-](?:\s{2,}|\t|[\w]{1,40}[(=;{])",
        r"\s*(?:ok|FAIL|\?)\s{2,}\S",
        r"\s*[\w./\\-]{1,200}\.\w{1,5}:\d+(?::\d+)?:?\s",
        r"\s*(?:CREATE|UPDATE|DELETE|GET|POST|PUT|PATCH|HEAD)\s+/?[\w./-]+/\S",
        r"\s*<\?xml|\s*<!DOCTYPE|\s*</?[a-zA-Z][\w:-]{0,60}(?:\s[^<>]{0,400})?/?>",
        r"\s*(?:import|from)\s+[\w.{*\"'@]{1,100}[^.!?]{0,120}(?:$|;| import )",
        r"\s*(?:def|class|func|fn|function|struct|interface|enum|package|namespace|const|var|public|private|protected|static|async|export)\s+[\w(*$<]{1,80}[^.!?]{0,200}[({:=;]",
        r"\s*(?:if|for|while|switch|catch|elif)\s?\([^\n]{0,300}\)\s?[{:]?\s*(?:\S{0,40}\(.{0,200})?[;{]?\s*$",
        r"\s*(?://|/\*|\*/|#include|#!)",
        r"\s*[\w.\[\]\"'$-]{1,80}\s?(?::=|\+=|==|=>|->|=)\s?\S{0,200}[;,({\[]\s*$",
        r"\s*[}\])]+[;,)]*\s*$",
        r"\s*\"[^\"]{1,120}\"\s?:\s",
        r"\s*[\w-]{1,60}\s{3,}\S",
        r"\s*(?:https?|ssh|git|ftp|file)://\S{1,2000}\s*\\?$",
        r"\s*--?[a-zA-Z][\w-]{0,60}(?:[ =,]|$)[^.?!]{0,300}$",
        r"\s*[A-Z][A-Z0-9_]{2,60}=\S",
        r"\s*(?:Receiving|Resolving|Counting|Compressing|Writing|Sending|Storing|Downloading|Uploading|Unpacking|Cloning|Fetching|Installing|Building|Compiling|Finished|Running)\b[^.?!]{0,160}(?:\d+%|\d/\d|MiB|KiB|kB|MB|\.\.\.|done\.?$)",
        r"\s*exit (?:status|code) \d",
        r"\s*(?:SELECT|INSERT|ALTER|DROP)\s[^a-z]{0,80}\b(?:FROM|INTO|TABLE|SET)\b",
    )
)
_DIGITS = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]")
_SYMBOLS = re.compile(r"[{}\[\]<>=;|\\_$^~@]")
_KEY_VALUE = re.compile(r"\s*[\w./$-]{1,60}:\s?\S{0,200}$")
_LABELLED = re.compile(r"\s*[A-Z][\w ]{0,40}: ['\"/~\d]")
_READ = 600
"""Characters of a line that are looked at; the form shows at its start."""


def made_by(line: str) -> Made:
    """Return how surely a machine wrote the line; looks at its first 600 characters."""
    head = line[:_READ]
    shown = is_prompt(head) or head.rstrip().endswith("\\")
    if shown or any(pattern.match(head) for pattern in _MACHINE):
        return Made.MACHINE
    solid = len(head) - head.count(" ") - head.count("\t")
    return _by_letters(head, solid) if solid else Made.PROSE


def _by_letters(head: str, solid: int) -> Made:
    letters = len(_LETTERS.findall(head))
    symbols = len(_SYMBOLS.findall(head)) + len(_DIGITS.findall(head))
    if solid > 24 and letters < solid * 0.55:  # noqa: PLR2004 -- prose is mostly letters
        return Made.MACHINE
    if symbols > solid * 0.2 or _KEY_VALUE.match(head) or _LABELLED.match(head):
        return Made.MAYBE
    latin = letters == sum(map(str.isascii, head))
    if solid > 60 and " " not in head.strip() and latin:  # noqa: PLR2004 -- no word is so long
        return Made.MACHINE
    return Made.PROSE


def is_prompt(line: str) -> bool:
    """Return whether the line is a command at a shell prompt."""
    return bool(_PROMPT.match(line[:_READ]))
