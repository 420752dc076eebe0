#!/bin/sh
# One image, many parts: kafka, spark-master, spark-worker, lab; any other command runs as it is.
set -eu
HOME_OF_LAB=/opt/stateful-streams
SPARK_HOME=$(python -c 'from grader.runtime.jars import spark_home; print(spark_home())')
export SPARK_HOME

# Hadoop asks for the user's name; `user:` in a compose file may be one that the image does not know.
if ! getent passwd "$(id -u)" >/dev/null; then
  { cat /etc/passwd; echo "learner-$(id -u):x:$(id -u):$(id -g)::/tmp:/bin/sh"; } >/tmp/passwd
  export LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD=/tmp/passwd NSS_WRAPPER_GROUP=/etc/group
  export HOME=/tmp
fi

# Spark's parts find each other by address: Compose's names may hold signs that Spark refuses.
if [ -n "${GRADER_SPARK_MASTER:-}" ]; then
  SPARK_LOCAL_IP=$(hostname -i | cut -d' ' -f1)
  SPARK_LOCAL_HOSTNAME=$SPARK_LOCAL_IP
  export SPARK_LOCAL_IP SPARK_LOCAL_HOSTNAME
fi

# A driver on the host knows Kafka by an address of the host's loopback: let it mean the same here.
forward() {
  socat "TCP-LISTEN:$1,bind=127.0.0.1,fork,reuseaddr" "TCP:kafka:$2" &
}

case ${1:-lab} in
  kafka)
    exec python "$HOME_OF_LAB/docker/kafka_server.py"
    ;;
  spark-master)
    exec "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.master.Master \
      --host spark-master --port 7077 --webui-port 8080
    ;;
  spark-worker)
    forward "$KAFKA_HOST_PORT" 29092
    forward "$KAFKA_HOST_TLS_PORT" 29093
    exec "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.worker.Worker \
      --cores "$WORKER_CORES" --memory "$WORKER_MEMORY" --work-dir /tmp/spark-work \
      --webui-port 8081 "$GRADER_SPARK_MASTER"
    ;;
  lab)
    python "$HOME_OF_LAB/docker/hand_out.py" "$HOME_OF_LAB/course" /work
    cd /work
    exec grader lab --port 8888 --no-browser
    ;;
  *)
    exec "$@"
    ;;
esac
