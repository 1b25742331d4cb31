"""The errors that users see: one base class, one exit code per kind of failure.

Exit codes are those of the manual: 1 failed, 2 usage or office file, 4 refused or
not delivered, 5 timed out, 75 busy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


class MdtmuxError(Exception):
    """An expected failure: a message for people, optionally with the remedy."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(MdtmuxError):
    """The command was called with something that cannot be meant."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault in an office file; `line` and `column` count from 1, 0 = unknown."""

    line: int
    column: int
    path: str
    message: str
    hint: str | None = None


class OfficeFileError(MdtmuxError):
    """The office file cannot be used; carries every problem found, in file order."""

    exit_code = 2

    def __init__(self, file: str, problems: tuple[Problem, ...]) -> None:
        self.file = file
        self.problems = problems
        super().__init__("\n".join(self._line(problem) for problem in problems))

    def _line(self, problem: Problem) -> str:
        place = self.file
        if problem.line:
            place += f":{problem.line}:{problem.column}"
        where = f" at {problem.path}:" if problem.path else ""
        hint = f" ({problem.hint})" if problem.hint else ""
        return f"{place}:{where} {problem.message}{hint}"


class Refused(MdtmuxError):
    """The act would have been wrong or could not be proven; nothing was done."""

    exit_code = 4


class TimedOut(MdtmuxError):
    """What was waited for did not happen in time."""

    exit_code = 5


class Busy(MdtmuxError):
    """Somebody else holds the office or the pane."""

    exit_code = 75


class TmuxError(MdtmuxError):
    """A tmux command failed; `output` is what came back before it did."""

    def __init__(
        self, message: str, *, hint: str | None = None, output: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.output = output


class NoServer(TmuxError):
    """No tmux server listens on the socket."""


class GitError(MdtmuxError):
    """A git command failed; the message carries git's own words."""
