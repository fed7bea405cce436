"""What of a picture leaves this computer: what is seen of it, and nothing that its file tells beside that."""

import io
from pathlib import Path

import pytest
from PIL import Image

from app.core.messages import ImagePart
from app.services.remote.sendable_media import sendable
from app.storage.attachments import AttachmentStore

GPS, TAKEN, MAKER, TURNED = 0x8825, 0x0132, 0x010F, 0x0112
SECRETS = (b"Exif", b"Spycam", b"2026:11:28", b"taken at home", b"xpacket")


def photo(kind: str) -> bytes:
    """A camera's: turned by 90 degrees, with where it stood, when, what it is, and a remark."""
    exif = Image.Exif()
    exif[TURNED], exif[MAKER], exif[TAKEN] = 6, "Spycam", "2026:11:28 05:00:00"
    exif[GPS] = {1: "N", 2: (59.0, 54.0, 50.0), 3: "E", 4: (10.0, 45.0, 8.0)}
    xmp = b'<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"/>'
    made = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(made, kind, exif=exif, xmp=xmp, comment=b"taken at home")
    return made.getvalue()


@pytest.mark.parametrize(("kind", "sent_as"), [("JPEG", "JPEG"), ("PNG", "PNG"), ("WEBP", "PNG")])
def test_what_a_camera_wrote_beside_a_picture_is_not_sent(tmp_path: Path, kind: str, sent_as: str) -> None:
    store, data = AttachmentStore(tmp_path), photo(kind)
    assert sum(each in data for each in SECRETS) >= 2, "the file tells them"
    part = ImagePart(store.put(data), "photo")
    sent = sendable(store, part)
    assert sent is not None and not [each for each in SECRETS if each in sent]
    with Image.open(io.BytesIO(sent)) as picture:
        assert (picture.format, picture.size) == (sent_as, (20, 40)), "upright without being told how to turn it"
        assert not picture.getexif() and not picture.info.keys() - {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
    assert sendable(store, part) == sent, "the same bytes each time"
