"""Where files live on this machine."""

import os
import sys
from pathlib import Path

import platformdirs

APP = "stateful-streams"
PACKAGE = Path(__file__).absolute().parents[1]  # the folder grader/


def cache_dir() -> Path:
    """The folder of things that can be made again (jars, archives); GRADER_CACHE overrides it."""
    return _folder("GRADER_CACHE", platformdirs.user_cache_dir(APP, appauthor=False))


def state_dir() -> Path:
    """The folder of things to keep (progress, logs, the running broker); GRADER_STATE overrides."""
    return _folder("GRADER_STATE", platformdirs.user_state_dir(APP, appauthor=False))


def log_dir() -> Path:
    """The folder of log files, inside `state_dir`."""
    path = state_dir() / "logs"
    path.mkdir(parents=True, exist_ok=True)
    return path


def datasets_dir() -> Path:
    """The folder of the events that lessons name; GRADER_DATASETS overrides it."""
    return Path(os.environ.get("GRADER_DATASETS") or PACKAGE.parent / "datasets").absolute()


def _folder(variable: str, default: str) -> Path:
    path = Path(os.environ.get(variable) or default).expanduser().absolute()
    path.mkdir(parents=True, exist_ok=True)
    return path


def own_commands_first() -> None:
    """Let child processes find the commands installed next to this Python, activated or not."""
    own = str(Path(sys.executable).parent)
    paths = os.environ.get("PATH", "").split(os.pathsep)
    if paths[:1] != [own]:
        os.environ["PATH"] = os.pathsep.join([own, *paths])
