"""Chat templates: Jinja in a sandbox, with the origin of each character."""
