"""Tools in the window: what is asked before a call, the servers, and what a conversation may use."""
