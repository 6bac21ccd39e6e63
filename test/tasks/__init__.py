"""Tests of the authoring kit and of the categories' tree."""
