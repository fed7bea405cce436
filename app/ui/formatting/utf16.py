"""Places in a text as Qt counts them: by UTF-16 units, of which a letter beyond the first 65,536 takes two."""


def units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def between(text: str, start: int, end: int) -> str:
    """From one place to another; half a letter is shown as a mark."""
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "replace")
