"""JupyterHub's settings for this course on one machine; docs/hub.md says how to use them.

Each student has an account of the system, and in it a Kafka, a Spark and a progress file.
"""

import os
from pathlib import Path

c = get_config()  # noqa: F821 (JupyterHub puts it here)

PROJECT = Path(__file__).resolve().parents[1]
STUDENT_GB = 4  # the most that a student may use; one notebook takes about 1 after a check
MACHINE_GB = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30

c.Spawner.cmd = [str(PROJECT / ".venv/bin/python"), "-m", "grader.lab.hub_server"]
c.Spawner.environment = {"GRADER_CACHE": os.environ.get("GRADER_CACHE", "/srv/streams")}
c.Spawner.start_timeout = 120

# SystemdSpawner and DockerSpawner enforce these. LocalProcessSpawner only tells them to the server.
c.Spawner.mem_limit = f"{STUDENT_GB}G"
c.SystemdSpawner.mem_limit = f"{STUDENT_GB}G"

# The hub refuses a server if the machine has no memory for it. This holds with every spawner.
c.JupyterHub.active_server_limit = max(1, int(MACHINE_GB // STUDENT_GB))
