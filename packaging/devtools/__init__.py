"""What `packaging/dev.py` is made of. Imports the standard library alone."""
