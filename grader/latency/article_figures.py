"""What an article reports of the same queries, on a cluster: reductions of latency by tuning."""

from __future__ import annotations

# in percent, by percentile: "Performance Improvements for Stateful Pipelines in Apache Spark
# Structured Streaming", Databricks 2023; one driver and five workers with eight cores each
ARTICLE = {
    "aggregation": {95: 76, 99: 87},
    "join": {95: 78, 99: 83},
    "duplicates": {95: 77, 99: 93},
    "state": {95: 65, 99: 66},
}
