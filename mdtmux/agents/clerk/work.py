"""What each instruction of the language does."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

from mdtmux.agents.clerk import dialog, errands, marks
from mdtmux.agents.clerk.children import leave
from mdtmux.agents.clerk.desk import Desk, Failed, Quit, Step, Wait
from mdtmux.agents.clerk.language import Instruction, Program, unescape
from mdtmux.agents.clerk.live import Style
from mdtmux.units import parse_duration, parse_size

_SLICE = 0.02
_CHUNK = 65536
_ERRORS = {
    401: "authentication failed", 402: "payment required", 403: "permission denied",
    404: "no such model", 413: "prompt is too long", 429: "rate limit exceeded",
    500: "internal server error", 503: "service unavailable", 529: "overloaded",
}  # fmt: skip


def perform(desk: Desk, prompt: str, program: Program) -> Step:
    """Answer a prompt: give a receipt for prose, then follow the instructions."""
    if program.prose or not program.instructions:
        desk.say(receipt(prompt))
    yield Wait()
    for instruction in program.instructions:
        try:
            yield from _WORDS[instruction.word](desk, instruction)
        except (Failed, OSError, ValueError, OverflowError, MemoryError) as failure:
            desk.say(f"failed: {instruction}", Style.ALERT)
            desk.show(str(failure).splitlines())
            desk.log("failed", instruction=str(instruction), why=str(failure))
            return
    if program.instructions:
        desk.say("done")
        desk.log("done")


def receipt(prompt: str) -> str:
    """Return what proves which text arrived: its lines, bytes and digest."""
    # Imported here: most prompts of a test never need it.
    from hashlib import sha256

    data = prompt.encode("utf-8", "replace")
    lines = prompt.count("\n") + 1
    digest = sha256(data).hexdigest()[:8]
    plural = "" if lines == 1 else "s"
    return f"OK ({lines} line{plural}, {len(data)} bytes, sha {digest})"


def _write(desk: Desk, instruction: Instruction) -> Step:
    yield from _put(desk, instruction, "w", "wrote")


def _append(desk: Desk, instruction: Instruction) -> Step:
    yield from _put(desk, instruction, "a", "appended to")


def _put(desk: Desk, instruction: Instruction, mode: str, verb: str) -> Step:
    path = Path(instruction.part("file"))
    # An agent's work is its folder's: anything outside would not be merged.
    if not path.resolve().is_relative_to(Path.cwd().resolve()):
        message = f"`{path}` is outside the working folder"
        raise Failed(message)
    text = unescape(instruction.part("more")) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open(mode, encoding="utf-8", newline="") as file:
        file.write(text)
    desk.say(f"{verb} {path} ({len(text.encode())} bytes)")
    yield Wait()


def _say(desk: Desk, instruction: Instruction) -> Step:
    desk.say(unescape(instruction.part("more")))
    yield Wait()


def _sleep(_desk: Desk, instruction: Instruction) -> Step:
    yield Wait(seconds=parse_duration(instruction.part("time")))


def _cpu(desk: Desk, instruction: Instruction) -> Step:
    end = desk.clock() + parse_duration(instruction.part("time"))
    while (now := desk.clock()) < end:
        while desk.clock() < now + _SLICE:
            pass
        yield Wait()


def _memory(desk: Desk, instruction: Instruction) -> Step:
    left = int(float(instruction.part("amount")) * 1_000_000)
    if not left:
        desk.hoard.clear()
    while left > 0:
        # Filled, because pages that are never touched take no memory.
        desk.hoard.append(bytearray(b"\x01") * min(left, 4_000_000))
        left -= 4_000_000
        yield Wait()
    desk.say(f"holding {sum(map(len, desk.hoard)) // 1_000_000} MB")


def _flood(desk: Desk, instruction: Instruction) -> Step:
    amount = instruction.part("amount")
    wanted = None if amount.isdigit() or amount == "forever" else parse_size(amount)
    lines = int(amount) if amount.isdigit() else None
    number = written = 0
    while (lines is None or number < lines) and (wanted is None or written < wanted):
        count = _CHUNK // max(8, desk.paper.size.columns)
        count = count if lines is None else min(count, lines - number)
        data = _rows(number, count, desk.paper.size.columns, instruction.part("color"))
        # Whole rows only, so a flood of bytes ends with the row that reaches it.
        desk.paper.pour(data)
        number, written = number + count, written + len(data)
        yield Wait()
    desk.say(f"{number} lines, {written} bytes")


def _rows(first: int, count: int, columns: int, color: str) -> bytes:
    fill = "abcdefghijklmnopqrstuvwxyz " * (columns // 27 + 1)
    rows = (f"  {n:08} {fill}"[:columns] for n in range(first, first + count))
    if color:
        rows = (
            f"\x1b[38;2;{n % 256};{n // 256 % 256};99m{row}\x1b[0m"
            for n, row in enumerate(rows, first)
        )
    return "".join(f"{row}\r\n" for row in rows).encode()


def _fork(desk: Desk, instruction: Instruction) -> Step:
    how = frozenset(instruction.part("how").split())
    pids = [leave(how) for _ in range(int(instruction.part("count")))]
    desk.left += pids
    desk.say(f"left {len(pids)} running: {' '.join(map(str, pids))}")
    desk.log("fork", pids=pids, how=sorted(how))
    yield Wait()


def _ask(desk: Desk, instruction: Instruction) -> Step:
    title, *options = (part.strip() for part in instruction.part("more").split("|"))
    answer = yield Wait(dialog=dialog.question(title, tuple(options)[:9]))
    if answer == dialog.DISMISSED:
        message = "the question was dismissed"
        raise Failed(message)
    desk.say(f"{title} {answer}")


def _limit(desk: Desk, instruction: Instruction) -> Step:
    reset = instruction.part("more")
    try:
        seconds = parse_duration(reset)
    except ValueError:
        desk.limit = f"{marks.LIMIT} · resets {reset}" if reset else marks.LIMIT
        raise Failed(desk.limit.removeprefix("■ ")) from None
    desk.limit = f"{marks.LIMIT} · retrying in {reset}"
    try:
        yield Wait(seconds=seconds)
    finally:
        desk.limit = ""


def _fail(_desk: Desk, instruction: Instruction) -> Step:
    code = int(instruction.part("code"))
    text = instruction.part("more") or _ERRORS.get(code, "request failed")
    message = f"API error {code}: {text}"
    yield Wait()
    raise Failed(message)


def _exit(_desk: Desk, instruction: Instruction) -> Step:
    yield Wait()
    raise Quit(int(instruction.part("code") or 0) % 256)


def _crash(desk: Desk, _instruction: Instruction) -> Step:
    desk.log("crash")
    os.kill(os.getpid(), signal.SIGKILL)
    yield Wait()


_WORDS: Mapping[str, Callable[[Desk, Instruction], Step]] = {
    "write": _write, "append": _append, "say": _say, "sleep": _sleep, "cpu": _cpu,
    "memory": _memory, "flood": _flood, "fork": _fork, "ask": _ask, "limit": _limit,
    "fail": _fail, "exit": _exit, "crash": _crash,
    "run": errands.run, "commit": errands.commit, "mail": errands.mail,
    "dispatch": errands.dispatch, "wait": errands.wait, "merge": errands.merge,
}  # fmt: skip
