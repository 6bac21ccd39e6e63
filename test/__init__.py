"""Tests of the Python side; the folder name would else be the standard library's."""
