from pyspark.sql import functions as F


def with_filter(clicks):
    """filter() and a comparison in place of where()."""
    return clicks.filter(F.col("bought") == F.lit(True)).select(F.col("page"))
