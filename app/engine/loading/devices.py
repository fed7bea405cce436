"""The graphics cards that llama.cpp computes with, and what is free on each."""

from collections import Counter

from app.core.fit import Gpu
from app.engine.binding import library


def graphics_cards() -> tuple[Gpu, ...]:
    """In llama.cpp's order; empty before a model was loaded, for until then nobody has asked the drivers.

    Several of one kind are numbered. May be asked in any thread.
    """
    if not library.has_started():
        return ()
    rooms = library.device_rooms()
    alike = Counter(name for name, _ in rooms)
    seen: Counter[str] = Counter()
    found = []
    for name, free in rooms:
        seen[name] += 1
        known = name or "GPU"
        found.append(Gpu(f"{known} ({seen[name]})" if alike[name] > 1 else known, free))
    return tuple(found)
