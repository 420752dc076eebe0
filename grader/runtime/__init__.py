"""What the lab is built on: Java, locked jars, the broker, the Spark session."""
