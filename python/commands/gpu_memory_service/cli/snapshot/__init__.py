"""Saver and loader as modules."""
