"""Other right ways to count crates."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout


def all_pieces_put_together(crates: DataFrame) -> DataFrame:
    """Puts the pieces together first, and keeps the numbers as one text."""

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        batch = pd.concat(list(chunks))
        (before,) = state.get if state.exists else ("0 0",)
        number, pieces = map(int, before.split())
        number, pieces = number + len(batch), pieces + int(batch["pieces"].fillna(0).sum())
        state.update((f"{number} {pieces}",))
        yield pd.DataFrame({"fruit": [key[0]], "crates": [number], "pieces": [pieces]})

    return crates.groupBy("fruit").applyInPandasWithState(
        count,
        "fruit STRING, crates LONG, pieces LONG",
        "counts STRING",
        "update",
        GroupStateTimeout.NoTimeout,
    )


def kept_after_each_piece(crates: DataFrame) -> DataFrame:
    """Keeps the numbers after each piece, and reads them from the state again; no null reaches Python."""

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        for chunk in chunks:
            number, pieces = state.getOption or (0, 0)
            state.update((number + chunk.shape[0], pieces + chunk["pieces"].sum()))
        number, pieces = state.get
        yield pd.DataFrame([(key[0], number, pieces)], columns=["fruit", "crates", "pieces"])

    return (
        crates.withColumn("pieces", F.coalesce("pieces", F.lit(0)))
        .groupBy("fruit")
        .applyInPandasWithState(
            count,
            "fruit STRING, crates LONG, pieces LONG",
            "crates LONG, pieces LONG",
            "update",
            GroupStateTimeout.NoTimeout,
        )
    )
