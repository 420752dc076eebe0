"""The session that an answer may ask: settings, temporary views, SQL over them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from grader.model.watermark_policy import POLICIES
from grader.page.lab_only import OnlyTheLab
from grader.runtime.setting_names import ROCKSDB_PROVIDER, STATE_STORE, WATERMARK_POLICY

if TYPE_CHECKING:
    from grader.page.pyspark_stand_in.data_frame import DataFrame

# settings that change neither rows nor watermarks
_HARMLESS = ("spark.sql.shuffle.partitions",)
_PROVIDER = f"{STATE_STORE}providerClass"
_SET = re.compile(r"\s*SET\s+([\w.]+)\s*=\s*(\S+?)\s*;?\s*", re.I)


class Settings:
    """The settings of a session (`spark.conf`)."""

    def __init__(self) -> None:
        self.policy = "min"

    def set(self, key: str, value: Any) -> None:
        if key == WATERMARK_POLICY and str(value).lower() in POLICIES:
            self.policy = str(value).lower()
        elif key not in _HARMLESS and (key, value) != (_PROVIDER, ROCKSDB_PROVIDER):
            raise OnlyTheLab(f"the setting {key}")

    def __getattr__(self, name: str) -> Any:
        raise OnlyTheLab(f"spark.conf.{name}")


class SparkSession:
    """A session (pyspark.sql.SparkSession)."""

    def __init__(self) -> None:
        self.conf = Settings()
        self.views: dict[str, DataFrame] = {}

    def sql(self, sqlQuery: str, args: Any = None, **kwargs: Any) -> Any:
        if args or not isinstance(sqlQuery, str):
            raise OnlyTheLab("SQL with arguments")
        from grader.page.pyspark_stand_in.data_frame import DataFrame
        from grader.page.pyspark_stand_in.sql_statement import frame_of_statement

        text, views = sqlQuery, dict(self.views)
        for name, frame in kwargs.items():
            if not isinstance(frame, DataFrame):
                raise OnlyTheLab("SQL with arguments that are no DataFrames")
            views[f"_given_{name}".lower()] = frame
            text = text.replace(f"{{{name}}}", f"_given_{name}")
        setting = _SET.fullmatch(text)
        if setting:
            return self.conf.set(setting[1], setting[2])
        return frame_of_statement(text, views)

    def table(self, tableName: str) -> DataFrame:
        if not isinstance(tableName, str) or tableName.lower() not in self.views:
            raise OnlyTheLab(f"the table {tableName}")
        return self.views[tableName.lower()].alias(tableName)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise OnlyTheLab(f"SparkSession.{name}")
