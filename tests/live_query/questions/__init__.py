"""Public questions about Structured Streaming, each as a query on the lab; questions.toml says what is asked of each."""
