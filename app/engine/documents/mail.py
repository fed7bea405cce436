"""Letters (EML): who wrote to whom, and what; files with them are named."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from app.core.html_text import text_of_html

_HEADERS = ("From", "To", "Cc", "Date", "Subject")


def read(data: bytes) -> str:
    letter = message_from_bytes(data, policy=default)
    assert isinstance(letter, EmailMessage)
    head = [f"{name}: {letter[name]}" for name in _HEADERS if letter[name]]
    files = [f"Attached: {name}" for each in letter.iter_attachments() if (name := each.get_filename())]
    return "\n\n".join(filter(None, ("\n".join(head), _body(letter).strip(), "\n".join(files))))


def _body(letter: EmailMessage) -> str:
    body = letter.get_body(("plain", "html"))
    if body is None:
        return ""
    text = str(body.get_content())
    return text_of_html(text) if body.get_content_type() == "text/html" else text
