"""The files and variables of a sandbox: what its processes see, and where they may write.

They see, read-only, the folder that was handed in and what a check needs: system libraries, Python, Java,
jars, start-up caches, the grader, and datasets/. They can write to memory.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.bubblewrap import OWN_PROC
from grader.runtime.course_files import dataset_folder
from grader.runtime.jars import pyspark_jars
from grader.runtime.java import find_java
from grader.runtime.paths import PACKAGE, cache_dir
from grader.sandbox.resource_limits import Limits

# where things are inside
CHECK = Path("/run/check")  # the job, and what the runner says
HANDED_IN = Path("/run/submission")
WORK = Path("/tmp/notebook")  # a copy of it, for cells to run and write in
FOLDERS = ("/tmp/home", "/tmp/state", str(WORK))
COPIED_MB = 100  # a larger folder is not copied: cells run where it is, and can only read there

# in every kind of sandbox
VARIABLES = {
    "HOME": "/tmp/home",
    "USER": "learner",
    "TMPDIR": "/tmp",
    "IPYTHONDIR": "/tmp/home/ipython",
    "MPLCONFIGDIR": "/tmp/home/matplotlib",
    "MPLBACKEND": "agg",
    "SPARK_LOCAL_IP": "127.0.0.1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "GRADER_STATE": "/tmp/state",
}

ETC = Path(__file__).with_name("etc")  # users and hosts of a sandbox
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
SYSTEM_ETC = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives")
CACHES = ("jars", "archives", "npm")  # of the grader's; others hold answers to hidden events


def work_folder(handed_in: Path) -> Path:
    """Where cells run: in a copy of what was handed in, or, if it is large, where it is.

    Raises SetupError for a folder that holds your own files.
    """
    if _within(str(Path.home().resolve()), str(handed_in.resolve())):
        raise SetupError(
            f"{handed_in} holds your own files, and code that runs there could read them. "
            "Put the notebook in a folder of its own."
        )
    return WORK if _megabytes(handed_in) <= COPIED_MB else HANDED_IN


def mounts(limits: Limits) -> list[str]:
    """The words that make the files of a bubblewrap sandbox, in the order in which bwrap mounts them."""
    words = [*OWN_PROC, "--dev", "/dev", "--remount-ro", "/dev"]
    words += ["--perms", "1777", "--size", str(limits.shm_mb << 20), "--tmpfs", "/dev/shm"]
    words += ["--perms", "1777", "--size", str(limits.tmp_mb << 20), "--tmpfs", "/tmp"]
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), name]
        elif path.is_dir():
            words += ["--ro-bind", name, name]
    for path in sorted(ETC.iterdir()):
        words += ["--ro-bind", str(path), f"/etc/{path.name}"]
    for name in (*SYSTEM_ETC, *sorted(map(str, Path("/etc").glob("java*")))):
        words += ["--ro-bind-try", name, name]
    for shown, source in _shown().items():
        words += ["--ro-bind", source, shown]
    return words


def environment() -> dict[str, str]:
    """The variables of a bubblewrap sandbox: none of the machine's, because those may hold anything."""
    kept = {name: os.environ[name] for name in ("GRADER_JAVA",) if os.environ.get(name)}
    return {
        **kept,
        **VARIABLES,
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": os.pathsep.join(dict.fromkeys([str(PACKAGE.parent), *_packages()])),
        "LANG": "C.UTF-8",
        "GRADER_CACHE": str(cache_dir()),
        "GRADER_DATASETS": str(dataset_folder()),
    }


def _shown() -> dict[str, str]:
    """What a check needs besides the system: its path inside, which is the machine's, and its source."""
    needed = [Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parents[1]]
    needed += [Path(path) for path in _packages()]
    needed += [PACKAGE, find_java().home, Path(pyspark_jars()[0]).parent]
    needed += [*(cache_dir() / name for name in CACHES), dataset_folder()]
    shown: dict[str, str] = {}
    for path in sorted({path.absolute() for path in needed if path.is_dir()}):
        for name in dict.fromkeys((str(path), str(path.resolve()))):
            if any(_within(name, other) for other in (*SYSTEM, *shown)):
                continue
            if _within(str(Path.home().resolve()), name) or (Path(name) / "solutions").is_dir():
                raise SetupError(
                    f"A check needs {name}, and your own files lie in there, so that no sandbox can hide "
                    "them. Install the course in a virtual environment: make setup."
                )
            shown[name] = str(path.resolve())
    return shown


def _packages() -> list[str]:
    """Folders of installed packages, wherever Python found them."""
    kinds = ("site-packages", "dist-packages")
    return [path for path in sys.path if Path(path).name in kinds and Path(path).is_dir()]


def _megabytes(folder: Path) -> float:
    sizes = [path.lstat().st_size for path in folder.rglob("*") if not path.is_symlink()]
    return sum(sizes) / (1 << 20)


def _within(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)
