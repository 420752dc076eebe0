"""Records the change data of lesson 17 from PostgreSQL and Debezium; only authors need it."""
