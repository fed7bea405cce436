"""How much memory a model could take now."""

import psutil


def free_memory() -> int:
    """Bytes of main memory that are free, or would be at once."""
    return int(psutil.virtual_memory().available)
