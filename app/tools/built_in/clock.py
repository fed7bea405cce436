"""The date and the time: what every model lacks."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from app.tools.built_in.source import Here, Source, source_name, tool
from app.tools.tool import Nature, ToolResult, to_model


class Clock(Source):
    name = source_name("clock")
    tools = (
        tool(
            "current_time",
            to_model("The date and time now, with the time zone of the user's computer."),
            Nature(outside=False),
        ),
    )

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now

    async def run(self, name: str, arguments: Mapping[str, Any], here: Here) -> ToolResult:
        return ToolResult(self._now().astimezone().strftime("%A, %Y-%m-%d %H:%M:%S %Z (UTC%z)"))
