"""A scripted model on the loopback interface: what the agent CLIs talk to in tests.

It speaks just enough of three streaming interfaces, Anthropic's messages, OpenAI's
chat completions and responses (in `responses.py`), and Gemini's (in `generate.py`).
Words in the last prompt decide the answer:

    WRITE file      call the tool that writes a file
    RUN command     call the tool that runs a shell command
    SAY text        answer with that text, to the prompt's end
    ASK             call the tool that asks the user a question
    SLOW seconds    take that long to answer
    FAIL status     answer with that HTTP status
    USAGE_LIMIT     answer that the usage limit is reached

Anything else is answered with the length of the prompt and a hash of it.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from tests.real import generate, responses, streams
from tests.real.streams import Answer, Json

# Blocks that the CLIs put beside the user's words.
_ADDED = re.compile(
    r"<(system-reminder|env|session)>.*?</\1>\s*"
    r"|<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
    r"|\A\[\w{3} [\d-]+ [\d:]+ \S+\] |\n\nRuntime: agent=[^\n]*\Z",
    re.DOTALL,
)
# A turn that the user has left.
_CUT = re.compile(r"\[Request interrupted")
# What Qwen Code asks for itself, with all its tools.
_OWN = re.compile(r"\[SUGGESTION MODE|Managed memory has")
_FOLDER = re.compile(r"working in the directory: (/[^\s\\]+)")
_BEAT = 0.25


@dataclass(frozen=True, slots=True)
class Request:
    """One request for an answer.

    `prompt` is the user's last text. `tools` are the schemas of the offered tools by
    name; a request without any is for the CLI's own use (a title). `answered` is true
    when a tool's result follows the prompt. `folder` is where the CLI says it works.
    """

    api: str
    prompt: str
    tools: Mapping[str, Json]
    answered: bool
    stream: bool
    folder: str = ""


def decide(request: Request) -> Answer:
    """Return the answer to a request."""
    said = re.match(r"SAY (.*)", request.prompt, re.DOTALL)
    if said:
        return Answer(said[1])
    call = None if request.answered else _call(request)
    if call is not None:
        return call
    digest = hashlib.sha256(request.prompt.encode()).hexdigest()[:8]
    return Answer(f"heard {len(request.prompt)} characters, sha {digest}")


def _call(request: Request) -> Answer | None:
    wanted = (
        (
            r"\bASK\b",
            ("AskUserQuestion", "question", "ask_user", "ask_user_question"),
            _question,
        ),
        (r"\bASK\b", ("request_user_input",), responses.question),
        (r"\bWRITE (\S+)", ("Write", "write", "write_file"), _write),
        (r"\bWRITE (\S+)", ("apply_patch",), _patch),
        (r"\bRUN (.+)", ("Bash", "bash", "run_shell_command", "exec"), _run),
        (r"\bRUN (.+)", ("exec_command",), responses.command),
    )
    for pattern, names, arguments in wanted:
        match = re.search(pattern, request.prompt)
        tool = next((name for name in names if name in request.tools), None)
        if match and tool:
            word = match[1] if match.re.groups else ""
            if tool == "write_file" and request.api == "chat":
                # Qwen Code takes no relative path.
                word = f"{request.folder}/{word}"
            filled = arguments(word, request.tools[tool])
            words = filled if isinstance(filled, str) else json.dumps(filled)
            return Answer(tool=tool, arguments=words)
    return None


def _write(word: str, schema: Json) -> Json:
    properties = _object(schema.get("properties"))
    path = next((key for key in properties if "path" in key.lower()), "file_path")
    return {path: word, "content": f"written for {word}\n"}


def _patch(word: str, _: Json) -> str:
    return responses.patch(word)


def _run(word: str, _: Json) -> Json:
    return {"command": word, "description": "a scripted command"}


def _question(_: str, schema: Json) -> Json:
    options = [{"label": n, "description": f"take {n}"} for n in ("Alpha", "Beta")]
    asked: Json = {"question": "Which one?", "header": "Choice", "options": options}
    if "yesno" in json.dumps(schema):
        asked["type"] = "choice"
    return {"questions": [{**asked, "multiSelect": False}]}


def parse(path: str, body: Json) -> Request | None:
    """Read a request's body; None for a path that asks for no answer."""
    if generate.asks(path):
        chat = parse("/chat/completions", generate.as_chat(path, body))
        return replace(chat, api="gemini") if chat else None
    if path.endswith("/messages"):
        api, tools = "messages", _named(body.get("tools"), "input_schema")
    elif path.endswith("/chat/completions"):
        api = "chat"
        functions = [_object(t.get("function")) for t in _objects(body.get("tools"))]
        tools = _named(functions, "parameters")
    elif path.endswith("/responses"):
        prompt, answered, tools = responses.conversation(body)
        stream = bool(body.get("stream"))
        return Request("responses", prompt, tools, answered, stream)
    else:
        return None
    prompt, answered = "", False
    for message in _objects(body.get("messages")):
        text, result = _said(message)
        if message.get("role") == "user" and text:
            prompt, answered = text, False
        answered = answered or result
    if _OWN.match(prompt):
        tools = {}
    folder = _FOLDER.search(json.dumps(body.get("messages")))
    stream = bool(body.get("stream"))
    return Request(api, prompt, tools, answered, stream, folder[1] if folder else "")


def _said(message: Json) -> tuple[str, bool]:
    """Return the user's words in a message, and whether it carries a tool's result."""
    if message.get("role") == "tool":
        return "", True
    content = message.get("content")
    if isinstance(content, str):
        parts: list[Json] = [{"type": "text", "text": content}]
    else:
        parts = _objects(content)
    result = any(part.get("type") == "tool_result" for part in parts)
    texts = [_ADDED.sub("", str(part.get("text") or "")).strip("\n") for part in parts]
    spoken = [text for text in texts if text.strip() and not _CUT.match(text)]
    return (spoken[-1] if spoken else "", result and not spoken)


def _objects(value: object) -> list[Json]:
    return [_object(item) for item in value] if isinstance(value, list) else []


def _object(value: object) -> Json:
    return cast(Json, value) if isinstance(value, dict) else {}


def _named(tools: object, schema: str) -> Mapping[str, Json]:
    return {str(t.get("name")): _object(t.get(schema)) for t in _objects(tools)}


def _gemini(answer: Answer) -> Iterator[Json]:
    arguments = cast(Json, json.loads(answer.arguments))
    return generate.events(answer.text, answer.tool, arguments)


def _responses(answer: Answer) -> Iterator[Json]:
    """Yield the events of OpenAI's newer stream."""
    return responses.events(answer.text, answer.tool, answer.arguments)


_EVENTS = {
    "messages": streams.messages,
    "chat": streams.chat,
    "responses": _responses,
    "gemini": _gemini,
}


def _refusal(api: str, prompt: str) -> tuple[int, Json, Mapping[str, str]] | None:
    """Return status, body and headers of an error that the prompt asks for."""
    match = re.search(r"\bFAIL (\d{3})", prompt)
    if match and api == "gemini":
        status = int(match[1])
        return status, generate.error(status, f"scripted error {status}"), {}
    if match:
        error = {"type": "api_error", "message": f"scripted error {match[1]}"}
        return int(match[1]), {"type": "error", "error": error}, {}
    if "USAGE_LIMIT" not in prompt:
        return None
    if api == "gemini":
        return 429, generate.usage_limit(), {}
    if api == "chat":
        # Qwen Code gives up at once when a quota is told to come back later.
        reset = "The usage limit has been reached: quota exhausted, will reset at 18:00"
        error = {"type": "usage_limit", "message": reset}
        return 429, {"error": error}, {}
    if api == "responses":
        return 429, responses.limit_reached(int(time.time()) + 3600), {}
    prefix = "anthropic-ratelimit-unified"
    headers = {
        f"{prefix}-status": "rejected",
        f"{prefix}-representative-claim": "five_hour",
        f"{prefix}-reset": str(int(time.time()) + 3600),
    }
    error = {"type": "rate_limit_error", "message": "over your account's rate limit"}
    return 429, {"type": "error", "error": error}, headers


class _Handler(BaseHTTPRequestHandler):
    """One connection of a CLI; `requests` collects what it asks."""

    requests: list[Request]
    gone = False
    protocol_version = "HTTP/1.1"

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        """Answer that somebody is there."""
        self.reply(200, {})

    def do_GET(self) -> None:
        """Answer with no models."""
        self.reply(200, {"object": "list", "data": []})

    def do_POST(self) -> None:
        """Answer a request as its prompt asks."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"] or 0)))
        request = parse(self.path.partition("?")[0], body)
        if request is None:
            self.reply(200, {"input_tokens": 9, "totalTokens": 9})
            return
        self.requests.append(request)
        refusal = _refusal(request.api, request.prompt) if request.tools else None
        if refusal is not None:
            self.reply(*refusal)
            return
        events = list(_EVENTS[request.api](decide(request)))
        if request.api == "gemini" and not request.stream:
            # A request of its own, without a stream: which model shall answer?
            self.reply(200, next(generate.events(generate.CHOICE, "", {})))
            return
        self.stream(request, events)

    def reply(
        self, status: int, body: Json, headers: Mapping[str, str] | None = None
    ) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def stream(self, request: Request, events: Sequence[Json]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        slow = re.search(r"\bSLOW (\d+)", request.prompt)
        if slow and request.tools and not request.answered:
            end = time.monotonic() + int(slow[1])
            while time.monotonic() < end and not self.gone:
                self.beat(request)
                threading.Event().wait(_BEAT)
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.chunk(f"{name}data: {json.dumps(event)}\n\n")
        if request.api == "chat":
            self.chunk("data: [DONE]\n\n")
        self.chunk("")

    def beat(self, request: Request) -> None:
        """Find out whether the CLI is still there."""
        if request.api != "gemini":
            self.chunk(": still at it\n\n")
            return
        # Gemini CLI takes a comment for an error.
        try:
            flags = socket.MSG_PEEK | socket.MSG_DONTWAIT
            self.gone = not self.connection.recv(1, flags)
        except BlockingIOError:
            pass
        except OSError:
            self.gone = self.close_connection = True

    def chunk(self, text: str) -> None:
        raw = text.encode()
        try:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
            self.wfile.flush()
        except OSError:
            # The CLI has interrupted the turn.
            self.gone = self.close_connection = True


class Model:
    """The server; `with Model() as model:` runs it in a thread."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        handler = type("Handler", (_Handler,), {"requests": self.requests})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Model:
        """Start to serve."""
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop to serve."""
        self.server.shutdown()
        self.server.server_close()

    def prompts(self) -> list[str]:
        """Return the prompts that were received, oldest first, each once a turn."""
        return [r.prompt for r in list(self.requests) if r.tools and not r.answered]
