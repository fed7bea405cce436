"""A conversation as one HTML page to send to anybody: readable in light and dark, complete without a network."""

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml

from app.core.messages import AudioPart, DocumentPart, ImagePart, Message, Role, TextPart
from app.engine.media.audio_limits import MIME_TYPES, form_of
from app.storage.exchange.export_markdown import day, speaker, told_sources
from app.storage.exchange.records import ConversationRecord, MessageRecord
from app.ui.exporting.web_html import UserWebHtml, WebHtml, clean, code_block
from app.ui.richtext.markdown_html import make_renderer
from app.ui.richtext.user_text_html import make_typed_parser
from app.ui.theme.palette import DARK, LIGHT, Palette

Bytes = Callable[[str], bytes | None]
"""The file of a picture by its hash; None where it is lost."""

_MIMES = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"RIFF", "image/webp"),
)
_AVIF = re.compile(rb"....ftyp(avif|avis)", re.DOTALL)
_POLICY = "default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'"


class HtmlExport:
    """Writes pages. For one thread."""

    def __init__(self) -> None:
        self._markdown: MarkdownIt = make_renderer(WebHtml)
        self._typed = make_typed_parser(UserWebHtml)
        self._n_texts = 0

    def page(self, record: ConversationRecord, picture: Bytes, *, reasoning: bool = True) -> bytes:
        """The version on screen. Of pictures, what browsers show is in the page."""
        said = "\n".join(self._message(each, picture, reasoning=reasoning) for each in record.path)
        title = escapeHtml(clean(record.title) or "Conversation")
        return _page(
            title, f"<header><h1>{title}</h1><p>{day(record.created_at)}</p></header>\n<main>\n{said}\n</main>"
        )

    def index(self, pages: Sequence[tuple[str, ConversationRecord]]) -> bytes:
        """A list of pages, each with its file's name beside this one."""
        rows = "\n".join(
            f'<li><a href="{escapeHtml(name)}">{escapeHtml(clean(record.title) or "Conversation")}</a>'
            f" <small>{day(record.updated_at)}</small></li>"
            for name, record in pages
        )
        return _page("Conversations", f"<header><h1>Conversations</h1></header>\n<main><ul>\n{rows}\n</ul></main>")

    def _message(self, record: MessageRecord, picture: Bytes, *, reasoning: bool) -> str:
        message = record.message
        blocks = [f"<h2>{escapeHtml(clean(speaker(record)))}</h2>"]
        if reasoning and message.reasoning.strip():
            thoughts = self._prose(message.reasoning)
            blocks.append(f'<details class="reasoning"><summary>Reasoning</summary>{thoughts}</details>')
        blocks += self._parts(message, picture)
        for call in message.tool_calls:
            summary = f"<summary>Calls {escapeHtml(clean(call.name))}</summary>"
            blocks.append(f"<details>{summary}{code_block(clean(call.arguments), 'json')}</details>")
        return f'<article class="{message.role.value}">\n' + "\n".join(blocks) + "\n</article>"

    def _parts(self, message: Message, picture: Bytes) -> list[str]:
        blocks = []
        for part in message.parts:
            match part:
                case ImagePart():
                    blocks.append(_picture(part, picture))
                case AudioPart():
                    blocks.append(_recording(part, picture))
                case DocumentPart(name=name, text=text):
                    summary = f"<summary>{escapeHtml(clean(name) or 'Document')}</summary>"
                    blocks.append(f"<details>{summary}{code_block(clean(text))}</details>")
                case TextPart():
                    pass
        if message.text:
            blocks.append(self._said(message))
        if sources := told_sources(message):
            blocks.append(f"<p><small>Sources: {escapeHtml(clean(sources))}</small></p>")
        return blocks

    def _said(self, message: Message) -> str:
        match message.role:
            case Role.USER:
                return str(self._typed.render(clean(message.text), {}))
            case Role.TOOL:
                return f'<p class="plain">{escapeHtml(clean(message.text))}</p>'
            case _:
                return self._prose(message.text)

    def _prose(self, text: str) -> str:
        self._n_texts += 1
        return str(self._markdown.render(clean(text), {"notes": f"t{self._n_texts}-"}))


def _picture(part: ImagePart, picture: Bytes) -> str:
    name = escapeHtml(clean(part.name) or "picture")
    data = picture(part.content_hash)
    mime = _mime(data) if data is not None else ""
    if data is None or not mime:
        return f"<p>[{name}]</p>"
    return f'<p><img alt="{name}" src="data:{mime};base64,{base64.b64encode(data).decode()}"></p>'


def _recording(part: AudioPart, file: Bytes) -> str:
    name = escapeHtml(clean(part.name) or "recording")
    data = file(part.content_hash)
    mime = MIME_TYPES.get(form_of(data), "") if data is not None else ""
    if data is None or not mime:
        return f"<p>[{name}]</p>"
    encoded = base64.b64encode(data).decode()
    return (
        f'<figure><figcaption>{name}</figcaption><audio controls src="data:{mime};base64,{encoded}"></audio></figure>'
    )


def _mime(data: bytes) -> str:
    """Empty for what no browser shows."""
    if _AVIF.match(data):
        return "image/avif"
    return next((mime for start, mime in _MIMES if data.startswith(start)), "")


def _page(title: str, body: str) -> bytes:
    return f"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
:root {{ {_variables(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}
{_STYLE}
</style>
</head>
<body>
{body}
</body>
</html>
""".encode()


def _variables(tokens: Palette) -> str:
    return " ".join(f"--{name.replace('_', '-')}: {value};" for name, value in asdict(tokens).items() if name != "dark")


_STYLE = """
body { margin: 0 auto; padding: 32px 24px 80px; max-width: 760px; background: var(--window); color: var(--text);
  font: 16px/1.6 Inter, system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: anywhere; }
header { margin-bottom: 32px; }
header p, small, summary, figcaption { color: var(--muted); font-size: 13px; }
h1 { font-size: 26px; line-height: 1.3; margin: 0; }
h3 { font-size: 21px; } h4 { font-size: 18px; } h5, h6 { font-size: 16px; }
article { margin: 28px 0; }
article > h2 { margin: 0 0 6px; font-size: 13px; font-weight: 600; color: var(--muted); }
article.user, article.system { background: var(--bubble); border-radius: 14px; padding: 14px 18px; }
.plain { white-space: pre-wrap; margin: 0; }
p { margin: 0 0 12px; } article > :last-child { margin-bottom: 0; }
a { color: var(--link); } a.dead { color: inherit; }
img { max-width: 100%; max-height: 80vh; border-radius: 10px; } audio { display: block; width: 100%; }
blockquote { margin: 0 0 12px; padding-left: 14px; border-left: 3px solid var(--scroll); color: var(--muted); }
hr { border: none; border-top: 1px solid var(--border); margin: 20px 0; }
code { font: 14px/1.5 "JetBrains Mono", ui-monospace, Menlo, Consolas, monospace; background: var(--raised);
  border-radius: 4px; padding: 1px 4px; }
figure.code { margin: 0 0 14px; background: var(--code); border: 1px solid var(--border); border-radius: 10px;
  padding: 10px 14px; }
figure.code pre { margin: 0; overflow-x: auto; tab-size: 4; }
figure.code code { background: none; padding: 0; overflow-wrap: normal; }
.wide { overflow-x: auto; margin-bottom: 14px; }
table { border-collapse: collapse; overflow-wrap: normal; }
th, td { border: 1px solid var(--border); padding: 6px 10px; text-align: start; }
th { background: var(--raised); }
[align=center] { text-align: center; } [align=right] { text-align: right; }
ul.contains-task-list { list-style: none; padding-left: 18px; }
details { border: 1px solid var(--border); border-radius: 10px; padding: 8px 14px; margin-bottom: 14px; }
summary { cursor: pointer; } details[open] > summary { margin-bottom: 8px; }
.reasoning { color: var(--muted); }
.math { text-align: center; overflow-x: auto; }
.whole { white-space: nowrap; } .formula { display: inline-block; } .formula svg { display: block; }
.keyword { color: var(--code-keyword); } .function { color: var(--code-function); }
.string { color: var(--code-string); } .number { color: var(--code-number); }
.comment { color: var(--code-comment); } .type { color: var(--code-type); }
@media print { body { max-width: none; padding: 0; } figure.code pre { white-space: pre-wrap; } }
"""
