"""Spark's names for where state is kept."""

STATE_STORE = "spark.sql.streaming.stateStore."  # the settings of every store begin so
ROCKSDB_PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
IN_ROCKSDB = {f"{STATE_STORE}providerClass": ROCKSDB_PROVIDER}
