"""The command line's root: global options, verbs loaded when called, errors told."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import FrameType

import click
from click.shell_completion import CompletionItem

from mdtmux import __version__
from mdtmux.cli import output
from mdtmux.cli.completing import complete_office
from mdtmux.errors import MdtmuxError, UsageError

# Verb -> the module that has `command`, and the line that `--help` shows: no verb's
# module is loaded unless it is called.
VERBS: Mapping[str, tuple[str, str]] = {
    "init": ("init", "Write an office file from a template."),
    "up": ("up", "Bring the office to what its file says."),
    "plan": ("plan", "Show what `up` would do, and the drift."),
    "down": ("down", "Stop the agents and everything they started."),
    "ps": ("ps", "Show one row per agent."),
    "status": ("ps", "Show one row per agent (same as ps)."),
    "why": ("why", "Tell how the state of an agent is known, and what holds it."),
    "attach": ("attach", "Open tmux on the office."),
    "send": ("send", "Type text into an agent and prove that it was taken."),
    "broadcast": ("broadcast", "Send to many agents, one receipt each."),
    "mail": ("mail", "Send, list, read and acknowledge messages."),
    "capture": ("capture", "Print the screen of an agent."),
    "logs": ("logs", "Print the recorded output of an agent."),
    "wait": ("wait", "Wait until agents are idle, waiting or exited."),
    "start": ("start", "Start agents; one that runs is kept."),
    "stop": ("stop", "Stop agents, keep their panes and their work."),
    "restart": ("restart", "Stop and start agents with a fresh environment."),
    "spawn": ("spawn", "Add an agent that the file does not name."),
    "rm": ("rm", "Stop an agent and remove its worktree when that loses nothing."),
    "diff": ("diff", "Show the work of an agent against its base."),
    "merge": ("merge", "Merge the work of an agent."),
    "discard": ("discard", "Throw the work of an agent away; `undo` brings it back."),
    "path": ("path", "Print the folder in which an agent works."),
    "undo": ("undo", "Bring back what a removal or discard took."),
    "config": ("config", "Check and show the office file and its schema."),
    "doctor": ("doctor", "Name what is missing and the command that installs it."),
    "completion": ("completion", "Print the completion script of a shell."),
    "shell-init": ("shell_init", "Print aliases and functions for a shell."),
    "tmux-init": ("tmux_init", "Print tmux key bindings."),
    "clerk": ("clerk", "Run the embedded agent."),
    "pump": ("pump", "Deliver what is queued for an agent (started by send and up)."),
    "postman": ("postman", "Tell agents of new mail (started by mail and up)."),
}
HIDDEN = frozenset(["status", "pump", "postman"])


class Verbs(click.Group):
    """The group of verbs; loads a verb's module only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs that help and completion show."""
        return [name for name in VERBS if name not in HIDDEN]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one verb."""
        if cmd_name not in VERBS:
            return None
        module = import_module(f"mdtmux.cli.{VERBS[cmd_name][0]}")
        command = module.command
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; an unknown one is an error that suggests the nearest."""
        name = args[0] if args else ""
        known = name in VERBS or name.startswith("-") or ctx.resilient_parsing
        if name and not known:
            from mdtmux.names import nearest

            near = nearest(name, self.list_commands(ctx), cutoff=0.7)
            hint = f"; did you mean `{near}`?" if near else ""
            message = f"no such command `{name}`{hint}"
            raise click.UsageError(message, ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the verb; an error about its usage knows whose usage is meant."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            name = ctx.invoked_subcommand or ""
            command = self.get_command(ctx, name)
            if error.ctx is None and command is not None:
                error.ctx = click.Context(command, ctx, name)
            raise

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Complete verbs and global options without loading a verb."""
        verbs = [
            CompletionItem(name, help=VERBS[name][1])
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return verbs + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list of verbs without loading them."""
        rows = [(name, VERBS[name][1]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.command(
    cls=Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "-f", "--file", type=click.Path(), metavar="FILE", help="The office file."
)
@click.option(
    "-o",
    "--office",
    metavar="NAME",
    shell_complete=complete_office,
    help="An office, by its name.",
)
@click.option("-v", "--verbose", is_flag=True, help="Tell every step on stderr.")
@click.version_option(__version__, prog_name="mdtmux")
@click.pass_context
def cli(
    ctx: click.Context, file: str | None, office: str | None, verbose: bool
) -> None:
    """Run an office of AI coding agents in tmux, each in its own git worktree."""
    if file is not None and office is not None:
        message = "-f and -o both say which office is meant"
        raise UsageError(message, hint="give one of them")
    ctx.obj = {"file": file, "office": office, "verbose": verbose}
    if ctx.invoked_subcommand is None:
        output.echo(ctx.get_help())


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit with the codes that the manual lists."""
    signal.signal(signal.SIGTERM, _terminated)
    deadly = signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    try:
        sys.exit(_run(sys.argv[1:] if args is None else args))
    finally:
        if deadly:
            # Nobody is left to tell of ^C: `__main__` has begun like this.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Everything dies with the process; a last collection costs a tenth of `--help`.
        gc.freeze()


def _terminated(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _run(args: list[str]) -> int:
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return _call(args)
    except MdtmuxError as error:
        output.error(error.message, error.hint)
        return _debug(error.exit_code)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.UsageError as error:
        output.error(_lower(error.format_message()), _remedy(error))
        return 2
    except click.ClickException as error:
        output.error(_lower(error.format_message()))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        output.note("interrupted")
        return 130
    except BrokenPipeError:
        # The reader of our output has gone: nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:  # the last handler: any bug ends here
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            # ^C in the middle of an import comes wrapped into another error.
            output.note("interrupted")
            return 130
        return _crash(error)


def _remedy(error: click.UsageError) -> str:
    """Return the hint: the help of what was typed, or where a global option stands."""
    where = error.ctx.command_path if error.ctx else "mdtmux"
    if isinstance(error, click.NoSuchOption):
        name = error.option_name
        for option in cli.params:
            if isinstance(option, click.Option) and name in option.opts:
                value = "" if option.is_flag else f" {option.metavar}"
                verb = where.removeprefix("mdtmux ")
                return f"`{name}` stands before the verb: `mdtmux {name}{value} {verb}`"
    return f"try `{where} --help`"


def _call(args: list[str]) -> int:
    """Run the command line; not by `cli.main`, which turns a closed pipe into a 1."""
    if "_MDTMUX_COMPLETE" in os.environ:
        from mdtmux.cli.tab import complete

        return complete(cli)
    sockets = os.environ.get("TMUX_TMPDIR")
    if sockets and not sockets.startswith("/"):
        # What is started from here works in other folders, where a relative path
        # would name another tmux server.
        os.environ["TMUX_TMPDIR"] = str(Path(sockets).absolute())
    width = output.help_width()
    with cli.make_context("mdtmux", list(args), terminal_width=width) as ctx:
        cli.invoke(ctx)
    return 0


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")


def _debug(code: int) -> int:
    if os.environ.get("MDTMUX_DEBUG") == "1":
        import traceback

        output.note(traceback.format_exc())
    return code


def _crash(error: Exception) -> int:
    if "_MDTMUX_COMPLETE" in os.environ:
        return 1  # a Tab that finds nothing; a message would land in the prompt
    from mdtmux.cli.crash import write_crash_log

    place = write_crash_log(error)
    output.error(
        f"a bug in mdtmux: {type(error).__name__}: {error}",
        f"the details are in {place}",
    )
    return _debug(3)
