"""A local schema registry: Apicurio Registry for as long as a block, and a client of it.

The client uses the registry's interface for Confluent's clients. `url` is for other clients of it.
"""

from __future__ import annotations

import json
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import requests

from grader.connectors.change_data.maven_downloads import MavenFile, maven_files
from grader.connectors.change_data.server_folder import server_folder
from grader.connectors.server_process import Guarded, guarded
from grader.errors import SetupError
from grader.runtime.java import Java, find_java, java_environment
from grader.runtime.log_tail import log_tail
from grader.runtime.ports import own_ports

APICURIO = MavenFile(
    "io.apicurio",
    "apicurio-registry-app",
    "3.3.3",
    "8bc6751c76d963734224b01d5e7f84ccb3cb61c87d3bd77c36c35f10a5cbed63",
    "-all.tar.gz",
)
MEGABYTES = 159
JAVA = 21  # or newer
START_SECONDS = 120
CONFLICT = 409


class RejectedSchema(ValueError):
    """A schema that the registry does not take; the message is the registry's own."""


class SchemaRegistry:
    """A client of the registry at `url`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._session = requests.Session()
        self._session.trust_env = False  # a proxy is for servers outside

    def set_compatibility(self, level: str) -> None:
        """Let the registry compare each new schema of a subject by this level, such as "BACKWARD"."""
        self._ask("PUT", "/config", {"compatibility": level})

    def register(self, subject: str, schema: dict[str, Any]) -> int:
        """Register an Avro schema as the newest version of a subject; its id.

        Raises RejectedSchema if the subject's compatibility level does not allow it.
        """
        text = {"schema": json.dumps(schema), "schemaType": "AVRO"}
        return int(self._ask("POST", f"/subjects/{subject}/versions", text)["id"])

    def schema(self, number: int) -> dict[str, Any]:
        """The schema with this id."""
        found: dict[str, Any] = json.loads(self._ask("GET", f"/schemas/ids/{number}")["schema"])
        return found

    def _ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        answer = self._session.request(method, self.url + path, json=body, timeout=START_SECONDS)
        said: dict[str, Any] = answer.json()
        if answer.status_code == CONFLICT:
            raise RejectedSchema(said["message"])
        answer.raise_for_status()
        return said


@contextmanager
def schema_registry(*, say: Callable[[str], None] = print) -> Iterator[SchemaRegistry]:
    """Start Apicurio Registry, without schemas, on a free port of the loopback; it answers when the block begins.

    It ends with the block, or with this process, and its schemas with it. Its first start downloads it
    (159 MB). Raises SetupError with the fix.
    """
    java = _new_enough(find_java())
    (archive,) = maven_files([APICURIO], "Apicurio Registry", MEGABYTES, say=say)
    port, management_port = own_ports(2)
    environment = {
        **java_environment(),
        "QUARKUS_HTTP_HOST": "127.0.0.1",
        "QUARKUS_HTTP_PORT": str(port),
        "QUARKUS_MANAGEMENT_HOST": "127.0.0.1",
        "QUARKUS_MANAGEMENT_PORT": str(management_port),
    }
    with server_folder("registry") as data:
        with tarfile.open(archive) as packed:
            packed.extractall(data, filter="data")
        # its temporary files are in the folder
        flags = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData", f"-Djava.io.tmpdir={data}"]
        command = [str(java.program), *flags, "-jar", str(data / "quarkus-run.jar")]
        with guarded(command, environment, data) as server:
            client = SchemaRegistry(f"http://127.0.0.1:{port}/apis/ccompat/v7")
            _wait_until_ready(client, server)
            yield client


def _new_enough(java: Java) -> Java:
    if java.major < JAVA:
        raise SetupError(
            f"Apicurio Registry needs Java {JAVA} or newer, and GRADER_JAVA names Java {java.version}. "
            "Fix: unset GRADER_JAVA, so that the lab runs on its own Java 25, and restart the lab."
        )
    return java


def _wait_until_ready(client: SchemaRegistry, server: Guarded) -> None:
    """Ask until the registry answers, and set the level BACKWARD."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.ended():
            raise SetupError(f"Apicurio Registry did not start. Its log:\n{log_tail(server.log)}")
        try:
            client.set_compatibility("BACKWARD")
            return
        except (requests.RequestException, ValueError):
            time.sleep(0.1)
    raise SetupError(
        f"Apicurio Registry did not answer within {START_SECONDS} s. Is the machine very busy? Its "
        f"log:\n{log_tail(server.log)}"
    )
