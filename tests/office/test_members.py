"""One agent: kinds, defaults, keys that would do nothing, environment, prompts."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdtmux.office.members import PROCESS
from mdtmux.office.model import Agent, Isolation, Marks, Paste, Ready, Stop
from tests.support.office_files import agent, agent_fault, fault, faults, office, write

EVERYTHING = """\
agents:
  - name: jim
    role: tester
    kind: claude
    command: [claude-next, --x]
    args: --debug 'a b'
    model: fast
    branch: work/jim
    base: origin/main
    dir: ./src/
    copy: [.env, ./conf/x]
    link: node_modules
    setup: [make deps, "true"]
    env: {A: 1}
    env_file: .env.agents
    unset: [HOME_X]
    prompt: hello
    ready: {pattern: "> $", timeout: 90s}
    stop: {keys: [C-c, C-c], timeout: 2m}
    depends_on: web
    paste: file
processes:
  - {name: web, command: make serve}
"""


def test_every_key_of_an_agent_arrives() -> None:
    """What the file says is what the value holds, with nothing filled in."""
    Path(".env.agents").write_text("X=1\n", encoding="utf-8")
    one = office(EVERYTHING).agents[0]
    assert one == Agent(
        name=one.name,
        role="tester",
        kind="claude",
        command=("claude-next", "--x"),
        shell=None,
        args=("--debug", "a b"),
        model="fast",
        branch="work/jim",
        base="origin/main",
        isolation=Isolation.OWN,
        shares=None,
        dir="src",
        copy=(".env", "conf/x"),
        link=("node_modules",),
        setup=("make deps", "true"),
        env=(("A", "1"),),
        env_file=(Path.cwd() / ".env.agents",),
        unset=("HOME_X",),
        prompt="hello",
        ready=Ready("> $", 90.0),
        stop=Stop(("C-c", "C-c"), 120.0),
        marks=Marks(),
        paste=Paste.FILE,
        depends_on=(one.depends_on[0],),
        is_process=False,
        line=2,
    )
    assert (one.name, one.depends_on) == ("jim", ("web",))


def test_an_agent_needs_little() -> None:
    """The defaults are those of the manual."""
    one = office("name: lab\nagents: [{name: a, kind: clerk}]\n").agents[0]
    assert (one.role, one.branch, one.base) == ("worker", "lab/a", "HEAD")
    assert (one.ready, one.stop, one.paste) == (Ready(), Stop(), Paste.AUTO)
    assert one.isolation is Isolation.OWN
    assert (one.prompt, one.dir, one.command, one.args) == (None, None, None, ())


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        ("kind: claude", "claude"),
        ("command: [claude, --x]", "claude"),
        ("command: /opt/bin/opencode run", "opencode"),
        ("command: codex resume", "codex"),
        ("command: [npx, pi]", "custom"),
        ("command: pi -c", "pi"),
        ("command: openclaw tui", "openclaw"),
        ("command: [python3, x.py]", "custom"),
        ("shell: exec claude", "custom"),
        ("kind: custom, command: claude", "custom"),
        ("kind: clerk, command: mine", "clerk"),
    ],
)
def test_the_kind_of_a_command(keys: str, kind: str) -> None:
    """A command that runs a known CLI is of its kind; any other is custom."""
    assert agent(keys).kind == kind


def test_an_agent_without_kind_and_command_is_refused() -> None:
    """Nothing is started on a guess."""
    assert fault("agents: [{name: a}]\n") == (
        "1:10: at agents[1] 'a': neither `kind` nor `command` says what runs "
        "(known kinds: claude, codex, opencode, gemini, qwen, pi, openclaw, clerk, custom)"
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            "kind: cladue",
            "kind: expected one of claude, codex, opencode, gemini, qwen, pi, openclaw, clerk, "
            "custom, got `cladue` (did you mean `claude`?)",
        ),
        ("kind: custom", "kind: `kind: custom` needs `command` or `shell`"),
        (
            "command: x, shell: y",
            "shell: `command` is given too; only one of them can be",
        ),
        (
            "command: x, model: y",
            "model: a custom command is not told its model (write it into `command`)",
        ),
        (
            "kind: openclaw, model: y",
            "model: OpenClaw is not told its model"
            " (set `agents.defaults.model` in its own configuration)",
        ),
        (
            "kind: clerk, screen: {idle: x}",
            "screen: the kind `clerk` reads its own screen (it is a key of `kind: custom`)",
        ),
        ("worktree: false, branch: x", "branch: it needs a worktree of its own"),
        ("worktree: false, base: x", "base: it needs a worktree of its own"),
        ("worktree: false, copy: x", "copy: it needs a worktree of its own"),
        ("worktree: false, link: x", "link: it needs a worktree of its own"),
        ("worktree: false, setup: x", "setup: it needs a worktree of its own"),
        ("nam: x", "nam: unknown key (did you mean `name`?)"),
        ("restart: no", "restart: not supported yet"),
        ("limits: {time: 2h}", "limits: not supported yet"),
        ("max_concurrent: 1", "max_concurrent: not supported yet"),
        ("storage: s3://x/y", "storage: not supported yet"),
        ("submodules: true", "submodules: not supported yet"),
        (
            "kind: claude, permissions: maybe",
            "permissions: expected one of ask, auto, got `maybe`",
        ),
        (
            "kind: opencode, permissions: auto",
            "permissions: not supported yet for the kind `opencode` (set `permission`"
            " in its own configuration, or give `args: [--auto]`)",
        ),
        (
            "kind: pi, permissions: ask",
            "permissions: the kind `pi` never asks: its CLI has no approvals"
            " (leave it out or write `auto`: it goes ahead in both cases)",
        ),
        (
            "kind: openclaw, permissions: ask",
            "permissions: the kind `openclaw` never asks: its CLI has no approvals"
            " (leave it out or write `auto`: it goes ahead in both cases)",
        ),
        (
            "kind: clerk, permissions: ask",
            "permissions: the kind `clerk` has no permission mode",
        ),
        (
            "command: cat, permissions: auto",
            "permissions: the kind `custom` has no permission mode"
            " (give a custom command its own option for it)",
        ),
        ("fallback: [x]", "fallback: not supported yet"),
        (
            "ready: {pattren: x}",
            "ready > pattren: unknown key (did you mean `pattern`?)",
        ),
        ("ready: x", "ready: expected a mapping, got `x`"),
        ("stop: 10s", "stop: expected a mapping, got `10s`"),
        ("env: {A: 1}, unset: [A]", "unset: `A` is set in `env` and unset"),
        ("prompt: [x]", "prompt: expected a string, got a list"),
    ],
)
def test_agents_that_are_refused(keys: str, message: str) -> None:
    """Each fault of one agent has one message, with the path of its key."""
    assert agent_fault(keys) == message


@pytest.mark.parametrize(
    "keys", ["kind: aider, model: x, screen: {busy: x}", "kind: [x]"]
)
def test_a_wrong_kind_makes_no_further_faults(keys: str) -> None:
    """What depends on the kind is not judged while the kind is unknown."""
    assert agent_fault(keys).startswith("kind: ")


def test_a_cli_without_approvals_takes_auto() -> None:
    """What it does anyway can be written down, over the defaults as well."""
    found = office(
        "defaults: {permissions: ask}\n"
        "agents: [{name: a, kind: pi, permissions: auto}, {name: b, kind: claude}]\n"
    )
    assert [one.permissions for one in found.agents] == ["auto", "ask"]


def test_defaults_lie_below_every_agent() -> None:
    """An agent's own key wins, and `env` is merged by name."""
    found = office(
        "defaults: {kind: clerk, role: tester, env: {A: 1, B: 1}, ready: {timeout: 5s},"
        " setup: [make], unset: [X, Y]}\n"
        "agents:\n"
        "- {name: a}\n"
        "- {name: b, kind: claude, env: {B: 2, X: 3}, ready: {pattern: x}, setup: []}\n"
    )
    one, two = found.agents
    assert (one.kind, one.role, one.env, one.ready.timeout) == (
        "clerk",
        "tester",
        (("A", "1"), ("B", "1")),
        5.0,
    )
    assert (two.kind, two.setup, two.ready) == ("claude", (), Ready("x", 60.0))
    assert dict(two.env) == {"A": "1", "B": "2", "X": "3"}
    assert (one.unset, two.unset) == (("X", "Y"), ("Y",))


def test_an_agent_may_unset_what_defaults_set() -> None:
    """`unset` of an agent takes a variable of the defaults away."""
    one = office(
        "defaults: {kind: clerk, env: {A: 1, B: 1}}\nagents: [{name: a, unset: A}]\n"
    ).agents[0]
    assert (one.env, one.unset) == ((("B", "1"),), ("A",))


def test_what_belongs_to_a_kind_stays_with_it() -> None:
    """Another kind takes neither command nor arguments nor model from the defaults."""
    found = office(
        "defaults: {kind: claude, shell: exec claude, model: x, role: y}\n"
        "agents:\n- {name: a, command: mine}\n- {name: b}\n- {name: c, kind: clerk}\n"
        "- {name: d, kind: claude, command: [claude-next]}\n"
    )
    seen = [
        (one.kind, one.command, one.shell, one.model, one.role) for one in found.agents
    ]
    assert seen == [
        ("custom", ("mine",), None, None, "y"),
        ("claude", None, "exec claude", "x", "y"),
        ("clerk", None, None, None, "y"),
        ("claude", ("claude-next",), None, "x", "y"),
    ]


def test_defaults_without_a_kind_are_for_every_kind() -> None:
    """Arguments and model of the defaults reach all agents when no kind claims them."""
    found = office(
        "defaults: {model: x, args: [y]}\n"
        "agents: [{name: a, kind: claude}, {name: b, command: mine}]\n"
    )
    assert [(one.model, one.args) for one in found.agents] == [
        ("x", ("y",)),
        (None, ("y",)),
    ]


def test_defaults_that_do_not_fit_one_agent_are_not_its_fault() -> None:
    """A worktree's furniture in `defaults` is simply not for an agent without one."""
    found = office(
        "defaults: {kind: clerk, copy: [.env], link: x, setup: make, base: main}\n"
        "agents: [{name: a, worktree: false}, {name: b, worktree: {share: c}}, {name: c}]\n"
    )
    one, two, three = found.agents
    assert (one.copy, one.link, one.setup, one.branch) == ((), (), (), "")
    assert (two.copy, two.branch, two.shares) == ((), three.branch, "c")
    assert (three.copy, three.base) == ((".env",), "main")


def test_a_fault_in_defaults_is_told_once() -> None:
    """Not once for each agent that has it from there."""
    assert faults(
        "defaults:\n  kind: clerk\n  name: x\n  branch: y\n  prompt: file:no.md\n"
        "  copy: [../x]\nagents: [{name: a}, {name: b}]\n"
    ) == [
        "office.yaml:3:3: at defaults > name: `defaults` has no such key "
        "(every agent needs its own)",
        "office.yaml:4:3: at defaults > branch: `defaults` has no such key "
        "(every agent needs its own; the default is {office}/{agent})",
        "office.yaml:5:3: at defaults > prompt: cannot read "
        f"`{Path.cwd()}/no.md`: no such file or directory",
        "office.yaml:6:3: at defaults > copy: `../x` leads out with `..`",
    ]


def test_defaults_are_not_for_processes() -> None:
    """A side process has what its own keys say."""
    found = office(
        "defaults: {kind: clerk, env: {A: 1}, command: x}\n"
        "agents: [{name: a}]\nprocesses: [{name: web, shell: 'make | tee log', env: {B: 2}}]\n"
    )
    web = found.agents[1]
    assert (web.kind, web.role, web.shell, web.command) == (
        PROCESS,
        PROCESS,
        "make | tee log",
        None,
    )
    assert (web.env, web.is_process, web.isolation) == (
        (("B", "2"),),
        True,
        Isolation.OFFICE,
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("name: p", "a process needs `command` or `shell`"),
        ("command: x", "a process needs `name`"),
        (
            "name: p, command: x, prompt: y",
            "prompt: a process has no such key (only agents have it)",
        ),
        (
            "name: p, command: x, worktree: true",
            "worktree: a process has no such key (only agents have it)",
        ),
        ("name: p, command: x, restart: always", "restart: not supported yet"),
        ("name: p, command: x, dir: ../x", "dir: `../x` leads out with `..`"),
    ],
)
def test_processes_that_are_refused(keys: str, message: str) -> None:
    """A process has fewer keys, and says so."""
    found = fault(f"processes: [{{{keys}}}]\n")
    assert (
        found.partition("at processes[1]")[2].removeprefix(" 'p'").lstrip(" >:")
        == message
    )


def test_a_shell_line_takes_arguments() -> None:
    """They are its positional parameters, so that no quoting is needed."""
    one = agent("shell: 'exec run \"$@\"', args: [a b, c]")
    assert (one.shell, one.args) == ('exec run "$@"', ("a b", "c"))


def test_prompts_are_read_from_files() -> None:
    """`file:` is relative to the office file; a byte order mark is not part of it."""
    Path("prompts").mkdir()
    Path("prompts/a.md").write_bytes("\ufeffhé `x`\r\n".encode())
    assert agent("prompt: file:prompts/a.md").prompt == "hé `x`\r\n"
    assert agent(f"prompt: 'file: {Path.cwd()}/prompts/a.md'").prompt == "hé `x`\r\n"


@pytest.mark.parametrize("text", ["''", "'  '", '"\\n"'])
def test_an_empty_prompt_is_none(text: str) -> None:
    """It switches the defaults' prompt off."""
    found = office(
        f"defaults: {{kind: clerk, prompt: x}}\nagents: [{{name: a, prompt: {text}}}]\n"
    )
    assert found.agents[0].prompt is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read `{path}`: no such file or directory"),
        (b"caf\xe9", "`{path}` is not UTF-8"),
        (b"a\0b", "`{path}` holds a NUL character"),
        (b" \n", "`{path}` is empty"),
        (b"x" * 4_000_001, "`{path}` is larger than 4.0MB"),
    ],
    ids=["missing", "latin-1", "nul", "empty", "large"],
)
def test_prompt_files_that_are_refused(content: bytes | None, message: str) -> None:
    """A prompt that cannot be delivered is known before anything starts."""
    if content is not None:
        Path("p.md").write_bytes(content)
    path = Path.cwd() / "p.md"
    assert agent_fault("prompt: file:p.md") == f"prompt: {message.format(path=path)}"
    assert agent_fault("prompt: 'file: '") == "prompt: `file:` names no file"


def test_env_files_must_be_there() -> None:
    """They are looked for when the file is read, and read when the agent starts."""
    Path("a.env").write_text("A=1\n", encoding="utf-8")
    assert agent("env_file: [a.env]").env_file == (Path.cwd() / "a.env",)
    missing = Path.cwd() / "b.env"
    assert agent_fault("env_file: [a.env, b.env]") == (
        f"env_file: cannot read `{missing}`: no such file or directory"
    )


@pytest.mark.parametrize(
    "keys", ["worktree: true, dir: /x", "dir: ~/x", "worktree: {share: b}, dir: /x"]
)
def test_the_folder_of_a_worktree_is_inside_it(keys: str) -> None:
    """An agent with a worktree starts in it, not elsewhere."""
    others = "- {name: b, kind: clerk}\n"
    assert "must be relative to the worktree" in agent_fault(keys, others)


def test_the_folder_of_an_agent_without_worktree_may_be_anywhere() -> None:
    """An absolute path or `~` is right for an agent in the repository itself (C61)."""
    assert agent("worktree: false, dir: /usr").dir == "/usr"
    assert agent("worktree: false, dir: ~/w").dir == str(Path.home() / "w")
    assert agent("worktree: false, dir: sub/.").dir == "sub"
    assert agent("dir: .").dir is None
    assert agent_fault("worktree: false, dir: ~nobody-of-that-name/x") == (
        "dir: `~nobody-of-that-name/x`: there is no such user"
    )


def test_the_line_of_an_agent_is_kept() -> None:
    """Later errors can point at the place in the file."""
    path = write("agents:\n\n- name: a\n  kind: clerk\n")
    assert path.exists()
    assert office("agents:\n\n- name: a\n  kind: clerk\n").agents[0].line == 3
