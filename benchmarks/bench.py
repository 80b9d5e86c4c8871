"""
Speed and memory beside plain loops, measured in the same run.

Ratios are what to look at; seconds differ from machine to machine. Sessions are generated with a
fixed seed in the Claude Code shape, out of source text that comes with Python.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import orjson

from compactctl.tokens.counter import TokenCounter

MB = 1_000_000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 100], help="MB of sessions")
    parser.add_argument(
        "--data", type=Path, default=Path("bench-data"), help="folder for sessions"
    )
    options = parser.parse_args()
    options.data.mkdir(exist_ok=True)
    print(f"python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print("| what | seconds | plain loop | seconds | ratio | peak MB |")
    print("|---|---|---|---|---|---|")
    start_up()
    for size in options.sizes:
        session(options.data / f"session-{size}.jsonl", size)


def start_up() -> None:
    """Start-up beside an empty interpreter."""
    plain = timed([sys.executable, "-c", "pass"], repeat=5)
    for words in (["--version"], ["--help"]):
        own = timed([sys.executable, "-m", "compactctl", *words], repeat=5)
        row(" ".join(words), own, "python -c pass", plain)


def session(path: Path, size: int) -> None:
    """`run` and `classify` beside reading and hashing, and beside counting the view's texts."""
    if not path.exists():
        path.write_bytes(b"".join(generate(size * MB)))
    counting = plain_count(path)
    reading = plain_read(path)
    with tempfile.TemporaryDirectory() as folder:
        store, out = f"{folder}/store", f"{folder}/out.jsonl"
        run = timed(
            [
                sys.executable,
                "-m",
                "compactctl",
                "run",
                str(path),
                "--store",
                store,
                "-o",
                out,
                "--format",
                "json",
            ]
        )
    row(f"run, {size} MB", run, "tiktoken over the same strings", counting)
    row(f"run, {size} MB", run, "read and hash", reading)
    classify = timed(
        [sys.executable, "-m", "compactctl", "classify", str(path), "--format", "json"]
    )
    row(f"classify, {size} MB", classify, "tiktoken over the same strings", counting)


def timed(command: list[str], repeat: int = 1) -> tuple[float, float]:
    """Return the median seconds and the peak megabytes of a command."""
    found = []
    for _ in range(repeat):
        start = time.perf_counter()
        pid = os.posix_spawn(
            command[0],
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
        )
        _, status, usage = os.wait4(pid, 0)
        found.append((time.perf_counter() - start, usage.ru_maxrss / 1024))
        if os.waitstatus_to_exitcode(status) not in (0, 3):
            sys.exit(f"{' '.join(command)} failed")
    return sorted(found)[len(found) // 2]


def plain_count(path: Path) -> tuple[float, float]:
    """One thread of tiktoken over every string that a model would see."""
    texts = [text for line in path.open("rb") for text in visible(orjson.loads(line))]
    counter = TokenCounter()
    counter.count("warm")
    start = time.perf_counter()
    for text in texts:
        counter.count(text)
    return time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def plain_read(path: Path) -> tuple[float, float]:
    """Read, parse and hash, nothing else."""
    start = time.perf_counter()
    digest = hashlib.sha256()
    for line in path.open("rb"):
        digest.update(line)
        orjson.loads(line)
    return time.perf_counter() - start, 0.0


def visible(record: dict[str, object]) -> Iterator[str]:
    """The texts of a generated record."""
    message = record["message"]
    assert isinstance(message, dict)
    content = message["content"]
    if isinstance(content, str):
        yield content
        return
    for block in content:
        match block["type"]:
            case "text":
                yield block["text"]
            case "tool_use":
                yield block["name"] + "\n" + json.dumps(block["input"], separators=(",", ":"))
            case "tool_result":
                yield block["content"]


def generate(size: int) -> Iterator[bytes]:
    """Yield the lines of a session of about ``size`` bytes."""
    chance = random.Random(7)  # noqa: S311 -- a fixed seed, nothing secret
    library = Path(sysconfig.get_paths()["stdlib"])
    sources = [p.read_text("utf-8", "replace") for p in sorted(library.glob("*.py"))]
    written, parent, number = 0, None, 0
    while written < size:
        for record in step(chance, sources, number):
            number += 1
            uuid = f"{chance.getrandbits(128):032x}"
            envelope = {
                "parentUuid": parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": "/w",
                "sessionId": "bench",
                "version": "2.1.0",
                "uuid": uuid,
                "timestamp": f"2026-01-01T00:00:{number % 60:02d}.000Z",
                **record,
            }
            parent = uuid
            line = orjson.dumps(envelope) + b"\n"
            written += len(line)
            yield line


def step(chance: random.Random, sources: list[str], number: int) -> Iterator[dict[str, object]]:
    """One step: now and then a request, a call, its result, an answer."""
    if number % 60 == 0:
        yield {"type": "user", "message": {"role": "user", "content": f"Please do part {number}."}}
    call = f"toolu_{number:08d}"
    source = chance.choice(sources)
    at = chance.randrange(max(1, len(source) - 9000))
    tool: dict[str, object] = {
        "type": "tool_use",
        "id": call,
        "name": "Read",
        "input": {"file_path": f"/w/file_{number}.py"},
    }
    usage = {"input_tokens": 10, "output_tokens": 20}
    message = {"id": f"msg_{number}", "role": "assistant", "type": "message", "usage": usage}
    yield {"type": "assistant", "message": {**message, "content": [tool]}}
    result = {
        "type": "tool_result",
        "tool_use_id": call,
        "content": source[at : at + chance.randrange(400, 9000)],
    }
    yield {"type": "user", "message": {"role": "user", "content": [result]}}
    said = {"type": "text", "text": f"File {number} holds what I looked for; going on."}
    yield {
        "type": "assistant",
        "message": {**message, "id": f"msg_{number}b", "content": [said]},
    }


def row(what: str, own: tuple[float, float], plain: str, other: tuple[float, float]) -> None:
    """Print one row."""
    ratio = own[0] / other[0]
    print(f"| {what} | {own[0]:.2f} | {plain} | {other[0]:.2f} | {ratio:.2f} | {own[1]:.0f} |")


if __name__ == "__main__":
    main()
