"""PostgreSQL with Debezium, and a schema registry, for lesson 17: live, and recorded for its datasets."""
