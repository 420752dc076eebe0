"""How clients reach a Kafka that requires TLS or a password: one file for kafka-python and for Spark.

GRADER_KAFKA_CONF names it, a Java client's properties file. Certificates in it are PEM files, because
kafka-python reads no others; on a cluster they have the same path on driver and workers.
"""

import os
import re
from typing import Any

from grader.errors import SetupError
from grader.runtime.java_properties import read_properties

SAME_IN_PYTHON = {
    "security.protocol": "security_protocol",
    "sasl.mechanism": "sasl_mechanism",
    "ssl.truststore.location": "ssl_cafile",
    "ssl.keystore.location": "ssl_certfile",
    "ssl.key.password": "ssl_password",
}


def client_settings() -> dict[str, str]:
    """The properties in GRADER_KAFKA_CONF; none if it is not set. Raises SetupError."""
    given = os.environ.get("GRADER_KAFKA_CONF")
    if not given:
        return {}
    settings = read_properties("GRADER_KAFKA_CONF", given)
    for store in ("truststore", "keystore"):
        if f"ssl.{store}.location" in settings and settings.get(f"ssl.{store}.type") != "PEM":
            raise SetupError(
                f"The {store} in {given} is not a PEM file, or does not say so. Convert it (keytool "
                f"-exportcert -rfc, or openssl pkcs12) and write ssl.{store}.type=PEM."
            )
    if settings.get("security.protocol", "").startswith("SASL") and not _login(settings):
        raise SetupError(
            f'{given} asks for SASL and names no user. Write sasl.jaas.config=… username="…" '
            'password="…"; (other ways to log in are not supported).'
        )
    return settings


def login_fix() -> str:
    """What to do if a Kafka answers and refuses its clients."""
    conf = os.environ.get("GRADER_KAFKA_CONF")
    if conf:
        return f"correct the password and certificates in GRADER_KAFKA_CONF={conf}"
    return (
        "write its TLS and password settings into a file and name it in GRADER_KAFKA_CONF "
        "(docs/cluster.md)"
    )


def python_settings() -> dict[str, Any]:
    """The same as arguments of kafka-python's clients."""
    given = client_settings()
    settings: dict[str, Any] = {
        ours: given[theirs] for theirs, ours in SAME_IN_PYTHON.items() if theirs in given
    }
    if "ssl_certfile" in settings:
        settings["ssl_keyfile"] = settings["ssl_certfile"]
    if given.get("ssl.endpoint.identification.algorithm") == "":
        settings["ssl_check_hostname"] = False
    return settings | {f"sasl_plain_{name}": value for name, value in _login(given).items()}


def _login(settings: dict[str, str]) -> dict[str, str]:
    """`username` and `password` of a login module's configuration."""
    words = re.findall(r'(username|password)="([^"]*)"', settings.get("sasl.jaas.config", ""))
    return dict(words)


def teach_spark() -> None:
    """Give every Kafka reader and writer of this process's Spark these settings as its first options.

    Lessons and answers name only the broker's address, wherever the broker is.
    """
    options = {f"kafka.{name}": value for name, value in client_settings().items()}
    if not options:
        return
    from pyspark.sql.readwriter import DataFrameReader, DataFrameWriter
    from pyspark.sql.streaming.readwriter import DataStreamReader, DataStreamWriter

    for kind in (DataFrameReader, DataFrameWriter, DataStreamReader, DataStreamWriter):
        _wrap_format(kind, options)


def _wrap_format(kind: Any, options: dict[str, str]) -> None:
    plain = getattr(kind.format, "plain", kind.format)

    def format(self: Any, source: str) -> Any:
        made = plain(self, source)
        return made.options(**options) if source == "kafka" else made

    format.plain = plain  # type: ignore[attr-defined]
    kind.format = format
