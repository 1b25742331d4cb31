"""Instructions that run other programs: the shell, git, and mdtmux itself."""

from __future__ import annotations

from collections.abc import Generator

from mdtmux.agents.clerk import dialog
from mdtmux.agents.clerk.children import Child
from mdtmux.agents.clerk.desk import Desk, Failed, Step, Wait
from mdtmux.agents.clerk.language import Instruction, items

# git asks for an identity only when it records something; ours is used only where
# neither the configuration nor the environment gives one, and is never stored.
_COMMIT = """
for who in AUTHOR COMMITTER; do
    eval name=\\${GIT_${who}_NAME:-} email=\\${GIT_${who}_EMAIL:-}
    [ -n "$name" ] || git config user.name >/dev/null || export GIT_${who}_NAME="$2"
    [ -n "$email" ] || git config user.email >/dev/null ||
        export GIT_${who}_EMAIL="$2@clerk.invalid"
done
git add -A || exit
if git diff --cached --quiet; then echo 'nothing to commit'; exit 1; fi
git commit -q -m "$1" && git log -1 --format='%h %s'
"""
# What the command line answers to a word that it does not have.
_UNKNOWN = "no such command"


def run(desk: Desk, instruction: Instruction) -> Step:
    """Run a shell command, after asking unless that was waived."""
    command = instruction.part("more")
    if not desk.auto:
        answer = yield Wait(dialog=dialog.approval(command))
        if answer == dialog.NO:
            message = "denied"
            raise Failed(message)
        desk.auto = answer == dialog.ALWAYS
    yield from shell(desk, command)


def shell(desk: Desk, command: str) -> Step:
    """Run a shell command without asking."""
    desk.say(f"$ {command}")
    status = yield from _program(desk, ("/bin/sh", "-c", command))
    if status:
        raise Failed(_ending(status))


def commit(desk: Desk, instruction: Instruction) -> Step:
    """Commit everything in the working folder."""
    desk.say("git commit")
    argv = ("/bin/sh", "-c", _COMMIT, "sh", instruction.part("more"), desk.name)
    status = yield from _program(desk, argv)
    if status:
        raise Failed(_ending(status))


def mail(desk: Desk, instruction: Instruction) -> Step:
    """Send a message to another member of the office."""
    to = instruction.part("to")
    desk.say(f"mail to {to}")
    yield from _office(desk, ("mail", "send", to, "-"), instruction.part("more"))


def dispatch(desk: Desk, instruction: Instruction) -> Step:
    """Hand out work, one item after the other, and show each receipt."""
    more, to = instruction.part("more"), instruction.part("to")
    try:
        work = [(to, more)] if to else list(items(more))
    except ValueError as error:
        raise Failed(str(error)) from error
    for agent, text in work:
        desk.say(f"dispatch {agent}: {text.splitlines()[0]}")
        yield from _office(desk, ("send", "--queue", agent, "-"), text)


def wait(desk: Desk, instruction: Instruction) -> Step:
    """Wait until others have nothing left to do."""
    names = instruction.part("names").split()
    desk.say(f"waiting for {' '.join(names)}")
    yield from _office(desk, ("wait", *names, "--for", "idle"))


def merge(desk: Desk, instruction: Instruction) -> Step:
    """Bring another agent's commits into this branch's office."""
    to = instruction.part("to")
    desk.say(f"merge {to}")
    yield from _office(desk, ("merge", to))


def _office(desk: Desk, args: tuple[str, ...], stdin: str = "") -> Step:
    """Call mdtmux as anybody in a pane would."""
    lines: list[str] = []
    status = yield from _program(desk, ("mdtmux", *args), stdin, lines)
    if status and any(_UNKNOWN in line.lower() for line in lines):
        message = f"this mdtmux has no `{args[0]}` yet"
        raise Failed(message)
    if status:
        raise Failed(_ending(status))


def _program(
    desk: Desk, argv: tuple[str, ...], stdin: str = "", lines: list[str] | None = None
) -> Generator[Wait, str, int]:
    """Run a program to its end, show its output and return its exit status.

    Output also goes into `lines` when that is given.
    """
    try:
        child = Child(argv, stdin=stdin)
    except (OSError, ValueError) as error:
        message = f"cannot run `{argv[0]}`: {error}"
        raise Failed(message) from error
    try:
        while not child.poll():
            yield Wait(readable=child.readable, child=True)
    finally:
        child.end()
    output = child.output()
    desk.show(output)
    if lines is not None:
        lines += output
    return child.status or 0


def _ending(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit {status}"
