#!/usr/bin/env bash
# Run a command on the host with its Spark driver here, and executors and Kafka in the containers:
#   docker/host-driver.sh .venv/bin/grader lab
# Builds the image and brings up Kafka, the master and the workers if they are not up; they stay up.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { sed -n 2,4p "$0"; exit 2; }

program=$(command -v "$1") || { echo "There is no command $1." >&2; exit 2; }
python=$(dirname "$program")/python
[ -x "$python" ] || python=.venv/bin/python
"$python" - >&2 <<'PYTHON'
import sys
from pathlib import Path

if sys.version_info[:2] != (3, 11):
    sys.exit("A driver and its workers need one version of Python. The workers' is 3.11, this one's is "
             f"{sys.version.split()[0]}. Mend: rm -rf .venv && make setup PYTHON=python3.11")
from grader.lab.docker_lab import build
from grader.errors import SetupError
try:
    build(Path.cwd())
except SetupError as error:
    sys.exit(str(error))
PYTHON

COMPOSE=(docker compose)
docker compose version >/dev/null 2>&1 || COMPOSE=(docker-compose)
PROJECT=${COMPOSE_PROJECT_NAME:-stateful-streams}

export GRADER_CHECKPOINTS=${GRADER_CHECKPOINTS:-$PWD/build/checkpoints}
HOST_USER=$(id -u):$(id -g)
export HOST_USER
mkdir -p "$GRADER_CHECKPOINTS"
"${COMPOSE[@]}" -p "$PROJECT" -f docker/compose.yaml -f docker/compose.host-driver.yaml \
  up -d --no-build kafka spark-master spark-worker

echo "Waiting for two workers" >&2
page=http://127.0.0.1:${SPARK_PAGE_PORT:-8080}/json/
python3 - "$page" "${COMPOSE[*]} -p $PROJECT -f docker/compose.yaml logs" <<'PYTHON'
import json, sys, time, urllib.request
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
for _ in range(240):
    try:
        workers = json.load(direct.open(sys.argv[1], timeout=3))["workers"]
        if sum(worker["state"] == "ALIVE" for worker in workers) >= 2:
            sys.exit()
    except OSError:
        pass
    time.sleep(0.5)
sys.exit(f"The workers did not come up; look with: {sys.argv[2]}")
PYTHON

# The certificate of the containers' authority, where the workers see it under the same path.
docker exec "$("${COMPOSE[@]}" -p "$PROJECT" -f docker/compose.yaml ps -q kafka)" cat /tls/ca.pem \
  >"$GRADER_CHECKPOINTS/kafka-authority.pem"

# How the containers call the host: Docker Desktop has a name for it, elsewhere it is the gateway.
gateway=$(docker network inspect "${PROJECT}_default" --format '{{(index .IPAM.Config 0).Gateway}}')
host=$gateway bind=$gateway
if [ "$(uname -s)" != Linux ] || grep -qi microsoft /proc/version 2>/dev/null; then
  host=host.docker.internal bind=127.0.0.1
fi
mkdir -p build
{
  cat docker/spark.conf
  echo "spark.driver.host $host"
  echo "spark.driver.bindAddress $bind"
} >build/host-driver.conf

echo "Kafka and Spark stay up. To stop them: ${COMPOSE[*]} -p $PROJECT -f docker/compose.yaml down" >&2
export GRADER_KAFKA=127.0.0.1:${KAFKA_PORT:-29092}
export GRADER_KAFKA_TLS=127.0.0.1:${KAFKA_TLS_PORT:-29093}
export GRADER_KAFKA_AUTHORITY=$GRADER_CHECKPOINTS/kafka-authority.pem
export GRADER_SPARK_MASTER=spark://127.0.0.1:${SPARK_PORT:-7077}
export GRADER_SPARK_CONF=$PWD/build/host-driver.conf
export SPARK_LOCAL_IP=$bind
export PYSPARK_PYTHON=python3  # the driver's own here, the image's in the workers
exec "$@"
