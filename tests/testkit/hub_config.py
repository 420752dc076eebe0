"""The hub of a test: the course's settings, passwords of the system, servers as the students' own processes."""

import os
from pathlib import Path

c = get_config()  # noqa: F821 (JupyterHub puts it here)
load_subconfig(os.environ["TEST_HUB_SETTINGS"])  # noqa: F821

HOME = Path(os.environ["TEST_HUB_HOME"])
FOR_ALL, HUB, API = (f"http://127.0.0.1:{port}" for port in os.environ["TEST_HUB_PORTS"].split())

c.JupyterHub.authenticator_class = "pam"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.JupyterHub.active_server_limit = 2

c.JupyterHub.bind_url = FOR_ALL
c.JupyterHub.hub_bind_url = HUB
c.ConfigurableHTTPProxy.api_url = API
c.ConfigurableHTTPProxy.command = os.environ["TEST_HUB_PROXY"].split(os.pathsep)
c.JupyterHub.db_url = f"sqlite:///{HOME}/hub.sqlite"
c.JupyterHub.cookie_secret_file = str(HOME / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(HOME / "proxy.pid")
