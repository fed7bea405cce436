"""Tools: what they may do, and the servers that have them (MCP). No Qt, and nothing of the engine."""
