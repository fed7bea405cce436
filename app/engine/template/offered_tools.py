"""The tools of a request, as the model gets to know them."""

from collections.abc import Mapping

from app.core.requests import ChatRequest, ToolChoice


def shown_tools(request: ChatRequest) -> tuple[Mapping[str, object], ...]:
    """Those that the model is told of."""
    return () if request.tool_choice is ToolChoice.NONE else request.tools
