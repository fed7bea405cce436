"""One reply: reading a prompt, writing the answer."""
