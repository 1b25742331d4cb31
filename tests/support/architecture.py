"""Read the package's source and say where it breaks a rule of the house.

Each rule takes the parsed tree and returns one line per offence, so that a test can
show all of them at once and a made-up tree can show that the rule bites.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

# A module imports from lower floors or from its own folder. `cli` and `client` are
# faces: nobody imports them.
FLOORS: Mapping[str, int] = {
    "errors": 0, "names": 0, "units": 0, "system": 0,
    "office": 1,
    "agents": 2,
    "delivery": 3, "mail": 3, "record": 3, "worktrees": 3,
    "running": 4,
    "cli": 5, "client": 5,
    "__main__": 6,
}  # fmt: skip
GROUND = {"errors", "names", "units"}
# Who may import what from outside; anything else outside the standard library may
# not be imported at all.
DOORS: Mapping[str, tuple[str, ...]] = {
    "libtmux": ("mdtmux.system.tmux",),
    "git": ("mdtmux.system.git",),
    "psutil": ("mdtmux.system.processes",),
    "filelock": ("mdtmux.system.locks",),
    "yaml": ("mdtmux.office.file",),
    "subprocess": ("mdtmux.system",),
    "click": ("mdtmux.cli",),
}
MODULE_LINES = 350
FUNCTION_LINES = 40
PARAMETERS = 5

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One source file: its dotted name, text and syntax tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def folder(self) -> str:
        """The part of the package that it belongs to, as the floors name it."""
        _, _, rest = self.name.partition(".")
        return rest.partition(".")[0]


Modules = Mapping[str, Module]
Rule = Callable[[Modules], list[str]]


def load(package: Path) -> Modules:
    """Parse every source file under the package's folder."""
    modules = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        modules[name] = Module(name, path, text, ast.parse(text))
    return modules


def _imports(module: Module) -> Iterator[tuple[str, int]]:
    """Give every dotted name that is imported anywhere, lazily too, with its line."""
    package = module.name
    if module.path.name != "__init__.py":
        package = package.rpartition(".")[0]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*up, base] if base else up)
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)


def _inside(modules: Modules, name: str) -> str | None:
    """Return the module of the tree that a dotted name comes from."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def _functions(module: Module) -> Iterator[tuple[Function, bool]]:
    """Give every function and whether it is a method."""
    for node in ast.walk(module.tree):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                yield child, isinstance(node, ast.ClassDef)


def _comments(module: Module) -> Iterator[tuple[str, int]]:
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string, token.start[0]


def floors(modules: Modules) -> list[str]:
    """Imports go down, or stay in their folder."""
    found = []
    for module in modules.values():
        if not module.folder:
            continue
        if module.folder not in FLOORS:
            found.append(f"{module.name} stands on no floor")
            continue
        for name, line in _imports(module):
            target = modules.get(_inside(modules, name) or "")
            if target is None or not target.folder or target.folder == module.folder:
                continue
            below = FLOORS.get(target.folder, 9) < FLOORS[module.folder]
            if not below and target.folder not in GROUND:
                found.append(f"{module.name}:{line} imports {target.name}")
    return found


def doors(modules: Modules) -> list[str]:
    """Each outside package is imported by the module that is its door only."""
    found = []
    root = next(iter(modules)).split(".")[0]
    for module in modules.values():
        for name, line in _imports(module):
            top = name.split(".")[0]
            owners = DOORS.get(top)
            if owners is None:
                if top != root and top not in sys.stdlib_module_names:
                    found.append(f"{module.name}:{line} imports unknown {top}")
            elif not f"{module.name}.".startswith(tuple(f"{o}." for o in owners)):
                found.append(f"{module.name}:{line} imports {top}")
    return found


def cycles(modules: Modules) -> list[str]:
    """No module reaches itself by imports, those inside functions included."""
    graph: dict[str, set[str]] = {}
    for module in modules.values():
        reached = {_inside(modules, name) for name, _ in _imports(module)}
        graph[module.name] = {name for name in reached if name} - {module.name}
    return [
        f"{name} imports itself by way of {via}"
        for name in graph
        for via in sorted(graph[name])
        if name in _reachable(graph, via)
    ]


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = [start]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(graph[name])
    return seen


def escapes(modules: Modules) -> list[str]:
    """Nothing is hidden from the checkers, and no value goes untyped."""
    found = []
    for module in modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name | ast.Attribute):
                name = node.id if isinstance(node, ast.Name) else node.attr
                if name == "TYPE_CHECKING":
                    found.append(f"{module.name}:{node.lineno} uses {name}")
        for name, line in _imports(module):
            if name == "typing.Any" and module.folder != "office":
                found.append(f"{module.name}:{line} imports Any")
        for comment, line in _comments(module):
            if "type: ignore" in comment or "noqa" in comment:
                found.append(f"{module.name}:{line} silences a checker")
    return found


def printing(modules: Modules) -> list[str]:
    """Only the output module writes to the terminal, and it does so through click."""
    return [
        f"{module.name}:{node.lineno} calls print"
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]


def _length(function: Function) -> int:
    """Count lines from `def` to the end, the docstring left out."""
    end = function.end_lineno or function.lineno
    lines = end - function.lineno + 1
    if ast.get_docstring(function) is not None:
        doc = function.body[0]
        lines -= (doc.end_lineno or doc.lineno) - doc.lineno + 1
    return lines


def _is_command(function: Function) -> bool:
    words = {"click", "command", "option", "argument", "group"}
    nodes = [n for decorator in function.decorator_list for n in ast.walk(decorator)]
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    return bool(
        words & (names | {n.attr for n in nodes if isinstance(n, ast.Attribute)})
    )


def budgets(modules: Modules) -> list[str]:
    """Modules, functions and parameter lists stay small enough to be read at once."""
    found = []
    for module in modules.values():
        if (count := len(module.text.splitlines())) > MODULE_LINES:
            found.append(f"{module.name} has {count} lines")
        for function, is_method in _functions(module):
            where = f"{module.name}:{function.lineno} {function.name}"
            if (count := _length(function)) > FUNCTION_LINES:
                found.append(f"{where} has {count} lines")
            given = function.args
            names = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            static = any("staticmethod" in ast.dump(d) for d in function.decorator_list)
            count = len(names) - (is_method and not static)
            if count > PARAMETERS and not _is_command(function):
                found.append(f"{where} has {count} parameters")
    return found


def docstrings(modules: Modules) -> list[str]:
    """Every module, public class and public function says what may be relied on."""
    found = []
    for module in modules.values():
        if module.text.strip() and ast.get_docstring(module.tree) is None:
            found.append(f"{module.name} has no docstring")
        found += [
            f"{module.name}:{node.lineno} {node.name} has no docstring"
            for node in _public(module.tree)
            if ast.get_docstring(node) is None
        ]
    return found


def _public(scope: ast.Module | ast.ClassDef) -> Iterator[Function | ast.ClassDef]:
    for node in scope.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from _public(node)


def sleeping(modules: Modules) -> list[str]:
    """Tests wait for what can be observed; nothing but `support.wait` sleeps."""
    return [
        f"{module.name}:{node.lineno} sleeps"
        for module in modules.values()
        if not module.name.startswith("tests.support.")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in {"sleep", "time.sleep", "asyncio.sleep"}
    ]


def plain_tests(modules: Modules) -> list[str]:
    """Tests are plain functions, each with a docstring."""
    found = []
    for module in modules.values():
        for node in module.tree.body:
            where = f"{module.name}:{node.lineno}"
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                found.append(f"{where} is a test class")
            elif not isinstance(node, Function) or not node.name.startswith("test_"):
                continue
            elif ast.get_docstring(node) is None:
                found.append(f"{where} has no docstring")
    return found


RULES: tuple[Rule, ...] = (
    floors, doors, cycles, escapes, printing, budgets, docstrings,
)  # fmt: skip
TEST_RULES: tuple[Rule, ...] = (sleeping, plain_tests)
