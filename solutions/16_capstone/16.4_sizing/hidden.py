"""Other loads: one decides the cores, one the topic, one the state; each also to the click and a click more."""

import random as randoms

from grader.authoring.repeated_calls import own_calls
from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    rate = 2 * random.randrange(4000, 15_000)
    cores = random.randint(3, 9)
    full = cores * rate // 2
    base = {
        "clicks": full,
        "pages": random.randrange(40, 4000),
        "core_rate": rate,
        "record_bytes": random.randrange(40, 90),
        "partition_bytes": 5_000_000,
        "row_bytes": 200,
    }
    rounds = random.randint(2, 4)
    pages = rounds * cores * 1_000_000 // 3 // 3 * 3  # below the edge of 200 MB a partition
    calls = [
        base,
        {**base, "clicks": full + 1},
        {**base, "clicks": full - random.randrange(1, rate // 4)},
        {**base, "clicks": full * 1000, "pages": base["pages"] * 1000},
        {**base, "record_bytes": 5000},
        {**base, "record_bytes": 5000, "partition_bytes": 10_000_000},
        {**base, "pages": pages},
        {**base, "pages": pages + 600_000},
        {**base, "clicks": rate // 3, "pages": random.randrange(1, 30)},
        {**base, "clicks": rate // 2, "pages": 900_000 + random.randrange(9000), "row_bytes": 300},
    ]
    calls += own_calls(__file__, ["clicks", "core_rate", "partition_bytes"], random.choice([2, 4]))
    random.shuffle(calls)
    odd, half = 2 * random.randrange(2000, 7000) + 1, random.randint(2, 5)
    clicks = half * odd  # just what 2 * half cores do, busy half of the time
    calls.append({**base, "core_rate": odd, "clicks": clicks})
    # the topic needs one partition more than twice the cores
    one_more = -(-clicks * 1000 // (4 * half + 1))
    longer = {"record_bytes": 1000, "partition_bytes": one_more}
    calls.append({**base, "core_rate": odd, "clicks": clicks, **longer})
    return Scenario([Event(step, "loads", call) for step, call in enumerate(calls, start=1)])
