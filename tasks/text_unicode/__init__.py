"""Text and Unicode."""
