"""Threads, signals and the program's course, from start to end; nothing of conversations and models."""
