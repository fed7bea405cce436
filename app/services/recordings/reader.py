"""From a file's bytes to what the window shows of a recording and a message holds. Called in a thread of its own."""

from dataclasses import dataclass
from pathlib import Path

from app.core.errors import UserError
from app.core.messages import AudioPart
from app.engine.media.audio_limits import MAX_BYTES, AudioError, label
from app.storage.attachments import AttachmentStore
from app.storage.file_errors import about_file

N_BARS = 64
"""Of a waveform."""
Waveform = tuple[float, ...]
"""0 to 1 each."""


@dataclass(frozen=True, slots=True)
class ReadRecording:
    part: AudioPart
    waveform: Waveform


def read_and_keep(store: AttachmentStore, path: Path) -> ReadRecording:
    """Decode a recording, and keep its file in `store`. Raises UserError; then nothing is kept."""
    # Imported here, in the thread: NumPy would delay the window's start.
    from app.engine.media.audio import read_audio, waveform

    data = _file_bytes(path)
    heard = read_audio(data, path.name)
    part = AudioPart(store.put(data), path.name, heard.rate, len(heard.samples), heard.digest)
    return ReadRecording(part, waveform(heard.samples, N_BARS))


def waveform_of(store: AttachmentStore, part: AudioPart) -> Waveform:
    """Raises UserError where its file is gone or damaged."""
    from app.engine.media.audio import read_audio, waveform

    return waveform(read_audio(original(store, part), part.name).samples, N_BARS)


def original(store: AttachmentStore, part: AudioPart) -> bytes:
    """The file as it was added. Raises UserError where it is gone."""
    data = part.data or store.get(part.content_hash)
    if data is None:
        raise AudioError("The recording {name} is not there any more. Add it again.", name=label(part.name))
    return data


def _file_bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise UserError("{name} is no recording; add a sound file.", name=label(path.name))
        with path.open("rb") as file:
            # One more than is taken tells that it is too large.
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise about_file(path, error) from error
