"""Other ends of a stream than the lab's own Kafka: real servers that a lesson starts and ends."""
