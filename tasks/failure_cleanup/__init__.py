"""Exceptions, rollback and clean-up."""
