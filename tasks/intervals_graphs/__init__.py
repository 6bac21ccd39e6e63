"""Intervals, schedules and dependency graphs."""
