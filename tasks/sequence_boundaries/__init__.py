"""Sequences, iterators and batching."""
