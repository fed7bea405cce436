"""Choosing, finding, downloading and describing models."""
