"""Retry, rate limits and backoff."""
