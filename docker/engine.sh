#!/usr/bin/env bash
# A Docker engine where none runs (CI, a bare Debian machine), and the base image where no registry
# can be reached. An engine that already runs is used as it is and never stopped.
#   docker/engine.sh up     start an engine if none runs (needs root on Debian), fetch the base image
#   docker/engine.sh down   stop the engine that `up` started
set -euo pipefail

BASE=debian:bookworm-slim
RUN=${GRADER_ENGINE_RUN:-/run/stateful-streams-engine}

runs() { docker info >/dev/null 2>&1; }

mend() {
  echo "No Docker engine answers. $1" >&2
  exit 1
}

start() {
  command -v apt-get >/dev/null || mend "Start Docker (Docker Desktop, or: systemctl start docker)."
  [ "$(id -u)" -eq 0 ] || mend "Start it (sudo systemctl start docker), and be a member of the group docker."
  local missing=()
  command -v dockerd >/dev/null || missing+=(docker.io iptables)
  docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || missing+=(docker-compose)
  if [ ${#missing[@]} -gt 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
  runs && return  # the package may have started it
  mkdir -p "$RUN"
  setsid dockerd >"$RUN/log" 2>&1 </dev/null &
  echo $! >"$RUN/pid"
  for _ in $(seq 120); do
    runs && return
    kill -0 "$(cat "$RUN/pid")" 2>/dev/null || break
    sleep 0.5
  done
  tail -20 "$RUN/log" >&2
  rm -f "$RUN/pid"
  mend "dockerd did not start; the end of its log ($RUN/log) is above."
}

base() {
  docker image inspect "$BASE" >/dev/null 2>&1 && return
  docker pull -q "$BASE" && return
  echo "$BASE could not be pulled (see above): making it with debootstrap" >&2
  [ "$(id -u)" -eq 0 ] || {
    echo "To make $BASE without a registry, run docker/engine.sh up as root on Debian." >&2
    exit 1
  }
  command -v debootstrap >/dev/null || {
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
  }
  local root
  root=$(mktemp -d)
  trap 'rm -rf "$root"' RETURN
  debootstrap --variant=minbase bookworm "$root" >/dev/null
  # the updates of where debootstrap itself got the packages from, as this machine names them
  if [ -f /etc/apt/sources.list.d/debian.sources ] && grep -q bookworm /etc/apt/sources.list.d/debian.sources; then
    cp /etc/apt/sources.list.d/debian.sources "$root/etc/apt/sources.list.d/"
    rm -f "$root/etc/apt/sources.list"
  fi
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/doc/*
  tar -C "$root" -c . | docker import - "$BASE" >/dev/null
}

stop() {
  [ -s "$RUN/pid" ] || return 0
  local pid
  pid=$(cat "$RUN/pid")
  kill "$pid" 2>/dev/null || true
  for _ in $(seq 60); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.5
  done
  rm -rf "$RUN"
}

case ${1:-} in
  up) runs || start; base ;;
  down) stop ;;
  *) sed -n 2,5p "$0"; exit 2 ;;
esac
