"""The local HTTP API's thread, and who visits it."""
