"""The running lab that the tests share: one broker lease and one Spark session a test run."""

from collections.abc import Iterator

import pytest

from grader.authoring.prove import Bench


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    from grader.replay.kafka import Kafka
    from grader.runtime.broker import lease_broker
    from grader.runtime.session import spark_session, stop_spark

    with lease_broker() as broker:
        yield Bench(spark_session(), Kafka(broker.bootstrap_servers))
        stop_spark()
