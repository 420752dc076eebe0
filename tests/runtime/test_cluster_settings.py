"""A session's settings for a cluster and for a Kafka with TLS or a password come from the environment."""

import os
from pathlib import Path

import pytest

from grader.errors import SetupError
from grader.runtime.cluster import given_settings, shared_folder
from grader.runtime.kafka_settings import client_settings, python_settings
from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.runtime.spark_session import session_settings


def test_a_settings_file_wins_over_the_labs_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = tmp_path / "spark.conf"
    conf.write_text("# a comment\n\nspark.cores.max   4\nspark.ui.enabled=true\nspark.x a=b c\n")
    monkeypatch.setenv("GRADER_SPARK_CONF", str(conf))
    assert given_settings() == {
        "spark.cores.max": "4",
        "spark.ui.enabled": "true",
        "spark.x": "a=b c",
    }
    assert session_settings()["spark.ui.enabled"] == "true"


def test_a_settings_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_SPARK_CONF", "/nowhere/spark.conf")
    with pytest.raises(SetupError, match=r"GRADER_SPARK_CONF=/nowhere/spark\.conf"):
        given_settings()


def test_a_cluster_gets_the_connector_and_the_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_SPARK_MASTER", "spark://somewhere:7077")
    settings = session_settings()
    assert "spark-sql-kafka-0-10" in settings["spark.jars"]
    assert settings["spark.executorEnv.TZ"] == "UTC"
    assert "spark.driver.host" not in settings


def test_only_checkpoints_lie_in_the_shared_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADER_CHECKPOINTS", str(tmp_path))
    for kind, shared in (("checkpoint", True), ("spark", False)):
        folder = make_scratch(kind)
        assert (tmp_path in folder.parents) == shared
        remove_scratch(folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_shared_folder_that_cannot_be_written_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_CHECKPOINTS", "/")
    with pytest.raises(SetupError, match="GRADER_CHECKPOINTS=/"):
        shared_folder()


def test_one_file_serves_kafka_python_and_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = tmp_path / "kafka.conf"
    conf.write_text(
        "! every form that Java reads\nsecurity.protocol: SASL_SSL\nsasl.mechanism PLAIN\n"
        "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\\n"
        '    username="ada" \\\n    password="a=b";\n'
        "ssl.truststore.type=PEM\nssl.truststore.location=/tls/ca.pem\n"
    )
    monkeypatch.setenv("GRADER_KAFKA_CONF", str(conf))
    assert python_settings() == {
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": "ada",
        "sasl_plain_password": "a=b",
        "ssl_cafile": "/tls/ca.pem",
    }
    assert client_settings()["sasl.jaas.config"].endswith('password="a=b";')


def test_a_login_without_a_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conf = tmp_path / "kafka.conf"
    conf.write_text("security.protocol=SASL_SSL\nsasl.mechanism=GSSAPI\n")
    monkeypatch.setenv("GRADER_KAFKA_CONF", str(conf))
    with pytest.raises(SetupError, match="names no user"):
        client_settings()


def test_a_truststore_that_is_no_pem_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = tmp_path / "kafka.conf"
    conf.write_text("ssl.truststore.location=/tls/trust.jks\n")
    monkeypatch.setenv("GRADER_KAFKA_CONF", str(conf))
    with pytest.raises(SetupError, match=r"ssl\.truststore\.type=PEM"):
        client_settings()
