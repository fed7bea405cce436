"""How much memory a model could take now."""


def free_memory() -> int:
    """Bytes of main memory that are free, or would be at once."""
    # Imported here: only an open settings dialog asks.
    import psutil

    return int(psutil.virtual_memory().available)
