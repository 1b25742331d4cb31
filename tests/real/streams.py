"""The answers of Anthropic's and OpenAI's streams, for the scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

Json = dict[str, object]
# Every call of a tool has a name of its own: Qwen Code ignores one that comes twice.
_CALLS = count(1)


@dataclass(frozen=True, slots=True)
class Answer:
    """A text, or a tool with its arguments."""

    text: str = ""
    tool: str = ""
    arguments: str = "{}"


def messages(answer: Answer) -> Iterator[Json]:
    """Yield the events of Anthropic's stream."""
    usage = {"input_tokens": 9, "output_tokens": 1}
    about = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted"}
    yield {
        "type": "message_start",
        "message": {**about, "content": [], "stop_reason": None, "usage": usage},
    }
    if answer.tool:
        block: Json = {
            "type": "tool_use",
            "id": f"toolu_{next(_CALLS)}",
            "name": answer.tool,
        }
        start: Json = {**block, "input": {}}
        delta: Json = {"type": "input_json_delta", "partial_json": answer.arguments}
    else:
        start = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": answer.text}
    yield {"type": "content_block_start", "index": 0, "content_block": start}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    stop = "tool_use" if answer.tool else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage}
    yield {"type": "message_stop"}


def chat(answer: Answer) -> Iterator[Json]:
    """Yield the chunks of OpenAI's stream."""
    if answer.tool:
        function = {"name": answer.tool, "arguments": answer.arguments}
        name = f"call_{next(_CALLS)}"
        call = {"index": 0, "id": name, "type": "function", "function": function}
        delta: Json = {"role": "assistant", "tool_calls": [call]}
    else:
        delta = {"role": "assistant", "content": answer.text}
    stop = "tool_calls" if answer.tool else "stop"
    about = {"id": "c1", "object": "chat.completion.chunk", "created": 0}
    for piece, reason in ((delta, None), ({}, stop)):
        choice = {"index": 0, "delta": piece, "finish_reason": reason}
        yield {**about, "model": "scripted", "choices": [choice]}
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    yield {**about, "model": "scripted", "choices": [], "usage": usage}
