"""Answers to 17.2: other ways to read the wire format, and to misread it."""

from collections.abc import Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

ORDER = "order_id STRING, cents BIGINT, currency STRING"
COLUMNS = "schema_id INT, order_id STRING, cents BIGINT, currency STRING, problem STRING"


def _parts(orders: DataFrame, payload: str = "substring(value, 6)") -> DataFrame:
    return orders.where("value IS NOT NULL").selectExpr(
        "value",
        "length(value) > 4 AND hex(substring(value, 1, 1)) = '00' AS framed",
        "CAST(conv(hex(substring(value, 2, 4)), 16, 10) AS INT) AS id",
        f"from_json(CAST({payload} AS STRING), '{ORDER}') AS o",
    )


def _finished(
    parts: DataFrame, problem: str, currency: str = "coalesce(o.currency, 'EUR')"
) -> DataFrame:
    judged = parts.withColumn("problem", F.expr(problem))
    return judged.selectExpr(
        "IF(framed, id, NULL) AS schema_id",
        "IF(problem IS NULL, o.order_id, NULL) AS order_id",
        "IF(problem IS NULL, o.cents, NULL) AS cents",
        f"IF(problem IS NULL, {currency}, NULL) AS currency",
        "problem",
    )


PROBLEM = """CASE WHEN NOT framed THEN 'no prefix' WHEN id NOT IN (7, 263) THEN 'unknown schema'
    WHEN o.order_id IS NULL OR o.cents IS NULL THEN 'broken payload' END"""


def right_expressions(orders: DataFrame) -> DataFrame:
    """SQL expressions throughout."""
    return _finished(_parts(orders), PROBLEM)


def right_a_udf_for_the_prefix(orders: DataFrame) -> DataFrame:
    """A Python function for the id, Spark for the rest."""

    @F.udf("INT")
    def schema_of(value):
        return int.from_bytes(value[1:5], "big") if len(value) >= 5 and value[0] == 0 else None

    values = orders.dropna(subset=["value"]).withColumn("schema_id", schema_of("value"))
    o = F.from_json(F.expr("decode(substring(value, 6), 'UTF-8')"), ORDER)
    read = values.withColumn("o", F.when(F.col("schema_id").isin([7, 263]), o))
    complete = F.col("o.order_id").isNotNull() & F.col("o.cents").isNotNull()
    return read.select(
        "schema_id",
        F.when(complete, F.col("o.order_id")).alias("order_id"),
        F.when(complete, F.col("o.cents")).alias("cents"),
        F.when(complete, F.ifnull("o.currency", F.lit("EUR"))).alias("currency"),
        F.when(F.col("schema_id").isNull(), "no prefix")
        .when(~F.col("schema_id").isin([7, 263]), "unknown schema")
        .when(~complete, "broken payload")
        .alias("problem"),
    )


def right_hexadecimal_text(orders: DataFrame) -> DataFrame:
    """Everything from the hexadecimal digits of the value."""
    digits = F.hex("value")
    read = orders.filter("value IS NOT NULL").select(
        (F.length(digits).__ge__(10) & digits.startswith("00")).alias("framed"),
        F.conv(F.substring(digits, 3, 8), 16, 10).cast("int").alias("id"),
        F.from_json(F.unhex(digits.substr(11, 10_000)).cast("string"), ORDER).alias("o"),
    )
    return _finished(read, PROBLEM)


def right_json_in_python(orders: DataFrame) -> DataFrame:
    """mapInPandas with a dict of parsers."""

    def read(tables: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        import json

        names = ["schema_id", "order_id", "cents", "currency", "problem"]
        for table in tables:
            rows = []
            for value in table["value"].dropna():
                if len(value) < 5 or value[0]:
                    rows.append([None, None, None, None, "no prefix"])
                    continue
                number = int(bytes(value[1:5]).hex(), 16)
                row = [number, None, None, None, None]
                if number != 7 and number != 263:
                    row[4] = "unknown schema"
                else:
                    try:
                        order = {"currency": "EUR", **json.loads(bytes(value[5:]))}
                        row[1:4] = [order["order_id"], order["cents"], order["currency"]]
                    except Exception:
                        row[4] = "broken payload"
                rows.append(row)
            yield pd.DataFrame(rows, columns=names, dtype=object)

    return orders.select("value").mapInPandas(read, COLUMNS)


def wrong_payload_from_the_first_brace(orders: DataFrame) -> DataFrame:
    """The payload begins at the first brace; a record without a prefix is an order, too."""
    text = "substring(value, greatest(1, instr(CAST(value AS STRING), '{')))"
    return _finished(_parts(orders, text), PROBLEM.replace("NOT framed", "length(value) < 5"))


def wrong_id_as_small_number(orders: DataFrame) -> DataFrame:
    """Two bytes of the id."""
    parts = _parts(orders).withColumn(
        "id", F.expr("CAST(conv(hex(substring(value, 4, 2)), 16, 10) AS INT)")
    )
    return _finished(parts, PROBLEM)


def wrong_payload_first(orders: DataFrame) -> DataFrame:
    """The payload is judged before the schema."""
    return _finished(
        _parts(orders),
        """CASE WHEN NOT framed THEN 'no prefix'
        WHEN o.order_id IS NULL OR o.cents IS NULL THEN 'broken payload'
        WHEN id NOT IN (7, 263) THEN 'unknown schema' END""",
    )


def wrong_only_order_id(orders: DataFrame) -> DataFrame:
    """An order without cents passes."""
    return _finished(_parts(orders), PROBLEM.replace(" OR o.cents IS NULL", ""))


def wrong_struct_is_null(orders: DataFrame) -> DataFrame:
    """The struct of from_json is compared with null, and it never is."""
    return _finished(
        _parts(orders), PROBLEM.replace("o.order_id IS NULL OR o.cents IS NULL", "o IS NULL")
    )


def wrong_more_than_five_bytes(orders: DataFrame) -> DataFrame:
    """A prefix without a payload is called no prefix."""
    parts = _parts(orders).withColumn("framed", F.expr("framed AND length(value) > 5"))
    return _finished(parts, PROBLEM)


def wrong_the_newest_schema_only(orders: DataFrame) -> DataFrame:
    """Version 1 is unknown."""
    return _finished(_parts(orders), PROBLEM.replace("(7, 263)", "(263)"))


def wrong_range_of_ids(orders: DataFrame) -> DataFrame:
    """All ids from 7 to 263 pass."""
    return _finished(_parts(orders), PROBLEM.replace("NOT IN (7, 263)", "NOT BETWEEN 7 AND 263"))


def wrong_default_in_every_row(orders: DataFrame) -> DataFrame:
    """Records with a fault have a currency."""
    rows = _finished(_parts(orders), PROBLEM)
    return rows.fillna("EUR", subset=["currency"])


def wrong_default_in_place_of_a_currency(orders: DataFrame) -> DataFrame:
    """The currency is always the default."""
    return _finished(_parts(orders), PROBLEM, "'EUR'")


def wrong_duplicates_dropped(orders: DataFrame) -> DataFrame:
    """The same bytes a second time emit no row."""
    return _finished(_parts(orders.dropDuplicates(["value"])), PROBLEM)


def wrong_fields_of_a_fault(orders: DataFrame) -> DataFrame:
    """Records with a fault keep what could be read."""
    judged = _parts(orders).withColumn("problem", F.expr(PROBLEM))
    return judged.selectExpr(
        "IF(framed, id, NULL) AS schema_id",
        "o.order_id",
        "o.cents",
        "IF(problem IS NULL, coalesce(o.currency, 'EUR'), NULL) AS currency",
        "problem",
    )
