"""Pictures and recordings in a form that servers know, without what a file tells beside them."""

import io

from app.core.messages import ImagePart, MediaPart
from app.storage.attachments import AttachmentStore

_JPEG = b"\xff\xd8\xff"
_QUALITY = 92


def sendable(store: AttachmentStore, part: MediaPart) -> bytes | None:
    """What is seen or heard of it alone: a camera writes into its files where it stood, and when. The same bytes each
    time, so that a server knows it again. None where its file is gone. Takes its time; raises UserError.
    """
    data = part.data or store.get(part.content_hash)
    if data is None:
        return None
    return _picture(data, part.name) if isinstance(part, ImagePart) else _recording(data, part.name)


def _picture(data: bytes, name: str) -> bytes:
    # Imported here, in the thread: Pillow would delay the window's start.
    from PIL import Image

    from app.engine.media.images import as_png, read_picture

    picture = read_picture(data, name)
    if not data.startswith(_JPEG):
        return as_png(picture)
    file = io.BytesIO()
    Image.frombytes("RGB", (picture.width, picture.height), picture.rgb).save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def _recording(data: bytes, name: str) -> bytes:
    import soundfile

    from app.engine.media.audio import read_audio

    heard, file = read_audio(data, name), io.BytesIO()
    soundfile.write(file, heard.samples, heard.rate, format="WAV", subtype="PCM_16")
    return file.getvalue()
