"""Ways for a second source to join that lose records, or read them twice."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _read(
    spark: SparkSession,
    kafka: Any,
    topics: str,
    name: str | None,
    start: str = "earliest",
    table: bool = False,
) -> DataFrame:
    reader: Any = spark.read if table else spark.readStream
    reader = (
        reader.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", ",".join(kafka.topic(topic) for topic in topics.split(",")))
        .option("startingOffsets", start)
        .option("kafka.fetch.max.wait.ms", 10)
    )
    return (reader.name(name) if name else reader).load()


def _pages(records: DataFrame, field: str) -> DataFrame:
    text = F.col("value").cast("string")
    return records.select(F.get_json_object(text, f"$.{field}").alias("page"))


def _count(pages: DataFrame) -> DataFrame:
    return pages.groupBy("page").agg(F.count("*").alias("clicks"))


def _both(web: DataFrame, kiosk: DataFrame) -> DataFrame:
    return _count(_pages(web, "page").unionByName(_pages(kiosk, "screen")))


def web_under_another_name(spark: SparkSession, kafka: Any) -> DataFrame:
    """Web source with a new name

    In step 3 the web was read again from its first record, and added to counts that already had these clicks. The
    checkpoint knows offsets by the name of their source. A name that it has not seen is a new source, whatever
    topic it reads. Which name did the source of the web's topic have in the old version?
    """
    return _both(_read(spark, kafka, "web", "web_clicks"), _read(spark, kafka, "kiosk", "kiosk"))


def kiosk_from_the_latest(spark: SparkSession, kafka: Any) -> DataFrame:
    """Kiosk read from the latest offset

    The touches of steps 1 and 2 are in no count. Here `startingOffsets` decides for a source that is new to the
    checkpoint, and "latest" begins at the end of its topic at that moment. It is also the default. Which value
    begins at the first record?
    """
    web = _read(spark, kafka, "web", "web")
    return _both(web, _read(spark, kafka, "kiosk", "kiosk", "latest"))


def kiosk_without_a_name(spark: SparkSession, kafka: Any) -> DataFrame:
    """Source without a name

    Spark rejected the query. If source evolution is enabled, every source must have a name: a line without a name
    could belong to any of them. Which of your readers has no `.name(…)`?
    """
    return _both(_read(spark, kafka, "web", "web"), _read(spark, kafka, "kiosk", None))


def names_exchanged(spark: SparkSession, kafka: Any) -> DataFrame:
    """Source name on another topic

    Spark took the offset of the source named `web`, found another topic, and stopped: the partitions that it had
    read seemed to be missing. A name belongs to one source for the life of the checkpoint. Which topic does the
    source `web` read in your version?
    """
    return _both(_read(spark, kafka, "web", "kiosk"), _read(spark, kafka, "kiosk", "web"))


def a_count_for_each_source(spark: SparkSession, kafka: Any) -> DataFrame:
    """More than one stateful operator

    Spark refused the start: the checkpoint has the state of one aggregation, and this query has more. If each
    source has its own count, a page in both is also emitted twice. A deduplication is a second stateful operator,
    too. Can you union the rows first and group once?
    """
    web = _count(_pages(_read(spark, kafka, "web", "web"), "page"))
    return web.unionByName(_count(_pages(_read(spark, kafka, "kiosk", "kiosk"), "screen")))


def one_reader_for_both_topics(spark: SparkSession, kafka: Any) -> DataFrame:
    """Two topics in one source

    Both topics come from one reader, which the checkpoint knows as `web`. The counts can be right. But the kiosk
    is not a separate source, and if it is removed one day, a topic of `web` is missing. How many readers does the
    task require?
    """
    text = F.col("value").cast("string")
    page = F.coalesce(F.get_json_object(text, "$.page"), F.get_json_object(text, "$.screen"))
    return _count(_read(spark, kafka, "web,kiosk", "web").select(page.alias("page")))


def kiosk_under_another_name(spark: SparkSession, kafka: Any) -> DataFrame:
    """Kiosk source with another name

    The counts are right and there are two sources, but none of them is named `kiosk` as the task requires. The
    checkpoint uses the name from the first batch on. A later change means to begin at the first record again.
    Which name did you give the reader?
    """
    return _both(_read(spark, kafka, "web", "web"), _read(spark, kafka, "kiosk", "kiosk2"))


def screens_not_read(spark: SparkSession, kafka: Any) -> DataFrame:
    """Screen of a touch not read

    All touches of the kiosk count under null. Their JSON has the page in the field `screen`, and a path to a field
    begins with `$`. Which path does your query use for the kiosk?
    """
    web = _pages(_read(spark, kafka, "web", "web"), "page")
    return _count(web.unionByName(_pages(_read(spark, kafka, "kiosk", "kiosk"), "page")))


def web_left_out(spark: SparkSession, kafka: Any) -> DataFrame:
    """Web source missing

    From step 3 on no click of the web is counted. A source that the new version does not have is simply left out:
    its counts stay in the state, and Spark gives no warning. Which sources does your query read?
    """
    return _count(_pages(_read(spark, kafka, "kiosk", "kiosk"), "screen"))


def kiosk_as_a_table(spark: SparkSession, kafka: Any) -> DataFrame:
    """Batch table and stream in one union

    Spark refused the query: a union cannot have rows of a batch table and rows of a stream. Do both readers begin
    with `spark.readStream`?
    """
    kiosk = _read(spark, kafka, "kiosk", None, table=True)
    return _both(_read(spark, kafka, "web", "web"), kiosk)


def records_without_a_page_dropped(spark: SparkSession, kafka: Any) -> DataFrame:
    """Records without a page dropped

    In step 3 the null page is missing, although the kiosk sent a touch without a screen. The old version counts
    clicks without a page under null, and the task requires the same. Which step of your query drops these rows?
    """
    web = _pages(_read(spark, kafka, "web", "web"), "page")
    kiosk = _pages(_read(spark, kafka, "kiosk", "kiosk"), "screen")
    return _count(web.unionByName(kiosk).where("page IS NOT NULL"))
