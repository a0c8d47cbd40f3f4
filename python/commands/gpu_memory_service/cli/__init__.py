"""Programs as modules."""
