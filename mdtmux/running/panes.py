"""The tmux script that makes an office's panes: pure text, run in one tmux client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mdtmux.names import PaneId, RunId
from mdtmux.office.model import TmuxOptions
from mdtmux.system.tmux import line

# What one made pane answers; parsed by `read_made`.
_ANSWER = "mdtmux-pane #{@mdtmux_agent} #{pane_id} #{pane_pid} #{pid}"
HOLD = "mdtmux-hold"
# Hooks of the user's that could make another pane the current one, or end the new one.
_MEDDLING = ("after-new-window", "after-split-window")


@dataclass(frozen=True, slots=True)
class PanePlan:
    """One pane to make. `command` is its argv; `pipe` the recorder's shell command.

    `environment` is what the pane gets besides what its server has.

    `reuse` is a dead pane of that agent, taken again where it stands; `piped` tells
    that a recorder runs in it, which goes on when `pipe` is None: `buffer` is the same.
    A `pinned` one belongs at the head of the first window, though it may be made after
    others.
    """

    agent: str
    run: RunId
    is_process: bool
    command: tuple[str, ...]
    environment: Mapping[str, str]
    pipe: str | None
    buffer: int
    reuse: PaneId | None
    piped: bool
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Room:
    """A window of the office that can take more panes."""

    window: str
    is_process: bool
    free: int


@dataclass(frozen=True, slots=True)
class Scene:
    """The session as it is: None for `selected` when it does not exist yet.

    `unwanted` are variables of the server that the office's panes shall not inherit.
    """

    session: str
    office: str
    options: TmuxOptions
    history: int
    rooms: tuple[Room, ...]
    selected: str | None
    unwanted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MadePane:
    """A pane that tmux has made."""

    agent: str
    pane: PaneId
    pid: int
    server_pid: int


def script(scene: Scene, plans: Sequence[PanePlan]) -> str:
    """Return the script that makes all panes of the plans, boss first as given.

    New windows become the session's current one while the script runs, so that the
    commands after can name the pane without knowing its id; nothing is drawn before
    the script ends, and the window that was selected is selected again.
    """
    target = f"={scene.session}:"
    rows: list[str] = []
    if scene.selected is None:
        rows += _new_session(scene, target)
    # Commands after a new pane name it as the current one: no hook may come between.
    rows += [line("set-hook", "-t", target, hook, "") for hook in _MEDDLING]
    rows.append(line("set-option", "-t", target, "history-limit", str(scene.history)))
    rows += [
        line("set-environment", "-r", "-t", target, name) for name in scene.unwanted
    ]
    rooms = [_Free(room.window, room.is_process, room.free) for room in scene.rooms]
    for plan in plans:
        if plan.reuse is not None:
            rows += _respawn(scene, plan)
            continue
        room = next(
            (r for r in rooms if r.is_process == plan.is_process and r.free), None
        )
        if room is None:
            rows.append(_window(scene, target, plan))
            rows += _window_options(scene, target)
            for other in rooms:
                # Only the window made last is current and can be named without an id.
                other.free = other.free if other.window else 0
            free = scene.options.panes_per_window - 1
            rooms.append(_Free("", plan.is_process, free))
        else:
            rows += _split(room, target, plan)
        rows += _dress(scene, target, plan)
        rows.append(line("select-layout", "-t", target, scene.options.layout))
        if plan.pinned and scene.selected is not None:
            first = f"{target}^.{{top-left}}"
            rows.append(line("swap-pane", "-d", "-s", target, "-t", first))
    rows += _finish(scene, target)
    return "\n".join(rows) + "\n"


@dataclass(slots=True)
class _Free:
    """A window that takes more panes; `window` is empty for one made in the script."""

    window: str
    is_process: bool
    free: int


def _split(room: _Free, target: str, plan: PanePlan) -> list[str]:
    room.free -= 1
    rows = [line("split-window", "-t", room.window or target, *_program(plan))]
    if room.window:
        rows.append(line("select-window", "-t", room.window))
    return rows


def read_made(output: str) -> dict[str, MadePane]:
    """Return the panes that the script's output tells of, by agent."""
    found: dict[str, MadePane] = {}
    for row in output.splitlines():
        parts = row.split()
        if len(parts) == 5 and parts[0] == "mdtmux-pane":
            made = MadePane(parts[1], PaneId(parts[2]), int(parts[3]), int(parts[4]))
            found[made.agent] = made
    return found


def _new_session(scene: Scene, target: str) -> list[str]:
    options = scene.options
    rows: list[str] = []
    if options.socket == "own":
        rows += [
            line("set-option", "-s", "extended-keys", "on"),
            line("set-option", "-s", "focus-events", "on"),
            line("set-option", "-s", "escape-time", "10"),
            line("set-option", "-g", "default-terminal", "tmux-256color"),
        ]
    size = ("-x", str(options.width), "-y", str(options.height))
    rows += [
        # The first pane of a session gets the server's history limit, not the
        # session's; this one only holds the place until the real ones stand.
        line(
            "new-session",
            "-d",
            "-s",
            scene.session,
            *size,
            "-n",
            HOLD,
            "--",
            "sleep",
            "60",
        ),
        line("set-option", "-t", target, "@mdtmux_office", scene.office),
        line("set-option", "-t", target, "destroy-unattached", "off"),
        line("set-option", "-w", "-t", target, "window-size", "manual"),
    ]
    if options.status != "auto":
        rows.append(line("set-option", "-t", target, "status", options.status))
    elif options.socket == "own":
        left = f" {scene.session} "
        rows.append(line("set-option", "-t", target, "status-left", left))
        rows.append(line("set-option", "-t", target, "status-left-length", "40"))
    return rows + _size_hooks(scene, target)


def _size_hooks(scene: Scene, target: str) -> list[str]:
    """Follow a person's terminal while one is attached; else keep the stated size.

    A stray client of 2x1 cells must not shrink every agent's screen.
    """
    windows = f"tmux list-windows -t '={scene.session}' -F '##{{window_id}}'"
    each = f"for w in $({windows}); do tmux set-option -w -t $w window-size"
    wide, high = "#{e|>=:#{client_width},60}", "#{e|>=:#{client_height},16}"
    big = f"#{{&&:#{{==:#{{client_control_mode}},0}},#{{&&:{wide},{high}}}}}"
    fit = _nest(f"{each} latest; done")
    follow = f'if-shell -F "{big}" {_nest(f"run-shell -b {fit}")}'
    size = f"-x {scene.options.width} -y {scene.options.height}"
    # Looked at again in the shell: somebody may have attached meanwhile.
    asked = f"tmux display-message -p -t '={scene.session}:' '##{{session_attached}}'"
    reset = f"{each} manual; tmux resize-window -t $w {size}; done"
    keep = _nest(f"test $({asked}) -gt 0 || {{ {reset}; }}")
    leave = (
        f'if-shell -F "#{{==:#{{session_attached}},0}}" {_nest(f"run-shell -b {keep}")}'
    )
    return [
        line("set-hook", "-t", target, "client-attached", follow),
        line("set-hook", "-t", target, "client-session-changed", follow),
        line("set-hook", "-t", target, "client-detached", leave),
    ]


def _nest(text: str) -> str:
    """Quote a command inside another one with double quotes."""
    return (
        '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$") + '"'
    )


def _window(scene: Scene, target: str, plan: PanePlan) -> str:
    single = scene.options.panes_per_window == 1
    name = plan.agent if single else "processes" if plan.is_process else "agents"
    return line("new-window", "-t", target, "-n", name, *_program(plan))


def _program(plan: PanePlan) -> tuple[str, ...]:
    pairs = (("-e", f"{name}={value}") for name, value in plan.environment.items())
    return (*(word for pair in pairs for word in pair), "--", *plan.command)


def _window_options(scene: Scene, target: str) -> list[str]:
    border = " #{@mdtmux_agent} #{?pane_dead,(ended) ,}"
    options = (
        ("remain-on-exit", "on"), ("automatic-rename", "off"), ("allow-rename", "off"),
        ("synchronize-panes", "off"), ("window-size", "manual"),
        ("pane-border-status", "top"), ("pane-border-format", border),
    )  # fmt: skip
    rows = [
        line("set-option", "-w", "-t", target, name, value) for name, value in options
    ]
    # A hook of the user's that starts panes anew would undo `stop` and `down`.
    rows.append(line("set-hook", "-w", "-t", target, "pane-died", ""))
    size = ("-x", str(scene.options.width), "-y", str(scene.options.height))
    return [*rows, line("resize-window", "-t", target, *size)]


def _dress(scene: Scene, place: str, plan: PanePlan) -> list[str]:
    marks = (
        ("@mdtmux_office", scene.office), ("@mdtmux_agent", plan.agent), ("@mdtmux_run", plan.run),
    )  # fmt: skip
    rows = [line("set-option", "-p", "-t", place, name, value) for name, value in marks]
    rows.append(line("select-pane", "-t", place, "-T", plan.agent))
    if plan.pipe is not None:
        if plan.piped:
            rows.append(line("pipe-pane", "-t", place))
        # In the same script as the pane: tmux reads no output in between, so the
        # recording has every byte.
        rows.append(line("pipe-pane", "-t", place, plan.pipe))
        size = str(plan.buffer)
        rows.append(line("set-option", "-p", "-t", place, "@mdtmux_buffer", size))
    rows.append(line("display-message", "-p", "-t", place, _ANSWER))
    return rows


def _respawn(scene: Scene, plan: PanePlan) -> list[str]:
    pane = str(plan.reuse)
    return [
        # What the last life left on the screen must not be read as this one's.
        line("send-keys", "-R", "-t", pane),
        line("respawn-pane", "-k", "-t", pane, *_program(plan)),
        line("set-option", "-w", "-t", pane, "remain-on-exit", "on"),
        *_dress(scene, pane, plan),
    ]


def _finish(scene: Scene, target: str) -> list[str]:
    if scene.selected is not None:
        return [line("select-window", "-t", scene.selected)]
    return [
        line("kill-window", "-t", f"{target}{HOLD}"),
        line("select-window", "-t", f"{target}^"),
        line("select-pane", "-t", f"{target}.{{top-left}}"),
    ]
