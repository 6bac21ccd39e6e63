"""Runs hostile patches in a jail and lets only counts leave. Standard library only."""
