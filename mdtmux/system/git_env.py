"""The environment for git, and which variables no agent may get from us."""

from __future__ import annotations

import os
from collections.abc import Mapping

# `git rev-parse --local-env-vars` of git 2.39, and what else turns an answer around:
# quarantined objects of a receiving hook, another namespace, other pathspec rules.
_LOCAL = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_OBJECT_DIRECTORY",
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_GRAFT_FILE",
        "GIT_INDEX_FILE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_REPLACE_REF_BASE",
        "GIT_PREFIX",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_QUARANTINE_PATH",
        "GIT_REFLOG_ACTION",
        "GIT_ATTR_SOURCE",
        "GIT_INDEX_VERSION",
        "GIT_LITERAL_PATHSPECS",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_EXTERNAL_DIFF",
        "GIT_DIFF_OPTS",
    }
)
_LOCAL_PREFIXES = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_TRACE")


def is_local_variable(name: str) -> bool:
    """Tell whether a variable binds git to one repository: agents must not get it.

    Git aliases (`!mdtmux up`) and hooks export such variables to what they start.
    """
    return name in _LOCAL or name.startswith(_LOCAL_PREFIXES)


def environment(base: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for git: the given or own one, made safe.

    Messages are English, but the character set stays the user's, for hooks.
    """
    source = os.environ if base is None else base
    env = {key: value for key, value in source.items() if not is_local_variable(key)}
    everything = env.pop("LC_ALL", "")
    if everything:
        env["LC_CTYPE"] = everything
    env.update(
        LC_MESSAGES="C",
        LANGUAGE="C",
        GIT_TERMINAL_PROMPT="0",
        GIT_OPTIONAL_LOCKS="0",
        GIT_EDITOR=":",
        GIT_SEQUENCE_EDITOR=":",
        GIT_MERGE_AUTOEDIT="no",
        GIT_PAGER="cat",
    )
    return env
