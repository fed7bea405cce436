"""How much memory a model could take now."""

import sys

from app.core.fit import Free

_LLAMA = "llama_cpp"


def free_now() -> Free:
    """Main memory, and each graphics card as soon as the engine has loaded a model: llama.cpp alone knows them, and
    it is not imported for this question.
    """
    # Imported here: only open dialogs ask.
    import psutil

    ram = int(psutil.virtual_memory().available)
    if _LLAMA not in sys.modules:
        return Free(ram)
    from app.engine.loading.devices import graphics_cards

    return Free(ram, graphics_cards())
