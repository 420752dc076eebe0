"""The operators as data: what a solution has, and what a wrong answer would have there.

One list for the whole course. What needs more than a look into a table is in `steps`.
"""

from __future__ import annotations

# time units from small to large, with what one holds of the next smaller
UNITS = ["millisecond", "second", "minute", "hour", "day"]
FINER = {"second": 1000, "minute": 60, "hour": 60, "day": 24}

COMPARISONS = {
    "Gt": [">=", "<", "=="],
    "GtE": [">", "<=", "=="],
    "Lt": ["<=", ">", "=="],
    "LtE": ["<", ">=", "=="],
    "Eq": ["!=", ">=", "<="],
    "NotEq": ["=="],
    "Is": ["is not"],
    "IsNot": ["is"],
    "In": ["not in"],
    "NotIn": ["in"],
}
SQL_COMPARISONS = {
    ">": [">=", "<"],
    ">=": [">", "<="],
    "<": ["<=", ">"],
    "<=": ["<", ">="],
    "=": ["!="],
    "!=": ["="],
}
SQL_WORDS = {"AND": ["OR"], "OR": ["AND"], "IS NULL": ["IS NOT NULL"], "IS NOT NULL": ["IS NULL"]}
LOGIC = {"BitAnd": "|", "BitOr": "&", "And": "or", "Or": "and"}
ARITHMETIC = {"Add": "-", "Sub": "+", "Mult": "/", "Div": "*"}

# what a group of rows can be aggregated to, by the function F.name that does it; the last is the number
# of different values, counted exactly
AGGREGATES = {
    name: f"F.{name}({{}})" for name in ("count", "sum", "max", "min", "avg", "first", "last")
} | {"size": "F.size(F.collect_set({}))"}
# F.name → F.other with the same arguments
FUNCTIONS = {
    "timestamp_millis": ["timestamp_seconds", "timestamp_micros"],
    "timestamp_seconds": ["timestamp_millis", "timestamp_micros"],
    "floor": ["ceil", "round"],
    "round": ["floor"],
    "window": ["session_window"],
    "session_window": ["window"],
}
# thing.name(…) → thing.other(…)
METHODS = {
    "startswith": ["contains", "endswith"],
    "contains": ["startswith", "endswith"],
    "endswith": ["contains", "startswith"],
    "isNull": ["isNotNull"],
    "isNotNull": ["isNull"],
    "dropDuplicates": ["dropDuplicatesWithinWatermark"],
    "dropDuplicatesWithinWatermark": ["dropDuplicates"],
    "max": ["min"],
    "min": ["max"],
    "sum": ["mean"],
    "mean": ["sum"],
}
ATTRIBUTES = {
    "EventTimeTimeout": ["ProcessingTimeTimeout", "NoTimeout"],
    "ProcessingTimeTimeout": ["EventTimeTimeout", "NoTimeout"],
}

# words that are an argument of one of these calls
JOINS = ["inner", "left", "right", "full", "left_semi", "left_anti"]
JOIN_NAMES = {
    "leftouter": "left", "left_outer": "left", "rightouter": "right", "right_outer": "right",
    "outer": "full", "fullouter": "full", "full_outer": "full", "leftsemi": "left_semi",
    "leftanti": "left_anti", "anti": "left_anti", "semi": "left_semi",
}  # fmt: skip
# calls of two tables: the first one decides whose rows are kept, and whose columns come first
TWO_SIDED = {"join", "exceptAll", "subtract"}
OUTPUT_MODES = ["append", "update", "complete"]
_STORE = "org.apache.spark.sql.execution.streaming.state."
# a setting's value → what it could be as well
SETTINGS = {
    "earliest": ["latest"],
    "latest": ["earliest"],
    "max": ["min"],
    "min": ["max"],
    "true": ["false"],
    "false": ["true"],
    _STORE + "RocksDBStateStoreProvider": [_STORE + "HDFSBackedStateStoreProvider"],
    _STORE + "HDFSBackedStateStoreProvider": [_STORE + "RocksDBStateStoreProvider"],
}
SETTERS = {"option", "set", "options", "config", "trigger"}

# calls that take one or several keys, and work with one more
KEYED = {"groupBy", "dropDuplicates", "dropDuplicatesWithinWatermark", "sort_values"}
# calls whose strings are searched in the data
TEXTED = {"startswith", "contains", "endswith", "lit", "like", "rlike", "isin"}
# calls whose string names the result, not something that is read
NAMING = {"alias", "queryName", "withColumnRenamed"}
SQL_TAKING = {"expr", "selectExpr", "sql", "where", "filter"}

# the columns of a stream that is not parsed yet
KAFKA_COLUMNS = {"key": "BINARY", "value": "BINARY", "timestamp": "TIMESTAMP"}
NO_STREAM = {"spark", "kafka", "checkpoint"}
