"""The small language that the clerk understands in its prompts.

One instruction per line, a word in the first column and its argument; lines below
that are indented belong to it. A line that is no instruction is prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]*"
_NUMBER = r"\d+(?:\.\d+)?"
# What the argument of each word must look like; else the line is prose. A shape with
# a group named `more` takes the indented lines too.
_SHAPES: Mapping[str, str] = {
    "write": r"(?P<file>\S+)(?:[ \n](?P<more>.+))",
    "append": r"(?P<file>\S+)(?:[ \n](?P<more>.+))",
    "run": r"\n?(?P<more>.+)",
    "commit": r"\n?(?P<more>.+)",
    "say": r"\n?(?P<more>.+)",
    "mail": rf"(?P<to>{_NAME}):?[ \n](?P<more>.+)",
    "sleep": rf"(?P<time>{_NUMBER}(?:ms|s|m|h)?)",
    "cpu": rf"(?P<time>{_NUMBER}(?:ms|s|m|h)?)",
    "fail": r"(?P<code>\d{1,3})(?: (?P<more>.+))?",
    "exit": r"(?P<code>\d{1,3})?",
    "crash": r"",
    "flood": rf"(?P<amount>forever|\d+|{_NUMBER} ?[KMG]i?B)(?: (?P<color>color))?",
    "memory": rf"(?P<amount>{_NUMBER}) ?(?:MB)?",
    "fork": r"(?P<count>\d{1,3})(?P<how>(?: (?:detached|setsid|term-ignoring))*)",
    "ask": r"\n?(?P<more>.+)",
    "limit": r"(?P<more>.+)?",
    "dispatch": rf"(?:(?P<to>{_NAME}))?:[ \n]?(?P<more>.+)",
    "wait": rf"(?P<names>{_NAME}(?: {_NAME})*)",
    "merge": rf"(?P<to>{_NAME})",
}
WORDS = tuple(_SHAPES)
_ITEM = re.compile(rf"({_NAME}):[ \n]?(.+)", re.DOTALL)
_REACTION = re.compile(r"on (.+?):(?: +|$)(.*)")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its word and the parts of its argument."""

    word: str
    parts: Mapping[str, str]

    def part(self, name: str) -> str:
        """Return a part of the argument, empty when it was left out."""
        return self.parts.get(name, "")

    def __str__(self) -> str:
        """Write it in a few words, for the transcript."""
        shown = " ".join(part.strip() for part in self.parts.values() if part)
        return f"{self.word} {shown}".splitlines()[0].strip()


@dataclass(frozen=True, slots=True)
class Program:
    """A prompt that has been read: what to do, and whether there was prose in it."""

    instructions: tuple[Instruction, ...]
    prose: bool


@dataclass(frozen=True, slots=True)
class Reaction:
    """What to do when a prompt matches a pattern."""

    pattern: re.Pattern[str]
    program: Program


@dataclass(frozen=True, slots=True)
class Script:
    """A script file that has been read: its opening, then its reactions."""

    opening: str
    reactions: tuple[Reaction, ...]

    def reaction(self, prompt: str) -> Program | None:
        """Return what the first matching reaction does, if one matches."""
        found = (r.program for r in self.reactions if r.pattern.search(prompt))
        return next(found, None)


NO_SCRIPT = Script("", ())


def parse(prompt: str) -> Program:
    """Read a prompt; total, since what is no instruction is prose."""
    found = [_instruction(head, body) for head, body in _blocks(prompt) if head or body]
    instructions = tuple(i for i in found if i is not None)
    return Program(instructions, len(instructions) < len(found))


def parse_script(text: str) -> Script:
    """Read a script file.

    Raises:
        ValueError: a pattern is no regular expression, or a line no instruction.
    """
    opening, reactions = [], []
    for head, body in _blocks(text):
        match = _REACTION.fullmatch(head)
        if head.startswith("#"):
            continue
        if match is None:
            _only_instructions(block := _join(head, body))
            opening.append(block)
            continue
        first, rest = match.group(2), body
        block = _join(first, rest) if first else rest
        reactions.append(Reaction(_pattern(match.group(1)), _only_instructions(block)))
    return Script("\n".join(opening), tuple(reactions))


def items(text: str) -> Iterator[tuple[str, str]]:
    """Return agent and text for each item of a `dispatch:` block.

    Raises:
        ValueError: a line is no item.
    """
    for head, body in _blocks(text):
        match = _ITEM.fullmatch(_join(head, body))
        if match is None:
            message = f"`{head or body}` is not AGENT: TEXT"
            raise ValueError(message)
        yield match.group(1), match.group(2)


def unescape(text: str) -> str:
    r"""Replace `\n`, `\t` and `\\` by what they stand for."""
    values = {"n": "\n", "t": "\t", "\\": "\\"}
    return re.sub(r"\\([nt\\])", lambda match: values[match.group(1)], text)


def _instruction(head: str, body: str) -> Instruction | None:
    word, _, argument = head.partition(" ")
    # `dispatch:` has its colon at the word.
    if word.endswith(":"):
        word, argument = word[:-1], f":{argument}"
    shape = _SHAPES.get(word)
    if shape is None:
        return None
    match = re.fullmatch(shape, _join(argument, body), re.DOTALL)
    if match is None:
        return None
    parts = {name: text for name, text in match.groupdict().items() if text}
    return Instruction(word, parts)


def _only_instructions(block: str) -> Program:
    program = parse(block)
    if program.prose or not program.instructions:
        first = block.partition("\n")[0]
        message = f"`{first}` is not an instruction"
        raise ValueError(message)
    return program


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        message = f"`{text}` is not a regular expression: {error}"
        raise ValueError(message) from error


def _join(head: str, body: str) -> str:
    return f"{head}\n{body}" if body else head


def _blocks(text: str) -> list[tuple[str, str]]:
    """Cut text into lines of the first column, each with the lines indented below."""
    blocks: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        inside = line[:1] in (" ", "\t") or not line.strip()
        if inside and blocks:
            blocks[-1][1].append(line)
        elif line.strip():
            blocks.append(("", [line]) if inside else (line.rstrip(), []))
    return [(head, _dedent(body)) for head, body in blocks]


def _dedent(lines: list[str]) -> str:
    while lines and not lines[-1].strip():
        lines.pop()
    written = [line for line in lines if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in written), default=0)
    return "\n".join(line[indent:] for line in lines)
