"""Pictures that tools give, kept as the attachments that they are from then on."""

from dataclasses import replace

from app.core.errors import UserError
from app.core.messages import ImagePart
from app.storage.attachments import AttachmentStore
from app.tools.tool import ToolResult, to_model


def with_kept_pictures(result: ToolResult, attachments: AttachmentStore) -> ToolResult:
    """The pictures as they are kept; what can't be is told in the text. Not for the GUI thread."""
    kept, lines = [], [result.text] if result.text else []
    for picture in result.pictures:
        try:
            kept.append(_keep(picture, attachments))
        except UserError as error:
            lines.append(to_model("[{problem}]", problem=error.sentence))
    return replace(result, text="\n".join(lines), pictures=tuple(kept))


def _keep(picture: ImagePart, attachments: AttachmentStore) -> ImagePart:
    """Raises UserError for what is no picture."""
    # Imported here: Pillow would delay the window's start.
    from app.engine.media.images import read_picture

    seen = read_picture(picture.data, picture.name)
    return ImagePart(attachments.put(picture.data), picture.name, seen.width, seen.height, seen.digest)
