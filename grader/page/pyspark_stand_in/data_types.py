"""pyspark.sql.types, as far as inputs and casts need them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.page.lab_only import OnlyTheLab


class DataType:
    """A type of Spark."""

    @classmethod
    def typeName(cls) -> str:
        return cls.__name__.removesuffix("Type").lower()

    def simpleString(self) -> str:
        return {"integer": "int", "long": "bigint"}.get(self.typeName(), self.typeName())


class NumericType(DataType):
    """Numbers."""


class IntegralType(NumericType):
    """Integers of any width."""


class IntegerType(IntegralType):
    """INT"""


class LongType(IntegralType):
    """BIGINT"""


class DoubleType(NumericType):
    """DOUBLE"""


class StringType(DataType):
    """STRING"""


class BooleanType(DataType):
    """BOOLEAN"""


class TimestampType(DataType):
    """TIMESTAMP"""


class TimestampNTZType(DataType):
    """TIMESTAMP without a time zone"""

    @classmethod
    def typeName(cls) -> str:
        raise OnlyTheLab("a timestamp without a time zone")


@dataclass(frozen=True)
class StructField:
    """A column of a schema."""

    name: str
    dataType: DataType
    nullable: bool = True
    metadata: Any = None


class StructType(DataType):
    """The columns of an input."""

    def __init__(self, fields: list[StructField] | None = None):
        self.fields = fields or []

    def __iter__(self) -> Iterator[StructField]:
        return iter(self.fields)


_BY_DDL: dict[str, type[DataType]] = {
    "string": StringType,
    "int": IntegerType,
    "bigint": LongType,
    "double": DoubleType,
    "boolean": BooleanType,
    "timestamp": TimestampType,
}


def columns_by_ddl(ddl: str) -> dict[str, str]:
    """The columns of an input's schema: name → type as SQL writes it, in lower case."""
    parts = [part.split() for part in ddl.split(",")]
    if any(len(part) != 2 or part[1].lower() not in _BY_DDL for part in parts):
        raise OnlyTheLab(f"an input with the columns {ddl}")
    return {name: type.lower() for name, type in parts}


def struct_by_ddl(ddl: str) -> StructType:
    """The same as a type."""
    columns = columns_by_ddl(ddl).items()
    return StructType([StructField(name, _BY_DDL[type]()) for name, type in columns])
