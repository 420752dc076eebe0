"""The baseline of cold.py: a Kafka and a PySpark as their guides start them, no lab.

`stock.py PARTITIONS` plays exercise 03.2's events, step by step, through a windowed count from Kafka to
Kafka, reads the rows back and prints the moment (monotonic clock). Java is that of JAVA_HOME.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from grader.runtime.jars import jar_paths
from grader.runtime.ports import own_ports
from grader.scenario import read_scenario

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
# what kafka-server-start.sh gives a broker
KAFKA_FLAGS = ["-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20"]


def start_kafka(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    java = str(Path(os.environ["JAVA_HOME"]) / "bin" / "java")
    port, controller = own_ports(2)
    settings = folder / "server.properties"
    settings.write_text(
        f"process.roles=broker,controller\nnode.id=1\n"
        f"listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}\n"
        f"controller.quorum.bootstrap.servers=127.0.0.1:{controller}\n"
        f"controller.listener.names=CONTROLLER\nlog.dirs={folder}/log\n"
        "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n"
        "offsets.topic.replication.factor=1\ntransaction.state.log.replication.factor=1\n"
        "transaction.state.log.min.isr=1\n"
    )
    environment = {**os.environ, "CLASSPATH": os.pathsep.join(map(str, jar_paths("broker")))}
    quiet = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    uuid = "MkU3OEVBNTcwNTJENDM2Qg"
    tool = [java, "kafka.tools.StorageTool", "format", "--standalone", "-t", uuid]
    subprocess.run([*tool, "-c", str(settings)], check=True, **quiet)  # type: ignore[call-overload]
    command = [java, *KAFKA_FLAGS, "kafka.Kafka", str(settings)]
    return subprocess.Popen(command, **quiet), f"127.0.0.1:{port}"  # type: ignore[call-overload]


def wait_for(servers: str) -> None:
    from kafka import KafkaAdminClient
    from kafka.errors import KafkaError

    while True:
        try:
            KafkaAdminClient(bootstrap_servers=servers, bootstrap_timeout_ms=1000).close()
            return
        except KafkaError:
            time.sleep(0.1)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        kafka, servers = start_kafka(Path(folder))
        try:
            wait_for(servers)
            print(play(servers, folder, sys.argv[1]), flush=True)
        finally:
            kafka.kill()
            kafka.wait()


def play(servers: str, folder: str, partitions: str) -> float:
    """The moment at which the rows were read back; Spark's Java has ended when it is returned."""
    from kafka import KafkaConsumer, KafkaProducer
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    events = read_scenario(ROOT / "solutions/03_watermarks/03.2_late_clicks/public.jsonl")
    spark = (
        SparkSession.builder.master("local[*]")
        .config("spark.jars", ",".join(map(str, jar_paths("connector"))))
        .config("spark.sql.shuffle.partitions", partitions)
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    producer = KafkaProducer(bootstrap_servers=servers)
    for step in range(1, events.steps + 1):
        for event in events.of_step(step):
            producer.send("clicks", event.payload())
        producer.flush()
        source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
        records = source.option("subscribe", "clicks").option("startingOffsets", "earliest").load()
        value = F.from_json(F.col("value").cast("string"), "page STRING, event_time TIMESTAMP")
        clicks = records.select(value.alias("v")).select("v.*")
        timed = clicks.withWatermark("event_time", "5 minutes")
        counted = timed.groupBy(F.window("event_time", "5 minutes"), "page").count()
        sink = counted.selectExpr("to_json(struct(*)) AS value").writeStream.format("kafka")
        sink = sink.option("kafka.bootstrap.servers", servers).option("topic", "counts")
        sink = sink.option("checkpointLocation", f"{folder}/checkpoint")
        sink.trigger(availableNow=True).start().awaitTermination()
    reader = KafkaConsumer("counts", bootstrap_servers=servers, auto_offset_reset="earliest")
    assert reader.poll(timeout_ms=5000), "no row came out"
    moment = time.monotonic()
    stop(spark)
    return moment


def stop(spark: SparkSession) -> None:
    """Stop Spark and wait for its Java: the state store's threads write in `folder` to the last."""
    from pyspark import SparkContext

    from grader.runtime.spark_jvm import end_java

    gateway = SparkContext._gateway
    spark.stop()
    assert gateway is not None
    gateway.shutdown()
    end_java(gateway.proc)


if __name__ == "__main__":
    main()
