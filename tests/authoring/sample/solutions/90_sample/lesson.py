# %% [markdown]
# # A sample lesson
#
# ![One click that bought something comes out.](90.0.svg)

# %% tags=["given"]
import grader
from pyspark.sql import DataFrame, functions as F


# %% tags=["example"]
def bought(clicks: DataFrame) -> DataFrame:
    return clicks.where(F.col("bought")).select("page")


# %% [markdown]
# ## Exercise 90.1: Purchases
#
# Which pages sell? Write `purchases(clicks)`.
#
# **Input** · `clicks`: `page STRING`, `bought BOOLEAN`, which is null if it is unknown.
#
# **Output** · the `page` of each purchase.
#
# **Rules**
# 1. A click that bought nothing is left out.
# 2. A click of which this is unknown is left out.
#
# **Checked** · the rows.


# %% nbgrader={"grade": false, "grade_id": "purchases", "locked": false, "solution": true}
def purchases(clicks: DataFrame) -> DataFrame:
    """The page of every click that bought something."""
    ### BEGIN SOLUTION
    return clicks.where("bought").select("page")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-purchases", "locked": true, "points": 2, "solution": false}
grader.check("90.1", purchases)
