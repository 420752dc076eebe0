"""End-to-end latency of a query under a constant load: made, read by Spark, written back, record by record."""
