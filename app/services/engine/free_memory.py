"""How much memory a model could take now."""

import sys

from app.core.fit import Free

_LLAMA = "llama_cpp"


def free_memory() -> int:
    """Bytes of main memory that are free, or would be at once."""
    # Imported here: only an open settings dialog asks.
    import psutil

    return int(psutil.virtual_memory().available)


def free_now() -> Free:
    """Main memory, and each graphics card as soon as the engine has loaded a model: llama.cpp alone knows them, and
    it is not imported for this question.
    """
    if _LLAMA not in sys.modules:
        return Free(free_memory())
    from app.engine.loading.devices import graphics_cards

    return Free(free_memory(), graphics_cards())
