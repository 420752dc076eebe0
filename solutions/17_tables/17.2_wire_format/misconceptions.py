"""Readings of the wire format that are wrong for a byte, a version or a fault."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

_ORDER = "order_id STRING, cents BIGINT, currency STRING"
_KNOWN = (7, 263)


def _framed() -> Column:
    return (F.length("value") >= 5) & (F.substring("value", 1, 1) == F.lit(b"\0"))


def _big_endian() -> Column:
    return F.conv(F.hex(F.substring("value", 2, 4)), 16, 10).cast("int")


def _payload(first: int = 6) -> Column:
    return F.from_json(F.expr(f"string(substring(value, {first}))"), _ORDER)


def _complete() -> Column:
    return F.col("o.order_id").isNotNull() & F.col("o.cents").isNotNull()


def _rows(
    orders: DataFrame,
    *,
    number: Column | None = None,
    framed: Column | None = None,
    known: Column | None = None,
    payload: Column | None = None,
    complete: Column | None = None,
    currency: Column | None = None,
) -> DataFrame:
    """The rows of the task, with a part replaced."""
    framed = _framed() if framed is None else framed
    number = _big_endian() if number is None else number
    read = orders.where("value IS NOT NULL").select(
        "value",
        F.when(framed, number).alias("schema_id"),
        framed.alias("framed"),
        (_payload() if payload is None else payload).alias("o"),
    )
    problem = (
        F.when(~F.col("framed"), "no prefix")
        .when(~(F.col("schema_id").isin(*_KNOWN) if known is None else known), "unknown schema")
        .when(~(_complete() if complete is None else complete), "broken payload")
    )
    money = F.coalesce("o.currency", F.lit("EUR")) if currency is None else currency
    values = [F.col("o.order_id"), F.col("o.cents"), money.alias("currency")]
    return read.withColumn("problem", problem).select(
        "schema_id",
        *[
            F.when(F.col("problem").isNull(), value).alias(name)
            for name, value in zip(("order_id", "cents", "currency"), values, strict=True)
        ],
        "problem",
    )


def whole_value_parsed(orders: DataFrame) -> DataFrame:
    """Prefix parsed as part of the JSON

    Every record has the problem "broken payload", the valid ones too. `from_json` got the whole value. A value that begins
    with five bytes that are not JSON becomes a struct of nulls, without an error. Where does the JSON begin?
    """
    return _rows(orders, payload=_payload(1))


def nulls_without_a_problem(orders: DataFrame) -> DataFrame:
    """Whole value parsed, and no problem noticed

    Nearly every row of your output has only nulls, and no problem. `from_json` got the whole value. Five bytes that are not
    JSON come first, and it returned nulls without an error. Where does the JSON begin, and what do the five bytes say?
    """
    null = F.lit(None)
    whole = F.from_json(F.col("value").cast("string"), _ORDER)
    read = orders.where("value IS NOT NULL").select(whole.alias("o"))
    number, problem = null.cast("int").alias("schema_id"), null.cast("string").alias("problem")
    return read.select(number, "o.*", problem)


def plain_json_accepted(orders: DataFrame) -> DataFrame:
    """Records without a prefix accepted

    The order o06 is in your output, and its record has no prefix. Nothing says by which schema it was written, so
    by rule 2 it is a fault. What does your query do with a value that begins with a brace?
    """
    plain = F.substring("value", 1, 1) == F.lit(b"{")
    read = F.when(plain, F.from_json(F.col("value").cast("string"), _ORDER)).otherwise(_payload())
    number = F.when(plain, 7).otherwise(_big_endian())
    return _rows(orders, framed=_framed() | plain, number=number, payload=read)


def first_byte_unchecked(orders: DataFrame) -> DataFrame:
    """First byte not checked

    A record whose first byte is 1 was read as an order, or plain JSON got an unknown schema id. The first byte
    is the version of the format; only 0 means that an id of four bytes follows. Where do you compare it?
    """
    return _rows(orders, framed=F.length("value") >= 5)


def length_unchecked(orders: DataFrame) -> DataFrame:
    """Length of the prefix not checked

    A value of three bytes got a schema id. Its first byte is 0, and then two bytes are left where four are needed.
    How long is a value with a whole prefix?
    """
    return _rows(orders, framed=F.substring("value", 1, 1) == F.lit(b"\0"))


def little_endian(orders: DataFrame) -> DataFrame:
    """Schema id read in little-endian order

    The ids in your output are far greater than the ids of the registry. The first of the four bytes is the
    highest one, so 00 00 01 07 is 1 × 256 + 7. In which order does your query read them?
    """
    reverse = F.concat(*[F.hex(F.substring("value", place, 1)) for place in (5, 4, 3, 2)])
    return _rows(orders, number=F.conv(reverse, 16, 10).cast("int"))


def last_byte_only(orders: DataFrame) -> DataFrame:
    """Schema id read from one byte

    Records of schema 263 got the id 7. 263 is 1 × 256 + 7, so its last byte is 7, too. How many bytes
    does an id have?
    """
    return _rows(orders, number=F.conv(F.hex(F.substring("value", 5, 1)), 16, 10).cast("int"))


def any_schema_accepted(orders: DataFrame) -> DataFrame:
    """Schema id read, but not checked

    A record of schema 264 was read as an order. It is a return: a different subject with the same fields. The payload
    cannot tell you, only the id can. Which ids are orders?
    """
    return _rows(orders, known=F.lit(True))


def payload_before_the_id(orders: DataFrame) -> DataFrame:
    """Payload judged before the schema id

    A record of schema 8 has the problem "broken payload" in your output. The schema is of another team, so its payload need
    not be an order. Which of the two problems comes first by rules 4 and 5?
    """
    read = orders.where("value IS NOT NULL").select(
        F.when(_framed(), _big_endian()).alias("schema_id"),
        _framed().alias("framed"),
        _payload().alias("o"),
    )
    problem = (
        F.when(~F.col("framed"), "no prefix")
        .when(~_complete(), "broken payload")
        .when(~F.col("schema_id").isin(*_KNOWN), "unknown schema")
    )
    right = F.col("problem").isNull()
    return read.withColumn("problem", problem).select(
        "schema_id",
        F.when(right, F.col("o.order_id")).alias("order_id"),
        F.when(right, F.col("o.cents")).alias("cents"),
        F.when(right, F.coalesce("o.currency", F.lit("EUR"))).alias("currency"),
        "problem",
    )


def payload_unchecked(orders: DataFrame) -> DataFrame:
    """Broken payload emitted as an order of nulls

    A truncated payload became a row without a problem. `from_json` reports no error. Which fields does every
    valid order have?
    """
    return _rows(orders, complete=F.lit(True))


def no_default(orders: DataFrame) -> DataFrame:
    """Default of the schema not applied

    Orders without a currency have null. The default is in the schema, and JSON does not carry the schema. So the
    reader has to apply it. Which orders are without a currency?
    """
    return _rows(orders, currency=F.col("o.currency"))


def default_for_version_1_only(orders: DataFrame) -> DataFrame:
    """Default applied to version 1 only

    The order o04 has no currency, and was written with version 2. The field is optional in version 2, so a producer
    may leave it out. On what does your default depend?
    """
    return _rows(
        orders, currency=F.when(F.col("schema_id") == 7, "EUR").otherwise(F.col("o.currency"))
    )


def faults_dropped(orders: DataFrame) -> DataFrame:
    """Records with a fault dropped

    Your query emitted no row for a record with a fault. A producer with a wrong serializer then
    looks like a quiet day. Which filter drops these records?
    """
    return _rows(orders).where("problem IS NULL")


def tombstone_as_a_row(orders: DataFrame) -> DataFrame:
    """Tombstone emitted as a row

    Your query emitted a row for the tombstone. Its value is null: there is no prefix to miss and no payload to read.
    What does rule 1 say about it?
    """
    return _rows(orders.withColumn("value", F.coalesce("value", F.lit(b""))))


def id_of_a_fault_hidden(orders: DataFrame) -> DataFrame:
    """Schema id missing in records with a fault

    A record with a prefix and a fault has no `schema_id` in your output. The id tells the shop which schema to look up. When
    is it null by rule 7?
    """
    rows = _rows(orders)
    return rows.withColumn("schema_id", F.when(F.col("problem").isNull(), F.col("schema_id")))
