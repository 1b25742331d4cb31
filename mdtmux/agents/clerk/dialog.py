"""Menus that cover the input line until somebody answers them."""

from __future__ import annotations

from dataclasses import dataclass, field

from mdtmux.agents.clerk import marks
from mdtmux.agents.clerk.keys import Event, Source


@dataclass(slots=True)
class Dialog:
    """An open question: its options, which one is highlighted, what it swallowed.

    Letters and pastes are dropped, digits choose, Enter takes the highlighted option
    however it arrived, and Escape takes `cancel`: that is how agent CLIs behave, and
    why nothing may be typed into one.
    """

    kind: str
    title: str
    options: tuple[str, ...]
    cancel: str
    detail: tuple[str, ...] = ()
    selected: int = 0
    dropped: list[str] = field(default_factory=list)

    @property
    def footer(self) -> str:
        """The row below the options."""
        return marks.SELECT if self.kind == marks.QUESTION else marks.CONFIRM

    def press(self, event: Event) -> str | None:
        """Take one event; return the answer when it gives one."""
        if event.source is Source.KEY:
            return self._key(event.text)
        if event.source is Source.TYPED:
            for character in event.text:
                if character in "123456789" and int(character) <= len(self.options):
                    return self.options[int(character) - 1]
        self.dropped.append(event.text)
        return None

    def _key(self, name: str) -> str | None:
        match name:
            case "enter":
                return self.options[self.selected]
            case "escape" | "interrupt":
                return self.cancel
            case "up" | "down":
                step = 1 if name == "down" else -1
                self.selected = (self.selected + step) % len(self.options)
        return None


YES = "Yes"
ALWAYS = "Yes, always"
NO = "No"
TRUSTED = "Yes, I trust this folder"
LEAVE = "No, exit"
DISMISSED = ""


def trust(folder: str) -> Dialog:
    """Return the question that CLIs ask in a folder they have not seen before."""
    title = "Do you trust the files in this folder?"
    return Dialog(marks.TRUST, title, (TRUSTED, LEAVE), LEAVE, (folder,))


def approval(command: str) -> Dialog:
    """Return the question before a command is run."""
    detail = tuple(command.splitlines())
    title = "Do you want to proceed?"
    return Dialog(marks.APPROVAL, title, (YES, ALWAYS, NO), NO, detail)


def question(title: str, options: tuple[str, ...]) -> Dialog:
    """Return a question of the agent's own."""
    return Dialog(marks.QUESTION, f"? {title}", options or (YES, NO), DISMISSED)
