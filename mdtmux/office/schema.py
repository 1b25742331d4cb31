"""Every key of the office file: its shape, its default and what it does.

This is the single list. The reader, the JSON Schema and the manual's reference are
drawn from it, so a key cannot be accepted and do nothing.
"""

from __future__ import annotations

from mdtmux.office.amounts import Cells, Count, Duration, Size
from mdtmux.office.fields import Field, Nested, Record, Records, Section
from mdtmux.office.lists import Command, VariableNames, Variables, Words
from mdtmux.office.model import Marks, Paste, Permissions, Ready, Stop, TmuxOptions
from mdtmux.office.texts import Choice, Line, Name, Pattern, Text
from mdtmux.office.values import (
    Branch,
    KindChoice,
    Names,
    WorktreeChoice,
)

WORKTREES = "../{repo}__worktrees/{office}/{agent}"
BUFFER = 2_000_000
_DAY = 86400.0

# ready, stop, screen, tmux
PATTERN = Field(
    "pattern",
    Pattern(),
    "Searched in each row of the screen; before text is typed, where its input line is.",
)
READY_TIMEOUT = Field(
    "timeout", Duration(0.1, _DAY), "How long it may take to become ready.", "60s"
)
READY = Field(
    "ready",
    Nested(
        Section("`ready`", (PATTERN, READY_TIMEOUT)),
        lambda found: Ready(found.get(PATTERN), found.get(READY_TIMEOUT) or 60.0),
    ),
    "When it counts as ready.",
    "the kind's own sign",
)
STOP_KEYS = Field(
    "keys", Words(single=True), "Keys that make it quit, in tmux's names.", "the kind's"
)
STOP_TIMEOUT = Field(
    "timeout",
    Duration(0, _DAY),
    "Time for its own end; then comes TERM, then KILL.",
    "10s",
)


def _stop(found: Record) -> Stop:
    timeout = found.get(STOP_TIMEOUT)
    return Stop(found.get(STOP_KEYS), 10.0 if timeout is None else timeout)


STOP = Field(
    "stop", Nested(Section("`stop`", (STOP_KEYS, STOP_TIMEOUT)), _stop), "How it ends."
)
IDLE = Field("idle", Pattern(), "It waits for its next prompt.")
BUSY = Field("busy", Pattern(), "It works.")
WAITING = Field("waiting", Pattern(), "A question is open that somebody must answer.")
LIMITED = Field("limited", Pattern(), "It has run into a usage limit.")
SCREEN = Field(
    "screen",
    Nested(
        Section("`screen`", (IDLE, BUSY, WAITING, LIMITED)),
        lambda found: Marks(
            found.get(IDLE), found.get(BUSY), found.get(WAITING), found.get(LIMITED)
        ),
    ),
    "What the screen of a custom command shows in each state.",
)
SOCKET = Field(
    "socket", Choice(("own", "default")), "A tmux server of its own, or yours.", "own"
)
LAYOUTS = (
    "tiled", "even-horizontal", "even-vertical", "main-horizontal", "main-vertical",
)  # fmt: skip
LAYOUT = Field("layout", Choice(LAYOUTS), "How panes share a window.", "tiled")
SIZE = Field(
    "size", Cells((20, 5), (1000, 1000)), "Size of a window nobody looks at.", "200x50"
)
PANES = Field("panes_per_window", Count(1, 16), "More panes open a new window.", "4")
STATUS = Field(
    "status", Choice(("auto", "on", "off")), "tmux's status line of the office.", "auto"
)


def _tmux(found: Record) -> TmuxOptions:
    width, height = found.get(SIZE) or (200, 50)
    return TmuxOptions(
        found.get(SOCKET) or "own",
        found.get(LAYOUT) or "tiled",
        width,
        height,
        found.get(PANES) or 4,
        found.get(STATUS) or "auto",
    )


# agents and processes
NAME = Field("name", Name(), "Its name: letters, digits, - and _.")
ROLE = Field(
    "role", Line(), "boss, worker, verifier or free text; bosses come first.", "worker"
)
KIND = Field(
    "kind",
    KindChoice(),
    "Which agent CLI it runs.",
    "the one whose CLI `command` runs, custom for any other command",
)
COMMAND = Field(
    "command", Command(), "Program and arguments instead of the kind's; no shell runs."
)
SHELL = Field("shell", Text(), "A line for `/bin/sh -c` instead of `command`.")
ARGS = Field(
    "args",
    Command(empty=True),
    "Arguments after the kind's own; `$1`, `$2`, … of a `shell` line.",
)
MODEL = Field("model", Line(), "The model, as the kind names it.", "the kind's")
BRANCH = Field("branch", Branch(), "Its git branch.", "{office}/{agent}")
BASE = Field(
    "base",
    Line(),
    "Where its branch begins: HEAD, a branch, origin/main, a sha.",
    "the office's",
)
WORKTREE = Field(
    "worktree",
    WorktreeChoice(),
    "true: its own; false: the office's repository itself; {share: AGENT}: that agent's.",
    "true",
)
DIR = Field("dir", Line(), "Folder in its worktree to start in.", "the worktree's top")
COPY = Field(
    "copy",
    Words(single=True),
    "Files that git ignores, copied from the repository into the worktree.",
)
LINK = Field("link", Words(single=True), "The same as symbolic links.")
SETUP = Field(
    "setup", Words(single=True), "Lines for `/bin/sh -c` in the new worktree."
)
ENV = Field("env", Variables(), "Environment variables, kept as written.")
ENV_FILE = Field("env_file", Words(single=True), "Files of NAME=value lines.")
UNSET = Field("unset", VariableNames(), "Variables that it must not inherit.")
PROMPT = Field(
    "prompt",
    Text(empty=True),
    "Typed once into each process that mdtmux starts, when it is ready; `file:PATH` reads it.",
)
PASTE = Field(
    "paste",
    Choice(tuple(Paste)),
    "Text of several lines for a program without bracketed paste: refused, or put "
    "into a file that one typed line names.",
    "auto",
)
PERMISSIONS = Field(
    "permissions",
    Choice(tuple(Permissions)),
    "Whether its CLI asks before it runs commands and writes files, or goes ahead; "
    "a permission option of its own in `args` goes before.",
    "ask",
)
DEPENDS_ON = Field(
    "depends_on", Names(), "Starts when these are ready.", "nothing"
)  # fmt: skip

SHARED = (
    ROLE, KIND, COMMAND, SHELL, ARGS, MODEL, BASE, WORKTREE, DIR, COPY, LINK, SETUP,
    ENV, ENV_FILE, UNSET, PROMPT, READY, STOP, DEPENDS_ON, SCREEN, PASTE,
    PERMISSIONS,
)  # fmt: skip
_LATER_AGENT = frozenset({
    "restart", "limits", "max_concurrent", "storage", "temperature", "fallback",
    "failover", "dialogs", "submodules", "resume", "headless",
    "schedule", "hooks",
})  # fmt: skip
_APART = ("command", "shell")
AGENT = Section(
    "an agent", (NAME, BRANCH, *SHARED), ("name",), _LATER_AGENT, apart=_APART
)
DEFAULTS = Section(
    "`defaults`",
    SHARED,
    later=_LATER_AGENT,
    apart=_APART,
    strangers={
        "name": "every agent needs its own",
        "branch": "every agent needs its own; the default is {office}/{agent}",
    },
)
_PROCESS_FIELDS = (
    NAME, COMMAND, SHELL, DIR, ENV, ENV_FILE, UNSET, READY, STOP, DEPENDS_ON,
)  # fmt: skip
PROCESS = Section(
    "a process",
    _PROCESS_FIELDS,
    ("name",),
    frozenset({"restart", "limits", "schedule"}),
    {
        field.key: "only agents have it"
        for field in AGENT.fields
        if field not in _PROCESS_FIELDS
    },
    apart=_APART,
)

# the top
OFFICE_NAME = Field(
    "name", Name(), "The office's name.", "the file's folder, made safe"
)
VERSION = Field("version", Line(option=True), "Yours; shown by `ps`.")
REPO = Field(
    "repo", Line(option=True), "The git repository, relative to this file.", "."
)
OFFICE_BASE = Field("base", Line(), "Where branches begin.", "HEAD")
PLACES = Field(
    "worktrees",
    Line(option=True),
    "Where worktrees go, relative to the repository; must hold {agent}.",
    WORKTREES,
)
OFFICE_BUFFER = Field(
    "buffer", Size(64_000, 1_000_000_000), "Recorded output kept per agent.", "2MB"
)
TMUX = Field(
    "tmux",
    Nested(Section("`tmux`", (SOCKET, LAYOUT, SIZE, PANES, STATUS)), _tmux),
    "How the office sits in tmux.",
)
DEFAULT_KEYS = Field(
    "defaults",
    Nested(DEFAULTS, lambda found: found),
    "Keys for every agent that does not have them itself; `env` is merged. An agent of "
    "another kind does not take `command`, `shell`, `args` and `model`.",
)
AGENTS = Field("agents", Records(AGENT), "The agents.")
PROCESSES = Field(
    "processes",
    Records(PROCESS),
    "Side processes (a server, a watcher) without worktree and branch.",
)
_TOP_FIELDS = (
    OFFICE_NAME, VERSION, REPO, OFFICE_BASE, PLACES, TMUX, DEFAULT_KEYS, AGENTS,
    PROCESSES, OFFICE_BUFFER,
)  # fmt: skip
TOP = Section(
    "the office",
    _TOP_FIELDS,
    later=frozenset({
        "max_active", "clones", "gateway", "factory", "schedule", "schedules", "guard",
        "budget", "watch", "failover", "restart", "limits", "storage", "max_concurrent",
        "permissions", "procs",
    }),
    strangers={
        field.key: "it is a key of an agent, or of `defaults` for all agents"
        for field in SHARED
        if field is not BASE
    },
    free="x-",
)  # fmt: skip
