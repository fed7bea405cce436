"""Standard output and error of a process that was started without them: by a double-click on some systems."""

import io
import os
import sys


class Nowhere(io.TextIOBase):
    """Takes all text and keeps none, without a file of the system's."""

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        return len(text)


def provide_standard_streams() -> None:
    """Make sure that nobody fails for want of a console.

    Python says None where there is none. Our own code asks, but libraries don't: tqdm, for one, writes its bars to
    whatever standard error is. Where the descriptors themselves are closed the next files that are opened would get
    their numbers, and native code that complains to standard error would write into them.
    """
    if os.name == "posix":  # Windows keeps the numbers free by itself
        for number in range(3):
            try:
                os.fstat(number)
            except OSError:
                os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # gets the lowest that is free: `number`
    if sys.stdout is None:
        sys.stdout = Nowhere()
    if sys.stderr is None:
        sys.stderr = Nowhere()
