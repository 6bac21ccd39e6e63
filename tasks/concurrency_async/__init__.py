"""Concurrency under a fixed schedule."""
