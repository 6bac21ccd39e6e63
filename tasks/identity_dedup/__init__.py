"""Identity, equality and deduplication."""
