from pyspark.sql import functions as F


def everything(clicks):
    """All clicks come out.

    Selecting a column keeps every row. What takes rows away?
    """
    return clicks.select("page")


def the_others(clicks):
    """The filter is the wrong way round.

    Read the condition aloud: which clicks does it keep?
    """
    return clicks.where(~F.col("bought")).select("page")


def null_is_kept(clicks):
    """Unknown counts as bought.

    What does your condition say of a click whose `bought` is null?
    """
    return clicks.where(F.coalesce("bought", F.lit(True))).select("page")
