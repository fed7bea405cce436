"""Which processor this is, as far as a compiler told to build for it would care."""

import platform
import re
import subprocess
from pathlib import Path

_INTEL = ("vendor_id", "cpu family", "model", "flags")
_ARM = ("CPU implementer", "CPU architecture", "CPU part", "Features")
# The other flags are the kernel's business (mitigations, virtualisation) and change with its version.
_FLAGS = re.compile("s?sse|avx|fma|f16c|bmi|abm|amx|adx|v?aes|v?pclmul|gfni|sha|popcnt|movbe|xsave|3dnow|cx16|lahf")


def processor() -> str:
    """One line that differs where a native build would differ."""
    system = platform.system()
    if system == "Linux":
        try:
            return from_cpuinfo(Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace"))
        except OSError:
            return platform.machine()
    if system == "Darwin":
        told = subprocess.run(
            ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True, check=False
        )
        return f"{platform.machine()} {told.stdout.strip()}"
    return f"{platform.machine()} {platform.processor()}"


def from_cpuinfo(text: str) -> str:
    """From /proc/cpuinfo: all distinct processors of a machine, for big and little cores differ."""
    return " | ".join(sorted({_one(block) for block in text.split("\n\n") if block.strip()} - {""}))


def _one(block: str) -> str:
    found: dict[str, str] = {}
    for line in block.splitlines():
        name, _, value = line.partition(":")
        found[name.strip()] = value.strip()
    if "flags" in found:
        flags = (flag for flag in found["flags"].split() if _FLAGS.match(flag))
        found["flags"] = " ".join(sorted(flags))
    names = _INTEL if "flags" in found else _ARM
    return " ".join(found[name] for name in names if name in found)
