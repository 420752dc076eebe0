from grader.scenario import Event, Scenario


def hidden(random):
    pages = [random.choice(["home", "shoes", "hats"]) for _ in range(6)]
    return Scenario(
        [
            Event(1 + i // 3, "clicks", {"page": p, "bought": i % 2 == 0})
            for i, p in enumerate(pages)
        ]
    )
