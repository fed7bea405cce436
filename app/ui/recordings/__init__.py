"""Recordings of messages, as waveforms that are played."""
