"""Tries settings for a Kafka client: at a real broker with TLS, and at servers that are not the broker."""

from __future__ import annotations

import atexit
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError

from grader.connectors.certificates import LOOPBACK, make_authority
from grader.connectors.impostor_server import Impostor
from grader.connectors.tls_broker import TlsBroker, tls_broker
from grader.runtime.scratch_folders import make_scratch
from grader.runtime.spark_internals.java_gateway import java
from grader.runtime.spark_session import spark_session

LONG_MS = 60_000  # a client that may get in has time
SHORT_MS = 2_000  # one in plain text never gets in, however long it tries
LOOK_SECONDS = 0.05


def at_a_server(
    secured: Callable[[str, str, str | None], dict[str, Any]],
    server: str,
    host: str = "127.0.0.1",
    own: bool = False,
) -> str:
    """Say what happens to a client with the options that `secured(servers, authority, own)` returns.

    The client is the one inside Spark's Kafka source. As Spark does, the trial gives it the options that
    begin with `kafka.`, without this prefix. With `own`, `secured` gets the path of a client's certificate.
    Raises TypeError if `secured` returns no options. The server is one of these:

    - `ours`: a broker with TLS
    - `mutual`: a broker that also requires a certificate from its clients
    - `impostor`: a server with a certificate of a different authority
    - `other name`: a server with a certificate of ours, for a different host
    """
    lab = _lab()
    given = (str(lab.broker.authority), str(lab.broker.client) if own else None)
    if server in ("ours", "mutual"):
        address = lab.broker.bootstrap_servers if server == "ours" else lab.broker.mutual_servers
        return _try(secured, _at(host, address.rpartition(":")[2]), given, None)
    with Impostor(lab.impostors[server]) as impostor:
        return _try(secured, _at(host, impostor.port), given, impostor)


def _try(
    secured: Callable[..., Any],
    address: str,
    given: tuple[str, str | None],
    impostor: Impostor | None,
) -> str:
    settings = _for_kafka(_options(secured, address, *given))
    asked = settings.get("bootstrap.servers", address)
    if asked != address:
        return f"asks {asked}, and not the server that it was given"
    return _attempt(settings, impostor)


def _options(secured: Callable[..., Any], *given: str | None) -> Mapping[str, Any]:
    options = secured(*given)
    if not isinstance(options, Mapping):
        name = getattr(secured, "__name__", "the function")
        raise TypeError(f"{name} returned {options!r}: give the options as a dict")
    return options


def _at(host: str, port: int | str) -> str:
    return f"{host}:{port}"


def _attempt(settings: Mapping[str, str], impostor: Impostor | None) -> str:
    """Ask which cluster it is, with Kafka's own client in Spark's JVM."""
    jvm = java(spark_session())
    properties = jvm.java.util.Properties()
    for name, value in settings.items():
        properties.setProperty(name, value)
    encrypted = "SSL" in str(properties.getProperty("security.protocol", "")).upper()
    limit = str(LONG_MS if encrypted else SHORT_MS)
    for name in ("default.api.timeout.ms", "request.timeout.ms"):
        properties.setProperty(name, limit)
    try:
        client = jvm.org.apache.kafka.clients.admin.Admin.create(properties)
    except Py4JJavaError as error:
        return f"no client: {': '.join(_causes(error)[-1])}"
    try:
        cluster = client.describeCluster().clusterId()
        while impostor is not None and not cluster.isDone():
            if impostor.contacted.wait(LOOK_SECONDS):
                return f"speaks to it{' in plain text' if impostor.in_plain_text else ''}"
        cluster.get()
        return "gets in"
    except Py4JJavaError as error:
        return _outcome(_causes(error))
    finally:
        with suppress(Py4JError):
            client.close(jvm.java.time.Duration.ZERO)


def _for_kafka(options: Mapping[str, Any]) -> dict[str, str]:
    """What Spark passes to Kafka's client; names in any case, as Spark takes them."""
    return {
        str(name).lower().removeprefix("kafka."): str(value)
        for name, value in options.items()
        if str(name).lower().startswith("kafka.") and value is not None
    }


def _causes(error: Py4JJavaError) -> list[tuple[str, str]]:
    """Class and message of an exception and its causes, the innermost last; paths are reduced to a name."""
    found, inner = [], error.java_exception
    while inner is not None:
        said = re.sub(r"/\S*/", "", str(inner.getMessage() or ""))
        found.append((str(inner.getClass().getSimpleName()), said))
        inner = inner.getCause()
    return found


def _outcome(causes: list[tuple[str, str]]) -> str:
    kinds, messages = [kind for kind, _ in causes], " ".join(said for _, said in causes)
    if "SunCertPathBuilderException" in kinds:
        return "does not trust it"
    if "No subject alternative" in messages or "No name matching" in messages:
        return "not the name in its certificate"
    if "Received fatal alert" in messages:
        return "is not let in"
    if "TimeoutException" in kinds:
        return "no answer"
    return f"fails: {causes[-1][1]}"


@dataclass(frozen=True)
class _Lab:
    broker: TlsBroker
    impostors: dict[str, Path]


@cache
def _lab() -> _Lab:
    """One broker for all trials of this process; it ends with it."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(_servers())


@contextmanager
def _servers() -> Iterator[_Lab]:
    folder = make_scratch("impostors")
    strangers = make_authority(folder / "strangers.pem", "Strangers")
    impostor = strangers.sign(folder / "impostor.pem", "broker", LOOPBACK)
    with tls_broker() as broker:
        yield _Lab(broker, {"impostor": impostor, "other name": broker.elsewhere})
