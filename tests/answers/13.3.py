"""Answers to 13.3: other ways for the kiosk to join, right and wrong."""

import json
import re
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F


def _read(spark: SparkSession, kafka: Any, name: str, **but: str) -> DataFrame:
    options = {
        "kafka.bootstrap.servers": kafka.bootstrap_servers,
        "subscribe": kafka.topic(name),
        "startingOffsets": "earliest",
    }
    return spark.readStream.format("kafka").name(name).options(**{**options, **but}).load()


def _text() -> Column:
    return F.col("value").cast("string")


def _pages(records: DataFrame, field: str) -> DataFrame:
    return records.select(F.get_json_object(_text(), f"$.{field}").alias("page"))


def _both(spark: SparkSession, kafka: Any) -> DataFrame:
    web, kiosk = _read(spark, kafka, "web"), _read(spark, kafka, "kiosk")
    return _pages(web, "page").union(_pages(kiosk, "screen"))


def right_two_views(spark: SparkSession, kafka: Any) -> DataFrame:
    """A view for each source, and UNION ALL in SQL."""
    _read(spark, kafka, "web").createOrReplaceTempView("clicks_of_web")
    _read(spark, kafka, "kiosk").createOrReplaceTempView("touches_of_kiosk")
    return spark.sql(
        "WITH both AS ("
        " SELECT get_json_object(CAST(value AS STRING), '$.page') AS page FROM clicks_of_web"
        " UNION ALL"
        " SELECT get_json_object(CAST(value AS STRING), '$.screen') FROM touches_of_kiosk)"
        " SELECT page, count(1) AS clicks FROM both GROUP BY page"
    )


def right_as_a_variant(spark: SparkSession, kafka: Any) -> DataFrame:
    """Parses the JSON to a variant, and takes the page out of it as a text."""

    def pages(name: str, path: str) -> DataFrame:
        parsed = _read(spark, kafka, name).select(F.try_parse_json(_text()).alias("v"))
        return parsed.select(F.try_variant_get("v", path, "string").alias("page"))

    both = pages("kiosk", "$.screen").unionAll(pages("web", "$.page"))
    return both.groupBy(F.col("page")).agg(F.count(F.lit(1)).alias("clicks"))


def right_read_in_python(spark: SparkSession, kafka: Any) -> DataFrame:
    """json.loads in a Python function that knows both fields."""

    def page(value: bytes) -> str | None:
        said = json.loads(bytes(value).decode())
        return said["page"] if "page" in said else said.get("screen")

    page_of = F.udf(page, "string")
    both = _read(spark, kafka, "web").unionByName(_read(spark, kafka, "kiosk"))
    return (
        both.select(page_of("value").alias("page"))
        .groupBy("page")
        .agg(F.count("*").alias("clicks"))
    )


def right_json_tuple(spark: SparkSession, kafka: Any) -> DataFrame:
    """json_tuple for the fields, and a column with the source that is dropped before the count."""
    web = _read(spark, kafka, "web").select(F.json_tuple(_text(), "page").alias("page"))
    kiosk = _read(spark, kafka, "kiosk").select(F.json_tuple(_text(), "screen").alias("page"))
    marked = web.withColumn("from", F.lit("web")).unionByName(
        kiosk.withColumn("from", F.lit("kiosk"))
    )
    return marked.drop("from").groupBy("page").count().toDF("page", "clicks")


def right_a_pattern_for_the_topic(spark: SparkSession, kafka: Any) -> DataFrame:
    """The kiosk's topic by a pattern that fits it alone; the web begins at "latest", where it is not asked."""
    readers = {
        "web": {"subscribe": kafka.topic("web"), "startingOffsets": "latest"},
        "kiosk": {"subscribePattern": re.escape(kafka.topic("kiosk"))},
    }

    def read(name: str) -> DataFrame:
        reader = spark.readStream.name(name).format("kafka")
        reader = reader.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        return reader.options(**{"startingOffsets": "earliest", **readers[name]}).load()

    fields = F.from_json(_text(), "MAP<STRING, STRING>")
    both = read("kiosk").select(F.try_element_at(fields, F.lit("screen")).alias("page"))
    both = both.union(read("web").select(F.try_element_at(fields, F.lit("page"))))
    return both.groupBy("page").agg(F.count("*").alias("clicks"))


def wrong_pages_counted(spark: SparkSession, kafka: Any) -> DataFrame:
    """Counts the pages and not the rows: those without a page add nothing."""
    return _both(spark, kafka).groupBy("page").agg(F.count("page").alias("clicks"))


def wrong_a_sum_of_ones(spark: SparkSession, kafka: Any) -> DataFrame:
    """A sum of ones for the count: its field in the state may be null, and Spark refuses it."""
    return _both(spark, kafka).groupBy("page").agg(F.sum(F.lit(1)).alias("clicks"))


def wrong_without_a_page_left_out(spark: SparkSession, kafka: Any) -> DataFrame:
    """Leaves out clicks and touches that have no page; they "stand under null, as they did"."""
    known = _both(spark, kafka).where(F.col("page").isNotNull())
    return known.groupBy("page").agg(F.count("*").alias("clicks"))


def wrong_a_word_for_no_page(spark: SparkSession, kafka: Any) -> DataFrame:
    """Counts what has no page under a word, and not under null."""
    named = _both(spark, kafka).na.fill("(none)", ["page"])
    return named.groupBy("page").agg(F.count("*").alias("clicks"))


def wrong_option_misspelled(spark: SparkSession, kafka: Any) -> DataFrame:
    """Says startingOffset, which is no option of Kafka's source: the kiosk begins at its end."""

    def read(name: str) -> DataFrame:
        return (
            spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            .option("subscribe", kafka.topic(name))
            .option("startingOffset", "earliest")
            .name(name)
            .load()
        )

    both = _pages(read("web"), "page").union(_pages(read("kiosk"), "screen"))
    return both.groupBy("page").agg(F.count("*").alias("clicks"))


def wrong_one_name_for_both(spark: SparkSession, kafka: Any) -> DataFrame:
    """Copies the reader of the web, and forgets to change its name: two sources are called web."""

    def read(topic: str) -> DataFrame:
        return (
            spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            .option("subscribe", kafka.topic(topic))
            .option("startingOffsets", "earliest")
            .name("web")
            .load()
        )

    both = _pages(read("web"), "page").union(_pages(read("kiosk"), "screen"))
    return both.groupBy("page").agg(F.count("*").alias("clicks"))


def wrong_name_as_an_option(spark: SparkSession, kafka: Any) -> DataFrame:
    """Gives the kiosk's name as an option, where nobody looks for it."""
    kiosk = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("kiosk"))
        .option("startingOffsets", "earliest")
        .option("name", "kiosk")
        .load()
    )
    both = _pages(_read(spark, kafka, "web"), "page").union(_pages(kiosk, "screen"))
    return both.groupBy("page").agg(F.count("*").alias("clicks"))


def wrong_kiosk_as_a_table(spark: SparkSession, kafka: Any) -> DataFrame:
    """Reads the kiosk's topic as a table, and unites it with a stream."""
    kiosk = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("kiosk"))
        .option("startingOffsets", "earliest")
        .load()
    )
    both = _pages(_read(spark, kafka, "web"), "page").union(_pages(kiosk, "screen"))
    return both.groupBy("page").agg(F.count("*").alias("clicks"))


def wrong_missing_columns_allowed(spark: SparkSession, kafka: Any) -> DataFrame:
    """Unites by name with missing columns allowed: the screen stays beside the page, which is null."""
    web = _pages(_read(spark, kafka, "web"), "page")
    kiosk = _read(spark, kafka, "kiosk").select(
        F.get_json_object(_text(), "$.screen").alias("screen")
    )
    both = web.unionByName(kiosk, allowMissingColumns=True)
    return both.groupBy("page").agg(F.count("*").alias("clicks"))


def wrong_source_in_the_key(spark: SparkSession, kafka: Any) -> DataFrame:
    """Groups by source and page: another key than the one in the state, and not "together"."""
    web = _pages(_read(spark, kafka, "web"), "page").withColumn("source", F.lit("web"))
    kiosk = _pages(_read(spark, kafka, "kiosk"), "screen").withColumn("source", F.lit("kiosk"))
    counts = web.union(kiosk).groupBy("source", "page").agg(F.count("*").alias("clicks"))
    return counts.drop("source")


def wrong_clicks_and_touches(spark: SparkSession, kafka: Any) -> DataFrame:
    """Counts clicks and touches in a column each, and adds them: two counts do not fit the state of one."""
    web = _pages(_read(spark, kafka, "web"), "page").withColumn("touch", F.lit(False))
    kiosk = _pages(_read(spark, kafka, "kiosk"), "screen").withColumn("touch", F.lit(True))
    counts = (
        web.union(kiosk)
        .groupBy("page")
        .agg(
            F.count(F.when(~F.col("touch"), 1)).alias("web"),
            F.count(F.when(F.col("touch"), 1)).alias("kiosk"),
        )
    )
    return counts.select("page", (F.col("web") + F.col("kiosk")).alias("clicks"))


def right_frames_as_arguments_of_sql(spark: SparkSession, kafka: Any) -> DataFrame:
    """Both streams given to `sql` as arguments; GROUP BY ALL, and the columns renamed outside."""
    return spark.sql(
        """
        SELECT page, count(*) FROM (
            SELECT get_json_object(string(value), '$.page') AS page FROM {web}
            UNION ALL
            SELECT get_json_object(string(value), '$.screen') FROM {kiosk}
        ) GROUP BY ALL
        """,
        web=_read(spark, kafka, "web"),
        kiosk=_read(spark, kafka, "kiosk"),
    ).toDF("page", "clicks")


def right_with_other_settings(spark: SparkSession, kafka: Any) -> DataFrame:
    """Large limits for a batch, short waits, and a prefix for the group: none of them changes a count."""
    settings = {
        "maxOffsetsPerTrigger": "100000",
        "kafka.fetch.max.wait.ms": "20",
        "groupIdPrefix": "pages",
        "includeHeaders": "true",
    }
    web, kiosk = (_read(spark, kafka, name, **settings) for name in ("web", "kiosk"))
    shape = "page STRING, screen STRING"
    pages = [
        part.select(F.from_json(_text(), shape).getField(field).alias("page"))
        for part, field in ((kiosk, "screen"), (web, "page"))
    ]
    both = pages[0].unionAll(pages[1])
    return both.groupBy("page").agg(F.count("*").alias("clicks")).select("page", "clicks")
