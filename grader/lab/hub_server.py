"""A student's server on a JupyterHub: the course in the student's home folder, and JupyterLab on it.

The hub starts it as the student, with the Python of the project's folder: `python -m grader.lab.hub_server`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from grader.errors import SetupError
from grader.lab.course_folder import lay_out
from grader.lab.local_lab import OUR_DEFAULTS
from grader.lab.welcome_page import keep_welcome_page
from grader.runtime.course_files import COURSE, packaged_course
from grader.runtime.paths import APP, PACKAGE, own_commands_first

IDLE_SECONDS = 3600  # a notebook that is open in no browser gives Kafka and Spark back


def main() -> None:
    """Bring the student's course up to date, then serve until the hub stops this process."""
    packaged = packaged_course()
    try:
        done = lay_out(Path.home() / APP, packaged.parent if packaged else PACKAGE.parent)
    except SetupError as error:
        sys.exit(str(error))
    print(done.text(), file=sys.stderr)
    own_commands_first()
    course = done.folder / COURSE
    os.environ |= {
        "JUPYTERHUB_ROOT_DIR": str(course),
        "JUPYTERHUB_DEFAULT_URL": keep_welcome_page(course),
        "JUPYTER_CONFIG_PATH": os.pathsep.join(
            filter(None, [str(OUR_DEFAULTS), os.environ.get("JUPYTER_CONFIG_PATH")])
        ),
    }
    from jupyterhub.singleuser import main as serve

    serve(
        [
            f"--MappingKernelManager.cull_idle_timeout={IDLE_SECONDS}",
            "--KernelManager.transport_encryption=auto",  # others on this machine could listen
            *sys.argv[1:],
        ]
    )


if __name__ == "__main__":
    main()
