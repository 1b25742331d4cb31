"""The scripted model answers its interfaces as the prompt asks."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.real.model import Model
from tests.real.streams import Json

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
GEMINI = "models/any:streamGenerateContent?alt=sse"
OFFERED: list[Json] = [
    {"name": name, "parametersJsonSchema": {"properties": {"file_path": {}}}}
    for name in ("write_file", "run_shell_command", "ask_user")
]


@pytest.fixture
def model() -> Iterator[Model]:
    """Return a model that serves."""
    with Model() as served:
        yield served


def ask(model: Model, path: str, *messages: Json) -> str:
    """Return the raw answer to a conversation."""
    if path.startswith("models/"):
        body: Json = {
            "contents": messages,
            "tools": [{"functionDeclarations": OFFERED}],
        }
    else:
        body = {"messages": messages, "tools": TOOLS[path], "stream": True}
    request = urllib.request.Request(
        f"{model.url}/v1/{path}", json.dumps(body).encode(), method="POST"
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(answer.read().decode())


def said(text: str) -> Json:
    """Return a user's message."""
    block = {"type": "text", "text": text}
    return {"role": "user", "content": [block], "parts": [{"text": text}]}


@pytest.mark.parametrize("path", [*TOOLS, GEMINI])
@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("hello", ("heard 5 characters",)),
        ("WRITE a.txt", ("rite", "a.txt", "written for")),
        ("RUN make test", ("a scripted command", "make test")),
        ("ASK me", ("Which one?", "Alpha")),
        ("SLOW 1 please", ("heard 13 characters",)),
    ],
)
def test_the_prompt_decides(
    model: Model, path: str, prompt: str, words: tuple[str, ...]
) -> None:
    """Words in the prompt choose between an answer, a tool and a delay."""
    answer = ask(model, path, said(prompt))
    assert all(word in answer for word in words), answer
    assert model.prompts() == [prompt]


@pytest.mark.parametrize("path", [*TOOLS, GEMINI])
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


def test_a_slow_answer_shows_that_it_is_coming(model: Model) -> None:
    """Comments keep a stream alive; Gemini CLI would take one for an error."""
    assert "still at it" in ask(model, "messages", said("SLOW 1 please"))
    assert "still at it" not in ask(model, GEMINI, said("SLOW 1 please"))


def test_a_tools_result_ends_the_turn(model: Model) -> None:
    """The call is not made again when its result comes back, in any interface."""
    result: Json = {"role": "tool", "tool_call_id": "call_1", "content": "done"}
    assert "heard 11" in ask(model, "chat/completions", said("WRITE a.txt"), result)
    response: Json = {"functionResponse": {"name": "write_file", "response": {}}}
    after: Json = {"role": "user", "parts": [response]}
    assert "heard 11" in ask(model, GEMINI, said("WRITE a.txt"), after)
    assert model.prompts() == []


def test_what_a_cli_asks_for_itself_is_no_prompt(model: Model) -> None:
    """Qwen Code asks for suggestions and notes with all its tools."""
    text = "[SUGGESTION MODE: what would the user WRITE a.txt next?]"
    assert "heard" in ask(model, "chat/completions", said(text))
    assert model.prompts() == []


def test_a_model_is_chosen_without_a_stream(model: Model) -> None:
    """Gemini CLI's router gets an answer in its own words."""
    answer = ask(model, "models/any:generateContent", said("hello"))
    assert "model_choice" in answer


def test_what_openclaw_adds_is_no_prompt(model: Model) -> None:
    """The time before it, the place behind it and a message of notes are left out."""
    added = "[Tue 2026-12-01 05:02 UTC] RUN make\n\nRuntime: agent=main | host=x"
    notes = (
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
    )
    assert "make" in ask(model, "chat/completions", said(added), said(notes))
    assert model.prompts() == ["RUN make"]


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


def respond(model: Model, *items: Json, **more: object) -> str:
    """Return the raw answer of the newer OpenAI interface to a conversation."""
    names = ("exec_command", "apply_patch", "request_user_input")
    body = {"input": items, "tools": [{"name": name} for name in names], **more}
    request = urllib.request.Request(
        f"{model.url}/v1/responses", json.dumps(body).encode(), method="POST"
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(answer.read().decode())


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("hello", ("response.completed", "heard 5 characters")),
        ("SAY two\nlines", ('"delta": "two\\nlines"',)),
        ("WRITE a.txt", ("custom_tool_call", "*** Add File: a.txt")),
        ("RUN make", ("function_call", "exec_command", "make")),
        ("RUN make ESCALATE", ("require_escalated",)),
        ("ASK me", ("request_user_input", "Alpha")),
    ],
)
def test_the_newer_interface_decides_alike(
    model: Model, prompt: str, words: tuple[str, ...]
) -> None:
    """What Codex speaks has the same words, and its added messages are no prompt."""
    added = said("<environment_context>here</environment_context>")
    answer = respond(model, said(prompt), added)
    assert all(word in answer for word in words), answer
    assert model.prompts() == [prompt]


def test_a_limit_of_the_newer_interface_is_an_error(model: Model) -> None:
    """Codex reads the body of the answer to tell a limit from a busy server."""
    with pytest.raises(urllib.error.HTTPError) as error:
        respond(model, said("USAGE_LIMIT"))
    assert error.value.code == 429
    assert b"usage_limit_reached" in error.value.read()
    error.value.close()


def test_a_result_and_a_title_are_no_prompts(model: Model) -> None:
    """After a tool's result the turn ends; an answer in a form is a title."""
    result: Json = {"type": "function_call_output", "call_id": "c", "output": "done"}
    assert "heard 8" in respond(model, said("RUN make"), result)
    respond(model, said("a title"), text={"format": {"type": "json_schema"}})
    assert model.prompts() == []
