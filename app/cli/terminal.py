"""Standard input and output as they really are: in another encoding, full, closed by the reader, or not there."""

import errno
import sys
from io import TextIOWrapper

from app.core.errors import UserError


def prepare() -> None:
    """What a terminal's encoding lacks becomes a question mark, and bytes that are no text U+FFFD."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def read_all() -> str:
    """All of standard input. Raises UserError where there is none."""
    if sys.stdin is None:
        raise UserError("There is no standard input to read from. Write the prompt as an argument.")
    return sys.stdin.read()


def ask(question: str) -> str:
    """What whoever sits at the terminal types; empty where standard input is no terminal, or has ended."""
    if sys.stdin is None or sys.stderr is None or not sys.stdin.isatty():
        return ""
    sys.stderr.write(f"hearth: {question}")
    sys.stderr.flush()
    return sys.stdin.readline()


def harmless(text: str) -> str:
    """What others wrote, without anything that moves a terminal's cursor or hides what stands there."""
    return "".join(each if each.isprintable() or each in "\n\t" else "\ufffd" for each in text)


def write(text: str) -> None:
    """Write to standard output, at once. Raises BrokenPipeError when nobody reads any more, and UserError when
    the device refuses. Without a standard output the text is dropped, as `print` does.
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # Python would try again at exit, and complain in its own words.
        sys.stdout = None
        if isinstance(error, BrokenPipeError) or error.errno == errno.EINVAL:  # the latter is Windows's word for it
            raise BrokenPipeError from error
        raise UserError(f"The output cannot be written: {error.strerror}. Send it somewhere else.") from error


def warn(sentence: str) -> None:
    """A line on standard error; never among the output, which is where `print` puts it without one."""
    if sys.stderr is not None:
        print(f"hearth: {sentence}", file=sys.stderr)
