"""Settings of a session whose executors run on other machines or in other containers."""

import os
import re
from pathlib import Path

from grader.runtime.errors import SetupError


def shared_folder() -> Path | None:
    """The folder that driver and workers see under one path (GRADER_CHECKPOINTS), if one is named."""
    given = os.environ.get("GRADER_CHECKPOINTS")
    if not given:
        return None
    folder = Path(given)
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise SetupError(
            f"GRADER_CHECKPOINTS={given} is not a folder that can be written. Mount one there that "
            "the driver and all workers see under this path, or unset it for Spark on this machine."
        )
    return folder


def given_settings() -> dict[str, str]:
    """The settings of the file that GRADER_SPARK_CONF names, written as in spark-defaults.conf."""
    given = os.environ.get("GRADER_SPARK_CONF")
    if not given:
        return {}
    try:
        lines = Path(given).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SetupError(
            f"GRADER_SPARK_CONF={given} cannot be read ({error.strerror}). Correct the path or "
            "unset it."
        ) from error
    words = (re.split(r"[=\s]+", line.strip(), maxsplit=1) for line in lines)
    return {word[0]: word[1] for word in words if len(word) == 2 and not word[0].startswith("#")}
