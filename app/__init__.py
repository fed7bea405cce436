"""Hearth: a desktop application for talking to language models that run on your own machine."""

__version__ = "0.1.0"
