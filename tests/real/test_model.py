"""The scripted model answers both interfaces as the prompt asks."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.real.model import Json, Model

TOOLS = {
    "messages": [
        {"name": name, "input_schema": {"properties": {"file_path": {}}}}
        for name in ("Write", "Bash", "AskUserQuestion")
    ],
    "chat/completions": [
        {"function": {"name": name, "parameters": {"properties": {"filePath": {}}}}}
        for name in ("write", "bash", "question")
    ],
}


@pytest.fixture
def model() -> Iterator[Model]:
    """Return a model that serves."""
    with Model() as served:
        yield served


def ask(model: Model, path: str, *messages: Json) -> str:
    """Return the raw answer to a conversation."""
    body = {"messages": messages, "tools": TOOLS[path], "stream": True}
    request = urllib.request.Request(
        f"{model.url}/v1/{path}", json.dumps(body).encode(), method="POST"
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(answer.read().decode())


def said(text: str) -> Json:
    """Return a user's message."""
    return {"role": "user", "content": [{"type": "text", "text": text}]}


@pytest.mark.parametrize("path", TOOLS)
@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("hello", ("heard 5 characters",)),
        ("WRITE a.txt", ("rite", "a.txt", "written for")),
        ("RUN make test", ("ash", "make test")),
        ("ASK me", ("uestion", "Alpha")),
        ("SLOW 1 please", ("still at it", "heard 13 characters")),
    ],
)
def test_the_prompt_decides(
    model: Model, path: str, prompt: str, words: tuple[str, ...]
) -> None:
    """Words in the prompt choose between an answer, a tool and a delay."""
    answer = ask(model, path, said(prompt))
    assert all(word in answer for word in words), answer
    assert model.prompts() == [prompt]


@pytest.mark.parametrize("path", TOOLS)
@pytest.mark.parametrize(
    ("prompt", "status"), [("FAIL 503", 503), ("USAGE_LIMIT", 429)]
)
def test_an_error_is_answered(
    model: Model, path: str, prompt: str, status: int
) -> None:
    """A prompt can ask for an error."""
    with pytest.raises(urllib.error.HTTPError) as error:
        ask(model, path, said(prompt))
    error.value.close()
    assert error.value.code == status


def test_a_tools_result_is_not_a_prompt(model: Model) -> None:
    """After a tool's result the turn ends; a prompt beside it begins a new one."""
    result: Json = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}
    note: Json = {"type": "text", "text": "<system-reminder>be kind</system-reminder>"}
    after: Json = {"role": "user", "content": [result, note]}
    assert "heard 11" in ask(model, "messages", said("WRITE a.txt"), after)
    assert model.prompts() == []
    spoken: Json = {"type": "text", "text": "something else"}
    both: Json = {"role": "user", "content": [result, spoken]}
    ask(model, "messages", said("WRITE a.txt"), both)
    assert model.prompts() == ["something else"]
