"""Names of Spark's settings that more than one package uses."""

WATERMARK_POLICY = "spark.sql.streaming.multipleWatermarkPolicy"
STATE_STORE = "spark.sql.streaming.stateStore."  # the settings of every store begin so
ROCKSDB_PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
IN_ROCKSDB = {f"{STATE_STORE}providerClass": ROCKSDB_PROVIDER}
