"""Gemini's interface for the scripted model: `models/NAME:streamGenerateContent`.

A request is read as if it were one of OpenAI's chat completions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import cast

Json = dict[str, object]
_STATUS = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
# What the router of its automatic model is to say.
CHOICE = '{"reasoning": "scripted", "model_choice": "flash"}'
_CALLS = count(1)
_DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"


def asks(path: str) -> bool:
    """Tell whether a path asks for an answer."""
    return path.endswith((":generateContent", ":streamGenerateContent"))


def as_chat(path: str, body: Mapping[str, object]) -> Json:
    """Return a request as one for a chat completion."""
    messages = [_message(content) for content in _objects(body.get("contents"))]
    tools = [
        {
            "function": {
                "name": function.get("name"),
                "parameters": function.get("parametersJsonSchema")
                or function.get("parameters"),
            }
        }
        for tool in _objects(body.get("tools"))
        for function in _objects(tool.get("functionDeclarations"))
    ]
    stream = path.endswith(":streamGenerateContent")
    return {"messages": messages, "tools": tools, "stream": stream}


def _message(content: Json) -> Json:
    parts = _objects(content.get("parts"))
    if any("functionResponse" in part for part in parts):
        return {"role": "tool", "content": []}
    role = "assistant" if content.get("role") == "model" else "user"
    texts = [{"type": "text", "text": p["text"]} for p in parts if "text" in p]
    return {"role": role, "content": texts}


def events(text: str, tool: str, arguments: Json) -> Iterator[Json]:
    """Yield the chunks of an answer: the whole one, with its end."""
    call = {"name": tool, "args": arguments, "id": f"call_{next(_CALLS)}"}
    part: Json = {"functionCall": call} if tool else {"text": text}
    yield {
        "candidates": [
            {
                "index": 0,
                "content": {"role": "model", "parts": [part]},
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 9,
            "candidatesTokenCount": 1,
            "totalTokenCount": 10,
        },
        "modelVersion": "scripted",
    }


def error(status: int, message: str) -> Json:
    """Return the body of an error."""
    code = _STATUS.get(status, "UNKNOWN")
    return {"error": {"code": status, "message": message, "status": code}}


def usage_limit() -> Json:
    """Return the body of a refusal for the rest of the day (with status 429)."""
    violation = {
        "quotaMetric": "generativelanguage.googleapis.com/generate_requests",
        "quotaId": _DAY,
        "quotaValue": "50",
    }
    body = error(429, "You exceeded your current quota.")
    about = cast(Json, body["error"])
    kind = "type.googleapis.com/google.rpc.QuotaFailure"
    about["details"] = [{"@type": kind, "violations": [violation]}]
    return body


def _objects(value: object) -> list[Json]:
    items = value if isinstance(value, list) else []
    return [cast(Json, item) for item in items if isinstance(item, dict)]
