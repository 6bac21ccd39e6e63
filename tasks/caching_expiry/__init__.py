"""Caching and expiry."""
