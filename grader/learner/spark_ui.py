"""The Spark UI of a lab: the settings of a session that has it, and where it is."""

from __future__ import annotations

from pyspark.sql import SparkSession

# The UI listens where the driver does, on this machine only. Its server also shows the metrics of queries.
SETTINGS = {
    "spark.ui.enabled": "true",
    "spark.ui.port": "0",
    "spark.sql.streaming.metricsEnabled": "true",
    # else each metric's name begins with the application's id, which changes with every start
    "spark.metrics.namespace": "lab",
    "spark.metrics.conf.*.sink.prometheusServlet.class": "org.apache.spark.metrics.sink.PrometheusServlet",
    "spark.metrics.conf.*.sink.prometheusServlet.path": "/metrics/prometheus",
}


def place_of_ui(spark: SparkSession) -> str:
    """A sentence: the address of the UI, or how to get one if this session began without it."""
    address = spark.sparkContext.uiWebUrl
    if address is None:
        return (
            "The Spark UI is off, because this lab started without it. "
            "Fix: restart the kernel, and let grader.start(ui=True) be the first start."
        )
    return f"Spark UI: {address}"
