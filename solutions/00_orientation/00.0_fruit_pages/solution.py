from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def example(clicks: DataFrame) -> DataFrame:
    """The clicks on pages below /fruit/."""
    return clicks.filter(F.col("page").startswith("/fruit/")).select("event_id", "page")
