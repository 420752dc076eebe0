from collections.abc import Iterator

import pytest
from testkit.planting import Shop


@pytest.fixture
def shop() -> Iterator[Shop]:
    found = Shop()
    yield found
    found.clear()
