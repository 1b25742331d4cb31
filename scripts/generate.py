"""Write what is made from the program itself; `--check` only says what is stale.

Made are the completion scripts, `docs/reference.md` from every command's `--help`, the schema,
and the blocks of README.md between `<!-- made: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from mdtmux.cli.completion import FILES, SCRIPTS
from mdtmux.cli.main import HIDDEN, VERBS, cli
from mdtmux.office.jsonschema import schema
from mdtmux.office.reference import reference as office_reference

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 80
_BLOCK = re.compile(r"(<!-- made: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Give every command that users see, groups before their members."""
    yield "mdtmux", cli
    for verb in VERBS:
        if verb in HIDDEN:
            continue
        command = cli.get_command(click.Context(cli), verb)
        assert command is not None
        yield f"mdtmux {verb}", command
        if isinstance(command, click.Group):
            for name, member in command.commands.items():
                yield f"mdtmux {verb} {name}", member


def help_of(path: str, command: click.Command) -> str:
    """Return the text of `PATH --help` on a terminal of 80 columns."""
    context: click.Context | None = None
    *above, name = path.split()
    for word in above:
        context = click.Context(cli, context, word)
    with click.Context(
        command,
        context,
        name,
        terminal_width=WIDTH - 2,
        help_option_names=["-h", "--help"],
    ) as ctx:
        return command.get_help(ctx).rstrip()


def reference() -> str:
    """Return the reference of the command line."""
    parts = [
        "# Reference of the command line",
        "Made by `make docs` from every command's `--help`; do not edit.",
    ]
    for path, command in commands():
        parts.append(f"## {path}\n\n```text\n{help_of(path, command)}\n```")
    return "\n\n".join(parts) + "\n"


def verbs_table() -> str:
    """Return the table of verbs for the README."""
    rows = ["| verb | what it does |", "|--|--|"]
    for name, (_, line) in VERBS.items():
        if name not in HIDDEN:
            rows.append(f"| `{name}` | {line} |")
    return "\n".join(rows) + "\n"


BLOCKS: Mapping[str, str] = {"office-file": office_reference(), "verbs": verbs_table()}


def readme(text: str) -> str:
    """Return the README with its made blocks made anew."""
    return _BLOCK.sub(lambda m: m.group(1) + BLOCKS[m.group(2)] + m.group(3), text)


def made() -> dict[Path, str]:
    """Return every file that is made, with its text."""
    page = ROOT / "README.md"
    scripts = {ROOT / "completions" / FILES[s]: text for s, text in SCRIPTS.items()}
    return {
        **scripts,
        ROOT / "docs/reference.md": reference(),
        ROOT / "layouts/office.schema.json": json.dumps(schema(), indent=2) + "\n",
        page: readme(page.read_text(encoding="utf-8")),
    }


def main() -> int:
    """Write the files, or with `--check` name those that differ."""
    stale = 0
    for path, text in made().items():
        old = path.read_text(encoding="utf-8") if path.exists() else None
        if old == text:
            continue
        stale += 1
        if "--check" in sys.argv:
            print(f"stale: {path.relative_to(ROOT)} (run `make docs`)")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
