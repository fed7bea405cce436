"""A server of tools in plain Python, which starts at once, and can be bad in many ways: `small_server.py WAY`."""

import json
import os
import subprocess
import sys
import time
from typing import Any

WAY = sys.argv[1] if len(sys.argv) > 1 else "good"
TOOLS: list[dict[str, Any]] = [
    {
        "name": "get_weather",
        "description": "Tells the weather in a city.",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "annotations": {"readOnlyHint": True, "openWorldHint": WAY != "inside"},
    },
    {
        "name": "write",
        "description": "Writes a note",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    },
    {"name": "slow", "description": "Takes long", "inputSchema": {"type": "object"}},
]
PROMPTS = [
    {
        "name": "report",
        "title": "Weather report",
        "arguments": [{"name": "city", "required": True}, {"name": "tone", "description": "How it sounds"}],
    }
]
RESOURCES = [
    {"uri": "weather://today", "name": "today", "mimeType": "text/plain"},
    {"uri": "weather://map", "name": "map", "mimeType": "image/png"},
]

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg=="
PICTURES: list[dict[str, Any]] = [
    {"type": "image", "data": PNG, "mimeType": "image/png"},
    {"type": "image", "data": "no!", "mimeType": "image/png"},
    {"type": "resource_link", "name": "map", "title": "Map", "uri": "file:///map"},
    {"type": "resource", "resource": {"uri": "file:///report", "mimeType": "text/plain", "text": "A long report"}},
    {"type": "resource", "resource": {"uri": "file:///data", "blob": "AA=="}},
    {"type": "resource", "resource": {"uri": "file:///picture", "mimeType": "image/png", "blob": PNG}},
]


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def ask_person() -> dict[str, Any]:
    """What a person says to a form."""
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "title": "City", "description": "Where it is"},
            "days": {"type": "integer"},
            "unit": {"type": "string", "enum": ["c", "f"], "enumNames": ["Celsius", "Fahrenheit"]},
            "maps": {"type": "array", "items": {"anyOf": [{"const": "rain", "title": "Rain"}, {"const": "wind"}]}},
            "alarm": {"type": "boolean", "default": True},
        },
        "required": ["city"],
    }
    send(id="form", method="elicitation/create", params={"message": "Which city?", "requestedSchema": schema})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == "form":
            return dict(message.get("result") or {}) or dict(message["error"])
    return {"action": "gone"}


def ask_twice() -> dict[str, Any]:
    """What a person says to two forms that are there at once, by the city that each asks for."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    cities = {"Oslo", "Rome"}
    for city in sorted(cities):
        send(id=city, method="elicitation/create", params={"message": city, "requestedSchema": schema})
    told: dict[str, Any] = {}
    while cities - told.keys():
        message = json.loads(sys.stdin.readline())
        if message.get("id") in cities:
            told[message["id"]] = message.get("result")
    return told


def listed(params: dict[str, Any]) -> dict[str, Any]:
    if WAY == "endless-pages":
        return {"tools": TOOLS[:1], "nextCursor": "again"}
    if WAY == "many":
        return {"tools": [{**TOOLS[2], "name": f"tool{n}"} for n in range(5000)]}
    if WAY == "pages":
        page = int(params.get("cursor") or 0)
        tools = [{**TOOLS[2], "name": f"tool{n}"} for n in range(200 * page, 200 * page + 200)]
        return {"tools": tools, "nextCursor": str(page + 1)}
    if WAY == "one-is-none":
        return {"tools": [*TOOLS, {"description": "nothing more"}, 7]}
    if WAY == "all-are-none":
        return {"tools": {"name": "x"}}
    if WAY == "twice":
        return {"tools": [*TOOLS, TOOLS[0]]}
    return {"tools": TOOLS}


def called(number: int, params: dict[str, Any]) -> dict[str, Any] | None:
    name, arguments = params["name"], params.get("arguments") or {}
    token = (params.get("_meta") or {}).get("progressToken")
    if WAY == "dies-in-call":
        sys.stderr.write("out of cheese\n")
        sys.stderr.flush()
        os._exit(3)
    if WAY == "dies-in-a-line":
        os.write(1, b'{"jsonrpc": "2.0", "id"')
        os._exit(3)
    if WAY == "stops-talking":
        os.close(1)
        time.sleep(600)
    if WAY == "deep":
        os.write(1, b'{"jsonrpc": "2.0", "id": %d, "result": %s}\n' % (number, b'{"a":' * 100_000))
        return None
    if WAY == "other-id":
        send(id=number + 1000, result={"content": []})
        return None
    if WAY == "no-result":
        send(id=number)
        return None
    if WAY == "error":
        send(id=number, error={"code": -32000, "message": "no\nluck " * 100})
        return None
    if WAY == "no-content":
        return {"content": "Sunny"}
    if WAY == "asks-a-lot":
        for n in range(1000):
            send(id=f"r{n}", method="sampling/createMessage", params={"messages": [], "maxTokens": 1})
    if WAY == "log-flood":
        for n in range(20_000):
            send(method="notifications/message", params={"level": "info", "data": f"line {n}"})
    if WAY == "progress-flood":
        for n in range(20_000):
            send(method="notifications/progress", params={"progressToken": token, "progress": n, "message": f"at {n}"})
    if WAY == "asks-twice":
        return {"content": [{"type": "text", "text": json.dumps(ask_twice())}]}
    if WAY == "asks":
        return {"content": [{"type": "text", "text": json.dumps(ask_person())}]}
    if WAY == "changes":
        TOOLS[1]["description"] = "Writes a letter"
        for _ in range(200):
            send(method="notifications/tools/list_changed")
    if WAY == "long":
        return {"content": [{"type": "text", "text": "sun " * 5000}]}
    if WAY == "waits":
        return None
    if WAY == "huge":
        return {"content": [{"type": "text", "text": "x" * (10 << 20)}]}
    if WAY == "breaks-schema":
        return {"content": [{"type": "text", "text": "fine"}], "structuredContent": {"other": 1}}
    if name == "slow":
        if WAY == "progress":
            for n in range(16):
                send(method="notifications/progress", params={"progressToken": token, "progress": n, "total": 16})
                time.sleep(0.25)
            return {"content": [{"type": "text", "text": "done"}]}
        return None
    if name == "write" and arguments.get("text") == "fail":
        return {"content": [{"type": "text", "text": "the disk is full"}], "isError": True}
    told = "Sunny in " + arguments["city"] if name == "get_weather" else f"wrote {arguments.get('text')}"
    more = PICTURES if WAY == "picture" else []
    return {"content": [{"type": "text", "text": told}, *more]}


def prompt(params: dict[str, Any]) -> dict[str, Any]:
    told = "Report the weather of " + str((params.get("arguments") or {}).get("city"))
    return {"messages": [{"role": "user", "content": {"type": "text", "text": told}}]}


def read(params: dict[str, Any]) -> dict[str, Any]:
    uri = params["uri"]
    told = {"blob": PNG, "mimeType": "image/png"} if uri == "weather://map" else {"text": "Rain all day"}
    return {"contents": [{"uri": uri, **told}]}


def initialized(params: dict[str, Any]) -> dict[str, Any]:
    if WAY == "old":
        return {**_initialized(params), "protocolVersion": "1999-01-01"}
    if WAY == "initialized-wrong":
        return {"serverInfo": "me"}
    return _initialized(params)


def _initialized(params: dict[str, Any]) -> dict[str, Any]:
    return {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {"listChanged": True}, "prompts": {}, "resources": {}},
        "serverInfo": {"name": "small", "version": "1"},
    }


def begin() -> None:
    if WAY == "dies":
        sys.stderr.write("no such database\n")
        sys.exit(1)
    if WAY == "rubbish":
        sys.stdout.write("hello\n" * 20_000)
        sys.stdout.flush()
    if WAY == "endless-line":
        while True:
            sys.stdout.write("{" * 65_536)
    if WAY == "stderr-flood":
        sys.stderr.write("noise " * 200_000)
        sys.stderr.flush()
    if WAY == "no-utf8":
        sys.stdout.buffer.write(b"\xff\xfe\n")
        sys.stdout.flush()
    if WAY == "child":
        child = subprocess.Popen(["sleep", "600"])
        sys.stderr.write(f"child {child.pid}\n")
        sys.stderr.flush()


def main() -> None:
    begin()
    answers = {
        "initialize": initialized,
        "tools/list": listed,
        "prompts/list": lambda _: {"prompts": PROMPTS},
        "prompts/get": prompt,
        "resources/list": lambda _: {"resources": RESOURCES},
        "resources/read": read,
    }
    for line in sys.stdin:
        message = json.loads(line)
        method, number, params = message.get("method"), message.get("id"), message.get("params") or {}
        if WAY == "hangs" or number is None:
            continue
        result = (
            called(number, params) if method == "tools/call" else answers[method](params) if method in answers else {}
        )
        if result is not None:
            send(id=number, result=result)
    if WAY == "stubborn":
        time.sleep(600)


main()
