"""The Docker engine of this machine: the course's image, and why no engine answers."""

IMAGE = "stateful-streams:latest"


def no_engine(said: str) -> str:
    """Why `docker info` failed, based on its output, and the fix."""
    if "permission denied" in said.lower():
        return (
            "Docker runs, but you may not use it: sudo usermod -aG docker $USER, then log out and in "
            "again."
        )
    last = said.strip().splitlines()[-1:] or ["(it says nothing)"]
    return (
        f"No Docker engine answers: {last[0]} Start Docker Desktop, or: sudo systemctl start docker. On a "
        "bare Debian machine: sudo docker/engine.sh up"
    )
