"""An agent loop over OpenAI chat messages that compacts itself; a scripted model stands in."""

import json

import compactctl
from compactctl import RunOptions, Status

Message = dict[str, object]
OPTIONS = RunOptions(if_needed=True, trigger=3_000, keep_tail=200)


def model(step: int) -> Message:
    """Stand in for a model: read one file a step, then say so."""
    if step % 2:
        return {"role": "assistant", "content": f"Module {step // 2} follows the naming rule."}
    arguments = json.dumps({"path": f"src/module_{step // 2}.py"})
    call = {"id": f"call_{step}", "type": "function"}
    function = {"name": "read_file", "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{**call, "function": function}]}


def tool(step: int) -> Message:
    """Stand in for the tool: a file of some size."""
    body = "\n".join(f"def handler_{step}_{n}(request): ..." for n in range(40))
    return {"role": "tool", "tool_call_id": f"call_{step}", "content": body}


def main() -> None:
    """Run the loop and show what the compactions kept."""
    said = "Check that every module follows the naming rule. Never edit files, only report."
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
    print("still binds:", "Never edit files" in bound)


if __name__ == "__main__":
    main()
