"""Other right readings of the wire format."""

from collections.abc import Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def in_sql(orders: DataFrame) -> DataFrame:
    """The same in SQL, with an id of four single bytes and a schema for each version."""
    orders.createOrReplaceTempView("raw_orders")
    return orders.sparkSession.sql(
        """
        WITH framed AS (
            SELECT value, length(value) >= 5 AND hex(left(value, 1)) = '00' AS ok, hex(value) AS h
            FROM raw_orders WHERE value IS NOT NULL
        ), numbered AS (
            SELECT *, CASE WHEN ok THEN int(conv(substr(h, 3, 8), 16, 10)) END AS schema_id,
                   decode(unhex(substr(h, 11)), 'UTF-8') AS text
            FROM framed
        ), parsed AS (
            SELECT *, CASE schema_id
                WHEN 7 THEN named_struct('o', from_json(text, 'order_id STRING, cents BIGINT'), 'c', 'EUR')
                WHEN 263 THEN named_struct('o', from_json(text, 'order_id STRING, cents BIGINT'),
                                           'c', coalesce(get_json_object(text, '$.currency'), 'EUR'))
            END AS p FROM numbered
        ), judged AS (
            SELECT schema_id, p, CASE WHEN NOT ok THEN 'no prefix' WHEN p IS NULL THEN 'unknown schema'
                WHEN p.o.order_id IS NULL OR p.o.cents IS NULL THEN 'broken payload' END AS problem
            FROM parsed
        )
        SELECT schema_id, if(problem IS NULL, p.o.order_id, NULL) AS order_id,
               if(problem IS NULL, p.o.cents, NULL) AS cents,
               if(problem IS NULL, p.c, NULL) AS currency, problem
        FROM judged
        """
    )


def in_python(orders: DataFrame) -> DataFrame:
    """Read with Python's struct and json."""

    def read(tables: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        import json
        import struct

        def row(value: bytes) -> tuple:
            if len(value) < 5 or value[0] != 0:
                return (None, None, None, None, "no prefix")
            (number,) = struct.unpack(">I", value[1:5])
            if number not in (7, 263):
                return (number, None, None, None, "unknown schema")
            try:
                order = json.loads(value[5:])
                found = (order["order_id"], order["cents"], order.get("currency", "EUR"))
            except (ValueError, KeyError):
                return (number, None, None, None, "broken payload")
            return (number, *found, None)

        for table in tables:
            rows = [row(bytes(value)) for value in table["value"]]
            names = ["schema_id", "order_id", "cents", "currency", "problem"]
            yield pd.DataFrame(rows, columns=names, dtype=object)

    columns = "schema_id INT, order_id STRING, cents BIGINT, currency STRING, problem STRING"
    return orders.where(F.col("value").isNotNull()).select("value").mapInPandas(read, columns)
