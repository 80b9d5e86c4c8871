"""An agent loop over Anthropic messages that compacts itself; a scripted model stands in."""

import compactctl
from compactctl import RunOptions, Status

Message = dict[str, object]
OPTIONS = RunOptions(if_needed=True, trigger=3_000, keep_tail=200)


def model(step: int) -> Message:
    """Stand in for a model: search once a step, then say what was found."""
    if step % 2:
        said = f"Chapter {step // 2} has no broken references."
        return {"role": "assistant", "content": [{"type": "text", "text": said}]}
    use = {"type": "tool_use", "id": f"toolu_{step}", "name": "read_file"}
    return {
        "role": "assistant",
        "content": [{**use, "input": {"path": f"chapters/{step // 2}.md"}}],
    }


def tool(step: int) -> Message:
    """Stand in for the tool: a chapter of some size."""
    body = "\n".join(f"Paragraph {n} of chapter {step // 2}, with a reference." for n in range(40))
    result = {"type": "tool_result", "tool_use_id": f"toolu_{step}", "content": body}
    return {"role": "user", "content": [result]}


def main() -> None:
    """Run the loop and show what the compactions kept."""
    said = "Look for broken references in every chapter. Always answer in one sentence."
    messages: list[Message] = [{"role": "user", "content": said}]
    for step in range(24):
        messages.append(model(step))
        if step % 2 == 0:
            messages.append(tool(step))
        done = compactctl.compact(messages, OPTIONS)
        if done.compaction.status is Status.COMPACTED and done.messages is not None:
            tokens = done.compaction.tokens
            kept = len(done.compaction.pins.kept)
            print(f"step {step}: {tokens.before} -> {tokens.after} tokens, {kept} pins intact")
            messages = done.messages
    bound = " ".join(pin.text for pin in compactctl.pinned(messages))
    print("still binds:", "Always answer in one sentence" in bound)


if __name__ == "__main__":
    main()
