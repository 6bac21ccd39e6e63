"""Parsing, serialisation and binary."""
