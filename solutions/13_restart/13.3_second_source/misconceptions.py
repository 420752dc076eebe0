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
    """The clicks of the web were counted twice

    In step 3 the web was read from its first record once more, and added to the counts that had it all. The
    checkpoint knows offsets by the name of their source. A name that it has not seen is a new source, whatever
    topic is behind it. Which name did the reader of the web's topic have in the old version?
    """
    return _both(_read(spark, kafka, "web", "web_clicks"), _read(spark, kafka, "kiosk", "kiosk"))


def kiosk_from_the_latest(spark: SparkSession, kafka: Any) -> DataFrame:
    """What the kiosk had sent before is missing

    The touches of steps 1 and 2 are in no count. For a source that the checkpoint does not know yet
    `startingOffsets` decides, and "latest" begins where its topic ends at that moment.
    """
    web = _read(spark, kafka, "web", "web")
    return _both(web, _read(spark, kafka, "kiosk", "kiosk", "latest"))


def kiosk_without_a_name(spark: SparkSession, kafka: Any) -> DataFrame:
    """A source without a name

    Spark did not build the query. Where sources go by name all of them have to have one: with a line for each
    source and no name on it, nobody could say which line belongs to whom.
    """
    return _both(_read(spark, kafka, "web", "web"), _read(spark, kafka, "kiosk", None))


def names_exchanged(spark: SparkSession, kafka: Any) -> DataFrame:
    """A name that stands for another topic

    Spark took the web's offset for the source that is called web, found another topic behind it, and stopped: the
    partitions that it had read seemed to be gone. A name belongs to a source for the life of the checkpoint.
    """
    return _both(_read(spark, kafka, "web", "kiosk"), _read(spark, kafka, "kiosk", "web"))


def a_count_for_each_source(spark: SparkSession, kafka: Any) -> DataFrame:
    """More than one operator with state

    Spark did not start: the checkpoint has the state of one aggregation, and this query keeps more. If each source is
    counted by itself, a page on both would also come out twice: put the rows together first, then group once. If
    anything else keeps state, such as taking copies out, this checkpoint has no place for it.
    """
    web = _count(_pages(_read(spark, kafka, "web", "web"), "page"))
    return web.unionByName(_count(_pages(_read(spark, kafka, "kiosk", "kiosk"), "screen")))


def one_reader_for_both_topics(spark: SparkSession, kafka: Any) -> DataFrame:
    """Two topics behind one name

    Both topics come from one reader, which the checkpoint knows as `web`. The counts can be right so. But the kiosk
    is no source of its own, and the day that it leaves again, `web` has a topic missing.
    """
    text = F.col("value").cast("string")
    page = F.coalesce(F.get_json_object(text, "$.page"), F.get_json_object(text, "$.screen"))
    return _count(_read(spark, kafka, "web,kiosk", "web").select(page.alias("page")))


def kiosk_under_another_name(spark: SparkSession, kafka: Any) -> DataFrame:
    """The kiosk's source has another name

    The counts are right, and there are two sources, but none of them is called `kiosk`, as the task asks. The
    checkpoint goes by that name from its first batch on; to change it later is to begin at the first record again.
    """
    return _both(_read(spark, kafka, "web", "web"), _read(spark, kafka, "kiosk", "kiosk2"))


def screens_not_read(spark: SparkSession, kafka: Any) -> DataFrame:
    """The touches came in, their screens did not

    Everything that the kiosk sent stands under no page. Its JSON calls the field `screen`; and a path to a field begins
    with a `$`.
    """
    web = _pages(_read(spark, kafka, "web", "web"), "page")
    return _count(web.unionByName(_pages(_read(spark, kafka, "kiosk", "kiosk"), "page")))


def web_left_out(spark: SparkSession, kafka: Any) -> DataFrame:
    """The web is read no more

    From step 3 on no click of the web is counted. A source that the new version does not name is simply left: its
    counts stay in the state, and nothing is added to them. Spark says nothing of it.
    """
    return _count(_pages(_read(spark, kafka, "kiosk", "kiosk"), "screen"))


def kiosk_as_a_table(spark: SparkSession, kafka: Any) -> DataFrame:
    """A table and a stream in one union

    Spark did not start the query: it cannot put the rows of a table beside those of a stream. Both readers have to be
    streams, `spark.readStream`.
    """
    kiosk = _read(spark, kafka, "kiosk", None, table=True)
    return _both(_read(spark, kafka, "web", "web"), kiosk)
