"""What the lab stands on: Java, locked jars, the broker, the Spark session."""
