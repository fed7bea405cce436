"""Sets Hearth up and runs it: `python3 packaging/dev.py run`. Needs nothing but Python; `--help` tells the rest."""

import os
import sys

# An older Python has to get as far as this sentence, so nothing newer is imported before it.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        f"Hearth needs Python 3.11 or newer, and this is Python {sys.version_info[0]}.{sys.version_info[1]}: "
        "install a newer one and run this command with it."
    )

# `python -I` and PYTHONSAFEPATH leave the script's own folder out.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120

from devtools.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
