"""Which recordings are read, how long they may be, and the sentences for all others. Imports no library."""

from app.core.errors import UserError
from app.engine.media.image_limits import shown

FILE_SUFFIXES = (".wav", ".flac", ".mp3", ".ogg", ".oga", ".opus", ".aif", ".aiff", ".aifc")
"""For file dialogs. What a file is, its content says, whatever its name."""
UNREADABLE_SUFFIXES = (".m4a", ".aac", ".wma", ".amr", ".mid", ".midi", ".weba", ".webm", ".mp4", ".m4b")
"""Of recordings that are read for the sentence alone that they earn."""

RATE = 16_000
"""Hertz: what nearly every encoder takes."""
MAX_RATE = 48_000
MAX_SECONDS = 600
MAX_BYTES = 256 << 20
"""Ten minutes take 173 MB in the largest of usual forms, 48 kHz with two channels of 24 bits."""
_SHORTEST, _LEFT, _WINDOW = 0.1, 0.01, 30
"""Seconds: of a recording, of the last window of one, and of the windows in which most encoders listen."""

MIME_TYPES = {
    "WAV": "audio/wav", "FLAC": "audio/flac", "OGG": "audio/ogg", "MP3": "audio/mpeg", "AIFF": "audio/aiff",
}  # fmt: skip
"""By what `form_of` says."""
_READ = {"WAV": "WAV", "FLAC": "FLAC", "OGG": "OGG or Opus", "MP3": "MP3", "AIFF": "AIFF"}
_KINDS = ", ".join([*_READ.values()][:-1]) + " or AIFF"


class AudioError(UserError):
    """A recording that can't be used; the sentence names the file."""


def is_length(n_samples: int, rate: int) -> bool:
    """Whether an encoder may be given that many samples. Shorter ones end the process in some families."""
    return 0 < rate <= MAX_RATE and padded(n_samples, rate) == n_samples <= MAX_SECONDS * rate


def padded(n_samples: int, rate: int) -> int:
    """With silence at the end where less would end the process: in all, or in the last window of an encoder."""
    rest, left = n_samples % (_WINDOW * rate), int(_LEFT * rate)
    return max(n_samples + left - rest if 0 < rest < left else n_samples, int(_SHORTEST * rate))


def form_of(data: bytes) -> str:
    """What a file's first bytes say that it is: one of those that are read, another in words, or empty."""
    head = data[:12]
    match head[:4], head[8:12]:
        case (b"RIFF" | b"RF64", b"WAVE"):
            return "WAV"
        case (b"FORM", b"AIFF" | b"AIFC"):
            return "AIFF"
        case (b"fLaC", _):
            return "FLAC"
        case (b"OggS", _):
            return "OGG"
        case (b"\x1aE\xdf\xa3", _):
            return "a WebM or Matroska file"
        case (b"0&\xb2u", _):
            return "a WMA file"
        case (b"#!AM", _):
            return "an AMR recording"
        case (b"MThd", _):
            return "a MIDI file"
    if head[4:8] == b"ftyp":
        return "an M4A or MP4 file"
    if head[:3] == b"ID3":
        return "MP3"
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0:
        return "MP3" if head[1] & 0x06 else "an AAC recording"
    return ""


def is_audio(data: bytes) -> bool:
    """Whether a file is a recording that is read, by its first bytes."""
    return form_of(data) in _READ


def looks_like_audio(data: bytes, suffix: str) -> bool:
    """Whether a file is to be read as a recording, be it for a sentence: by its first bytes, else by its name."""
    return is_audio(data) or (suffix.lower() in FILE_SUFFIXES + UNREADABLE_SUFFIXES)


def check_file(data: bytes, name: str) -> None:
    """Raises AudioError for a file that is empty, too large, or of a form that is not read."""
    if not data:
        raise AudioError("{name} is empty; choose another file.", name=label(name))
    if len(data) > MAX_BYTES:
        raise AudioError(
            "{name} has {size:,} MiB, and a recording may have {most}; save it as MP3 or Opus, or cut it.",
            name=label(name),
            size=len(data) >> 20,
            most=MAX_BYTES >> 20,
        )
    form = form_of(data)
    if form and form not in _READ:
        raise AudioError(
            "{name} is {what}, which Hearth can't listen to; save it as {kinds}, and use that.",
            name=label(name),
            what=form,
            kinds=_KINDS,
        )
    if not form:
        raise AudioError("{name} is no recording that Hearth can read; use {kinds}.", name=label(name), kinds=_KINDS)


def too_long(name: str, seconds: float = MAX_SECONDS) -> AudioError:
    """For one that lasts longer than `seconds`."""
    return AudioError(
        "{name} lasts longer than {most:,} seconds, and that is the most; cut out the part that matters.",
        name=label(name),
        most=int(seconds),
    )


def label(name: str) -> str:
    return shown(name, "This recording")
