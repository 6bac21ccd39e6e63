"""Integers, precision and money."""
