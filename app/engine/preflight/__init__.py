"""Trying a model's file in a child before it is loaded."""
