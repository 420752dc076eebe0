"""Shopping carts that are given up after ten minutes, as in the lesson."""

from collections.abc import Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout


def subject(things: DataFrame) -> DataFrame:
    """Total of each customer's cart after each batch, given up after ten minutes without a thing."""

    def fill_cart(
        key: tuple[str], chunks: Iterator[pd.DataFrame], cart: GroupState
    ) -> Iterator[pd.DataFrame]:
        (customer,) = key
        if cart.hasTimedOut:
            (total,) = cart.get
            cart.remove()
            yield pd.DataFrame({"customer": [customer], "total": [total], "what": ["given up"]})
            return
        added = pd.concat(list(chunks))
        (before,) = cart.get if cart.exists else (0.0,)
        total = before + float(added["price"].sum())
        cart.update((total,))
        give_up = added["time"].max() + pd.Timedelta(minutes=10)
        cart.setTimeoutTimestamp(int(give_up.timestamp() * 1000))
        yield pd.DataFrame({"customer": [customer], "total": [total], "what": ["filled"]})

    return (
        things.withWatermark("time", "1 minute")
        .groupBy("customer")
        .applyInPandasWithState(
            fill_cart,
            outputStructType="customer STRING, total DOUBLE, what STRING",
            stateStructType="total DOUBLE",
            outputMode="append",
            timeoutConf=GroupStateTimeout.EventTimeTimeout,
        )
    )
