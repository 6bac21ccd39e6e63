"""Ordering, grouping and aggregation."""
