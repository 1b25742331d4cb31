"""What the clerk makes of a submitted line: a command, a shell line or a prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mdtmux.agents.clerk import errands
from mdtmux.agents.clerk.desk import Desk, Failed, Quit, Step, Wait
from mdtmux.agents.clerk.dialog import LEAVE, trust
from mdtmux.agents.clerk.language import Program, parse
from mdtmux.agents.clerk.live import Style
from mdtmux.agents.clerk.options import Options
from mdtmux.agents.clerk.work import perform

_COMMAND = re.compile(r"/([A-Za-z-]*)(?: .*)?")
HELP = """\
instructions, one a line (lines indented below belong to it):
  write FILE TEXT · append FILE TEXT · run COMMAND · commit MESSAGE · say TEXT
  mail TO TEXT · dispatch AGENT: TEXT · wait AGENT… · merge AGENT
  sleep TIME · cpu TIME · memory MB · flood LINES|BYTES|forever [color]
  fork N [detached] [setsid] [term-ignoring] · ask QUESTION [| OPTION]…
  limit [RESET] · fail CODE [TEXT] · exit [CODE] · crash
commands: /help /clear /exit · !COMMAND runs a shell command
keys: esc interrupts · ctrl+u clears · ctrl+j new line · ctrl+c twice quits"""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A submitted line: its exact text, how the draft showed it, and what it is."""

    text: str
    shown: str
    shell: bool = False

    @classmethod
    def of(cls, text: str, shown: str) -> Prompt:
        """Read a line: one space at its start makes text of whatever follows."""
        if text.startswith(" "):
            return cls(text[1:], shown[1:])
        if text.startswith("!"):
            return cls(text[1:].strip(), shown, shell=True)
        return cls(text, shown)


def command(desk: Desk, text: str) -> bool:
    """Do what a `/command` says at once; tell whether the text was one.

    Raises:
        Quit: it was `/exit`.
    """
    match = _COMMAND.fullmatch(text)
    if match is None:
        return False
    desk.log("command", text=text)
    match match.group(1):
        case "exit" | "quit":
            raise Quit(0)
        case "help":
            desk.say(HELP)
        case "clear":
            desk.paper.forget()
        case name:
            desk.say(f"there is no /{name}; /help lists what there is", Style.ALERT)
    return True


def opening(desk: Desk, options: Options) -> Step:
    """Begin: the question about trust, then the script, then the prompt of the argv."""
    if options.trust_dialog:
        given = yield Wait(dialog=trust(str(Path.cwd())))
        if given == LEAVE:
            raise Quit(1)
    if options.script.opening:
        yield from perform(desk, options.script.opening, parse(options.script.opening))
    if options.prompt:
        desk.log("submit", text=options.prompt)
        desk.hear(options.prompt)
        prompt = Prompt(options.prompt, options.prompt)
        yield from answer(desk, options, prompt)


def answer(desk: Desk, options: Options, prompt: Prompt) -> Step:
    """Work on a prompt: a reaction of the script, its instructions, or a receipt."""
    yield Wait(seconds=options.think)
    if prompt.shell:
        try:
            yield from errands.shell(desk, prompt.text)
        except Failed as failure:
            desk.show([str(failure)])
        return
    program = options.script.reaction(prompt.text)
    if program is None:
        program = Program((), prose=True) if options.prose else parse(prompt.text)
    yield from perform(desk, prompt.text, program)
