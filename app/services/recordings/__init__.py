"""Recordings of drafts and messages: read, shown as waveforms, played."""
