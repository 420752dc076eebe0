"""Other right ways to the same key."""

import hashlib
import uuid

ALARMS = uuid.uuid5(uuid.NAMESPACE_URL, "https://shop.example/alarms")


def joined(page: str, start: int, clicks: int) -> str:
    """Puts the name together with join."""
    return f"{uuid.uuid5(ALARMS, ' '.join([page, str(start)]))}"


def by_its_definition(page: str, start: int, clicks: int) -> str:
    """As RFC 9562 defines version 5: SHA-1 of namespace and name, cut to 16 bytes, version and variant set."""
    name = f"{page} {start}".encode()
    digest = hashlib.sha1(ALARMS.bytes + name, usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest[:16], version=5))
