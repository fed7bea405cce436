"""Small picture files, made where they are needed."""

import io

from PIL import Image


def png(width: int = 40, height: int = 30, colour: str = "red") -> bytes:
    return _file("PNG", width, height, colour)


def jpeg(width: int = 40, height: int = 30, colour: str = "red") -> bytes:
    return _file("JPEG", width, height, colour)


def _file(kind: str, width: int, height: int, colour: str) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(made, kind)
    return made.getvalue()


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><rect width="20" height="10" fill="blue"/></svg>'
