"""Conversations as files: out, in, and everything at once as a backup."""
