"""OpenAI's responses interface, as far as the scripted model speaks it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import cast

Json = dict[str, object]
# Codex puts these beside the user's words, each as a message of its own.
_ADDED = re.compile(
    r"\s*<(?:environment_context|user_instructions|permissions|collaboration_mode"
    r"|skills|apps_instructions|plugins_instructions|app-context|turn_aborted"
    r"|recommended|personality|model_switch)|\s*# AGENTS\.md instructions"
)
# A tool that takes free text, not JSON.
_PATCH = "*** Begin Patch"
# No two calls of a conversation may have the same name.
_CALLS = itertools.count(1)


def conversation(body: Json) -> tuple[str, bool, Mapping[str, Json]]:
    """Return the last prompt, whether a tool's result follows it, and the tools."""
    prompt, answered = "", False
    for item in _objects(body.get("input")):
        kind = item.get("type", "message")
        if kind == "message" and item.get("role") == "user":
            parts = [str(p.get("text") or "") for p in _objects(item.get("content"))]
            spoken = [text for text in parts if text.strip() and not _ADDED.match(text)]
            if spoken:
                prompt, answered = spoken[-1], False
        elif str(kind).endswith("_call_output"):
            answered = True
    # An answer in a form is for its own use (a title).
    offered = [] if _form(body) else _objects(body.get("tools"))
    tools: dict[str, Json] = {str(tool.get("name")): tool for tool in offered}
    return prompt, answered, tools


def patch(path: str) -> str:
    """Return the input of Codex's tool that writes files."""
    added = f"*** Add File: {path}\n+written for {path}\n"
    return f"{_PATCH}\n{added}*** End Patch\n"


def command(word: str, _: Json) -> Json:
    """Return the arguments of Codex's shell; a last word ESCALATE leaves the sandbox."""
    line = word.removesuffix(" ESCALATE")
    asked = {"sandbox_permissions": "require_escalated", "justification": "May I?"}
    return {"cmd": line, **(asked if line != word else {})}


def question(_: str, __: Json) -> Json:
    """Return the arguments of Codex's tool that asks the user."""
    options = [{"label": n, "description": f"take {n}"} for n in ("Alpha", "Beta")]
    asked = {"id": "one", "header": "Choice", "question": "Which one?"}
    return {"questions": [{**asked, "options": options}]}


def events(text: str, tool: str, arguments: str) -> Iterator[Json]:
    """Yield the events of a stream: a text, or a tool with its arguments."""
    about: Json = {"id": "resp_1", "object": "response", "created_at": 0}
    if not tool:
        part = {"type": "output_text", "text": text, "annotations": []}
        item: Json = {"type": "message", "role": "assistant", "content": [part]}
    elif arguments.startswith(_PATCH):
        item = {"type": "custom_tool_call", "name": tool, "input": arguments}
    else:
        item = {"type": "function_call", "name": tool, "arguments": arguments}
    call = {"call_id": f"call_{next(_CALLS)}"} if tool else {}
    item = {"id": "item_1", "status": "completed", **call, **item}
    usage = {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10}
    yield {"type": "response.created", "response": {**about, "status": "in_progress"}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    if not tool:
        place: Json = {"item_id": "item_1", "output_index": 0, "content_index": 0}
        yield {"type": "response.output_text.delta", **place, "delta": text}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    done = {**about, "status": "completed", "output": [item], "usage": usage}
    yield {"type": "response.completed", "response": done}


def limit_reached(until: int) -> Json:
    """Return the body of an answer that says so; `until` in seconds of the clock."""
    message = "The usage limit has been reached"
    about = {"type": "usage_limit_reached", "message": message}
    return {"error": {**about, "plan_type": "plus", "resets_at": until}}


def _form(body: Json) -> bool:
    return "format" in cast(Json, body.get("text") or {})


def _objects(value: object) -> list[Json]:
    found = value if isinstance(value, list) else []
    return [cast(Json, item) for item in found if isinstance(item, dict)]
