"""Is this container's part ready? `healthy.py kafka|spark-master|spark-worker|lab`; exit code 0 = yes."""

import json
import os
import socket
import struct
import sys
import urllib.request


def kafka() -> bool:
    """The broker answers a client's first request (which versions do you speak?)."""
    with socket.create_connection(("127.0.0.1", 9092), timeout=3) as connection:
        request = struct.pack(">hhih", 18, 0, 1, -1)  # ApiVersions, version 0, id 1, no client id
        connection.sendall(struct.pack(">i", len(request)) + request)
        connection.settimeout(3)
        return len(connection.recv(16)) > 4


def spark_master() -> bool:
    """The master leads."""
    return page("127.0.0.1", 8080).get("status") == "ALIVE"


def spark_worker() -> bool:
    """The master counts this worker among the living."""
    own = socket.gethostbyname(socket.gethostname())
    workers = page(os.environ.get("SPARK_MASTER_PAGE", "spark-master"), 8080)["workers"]
    return any(w["host"] == own and w["state"] == "ALIVE" for w in workers)


def lab() -> bool:
    """JupyterLab answers."""
    return "version" in read("http://127.0.0.1:8888/api")


def page(host: str, port: int) -> dict:
    return read(f"http://{host}:{port}/json/")


def read(url: str) -> dict:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, timeout=3) as answer:
        return json.load(answer)


if __name__ == "__main__":
    parts = {
        "kafka": kafka,
        "spark-master": spark_master,
        "spark-worker": spark_worker,
        "lab": lab,
    }
    try:
        ready = parts[sys.argv[1]]()
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    sys.exit(not ready)
