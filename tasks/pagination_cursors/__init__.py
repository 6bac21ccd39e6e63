"""Pagination, cursors and sync."""
