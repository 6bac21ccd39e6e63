"""Validation, escaping and security."""
