"""Asking and answering in the conversation that is open."""
