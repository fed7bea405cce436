"""What each client library does to show that it works: plain, stream, tools, schema, picture.

Run by `client_programs` in an environment that has the libraries: `python -P client_scripts.py CLIENT URL PICTURE.png`.
It prints a line for each step: its name, and "ok" or what went wrong.
"""

import asyncio
import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

Steps = Mapping[str, Callable[[], bool]]
HOW, WEATHER, COLOUR = "How do I attach a picture?", "What is the weather in Paris?", "What colour is the shape?"
KEY = "a key"


class Shape(BaseModel):
    name: Literal["circle", "square"]
    sides: Literal[0, 4]


def get_weather(city: str) -> str:
    """Tells the weather in a city.

    Args:
        city: its name
    """
    return json.dumps({"t": 21})


FUNCTION: Any = {
    "name": "get_weather",
    "description": "Tells the weather in a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
TOOL: Any = {"type": "function", "function": FUNCTION}


def user(content: Any) -> list[Any]:
    return [{"role": "user", "content": content}]


def seen(url: str) -> list[Any]:
    """A question about a picture, in OpenAI's words."""
    return user([{"type": "text", "text": COLOUR}, {"type": "image_url", "image_url": {"url": url}}])


def tells_weather(text: object) -> bool:
    return "21" in str(text)


def openai_chat(base: str, url: str) -> Steps:
    from openai import OpenAI

    chat = OpenAI(base_url=base, api_key=KEY).chat.completions

    def said(**more: Any) -> Any:
        return chat.create(model="gpt-4o-mini", **more).choices[0].message

    def stream() -> bool:
        pieces = [
            each.choices[0].delta.content or ""
            for each in chat.create(model="x", messages=user(HOW), stream=True, stream_options={"include_usage": True})
            if each.choices
        ]
        return len(pieces) > 2 and "picture" in "".join(pieces)

    def tools() -> bool:
        messages = user(WEATHER)
        asked = said(messages=messages, tools=[TOOL])
        messages += [asked, {"role": "tool", "tool_call_id": asked.tool_calls[0].id, "content": get_weather("Paris")}]
        return tells_weather(said(messages=messages, tools=[TOOL]).content)

    def schema() -> bool:
        parsed = chat.parse(model="x", messages=user("Name a shape."), response_format=Shape)
        return isinstance(parsed.choices[0].message.parsed, Shape)

    return {
        "plain": lambda: "picture" in said(messages=user(HOW)).content,
        "stream": stream,
        "tools": tools,
        "schema": schema,
        "picture": lambda: "red" in said(messages=seen(url)).content.lower(),
    }


def openai_responses(base: str, url: str) -> Steps:
    from openai import OpenAI

    responses = OpenAI(base_url=base, api_key=KEY).responses
    shown = [{"type": "input_text", "text": COLOUR}, {"type": "input_image", "image_url": url, "detail": "auto"}]

    def stream() -> bool:
        with responses.stream(model="x", input=HOW) as events:
            return len(list(events)) > 5 and "picture" in events.get_final_response().output_text

    def tools() -> bool:
        declared: Any = [{"type": "function", **FUNCTION, "strict": False}]
        asked = responses.create(model="x", input=user(WEATHER), tools=declared)
        call: Any = asked.output[0]
        told: Any = {"type": "function_call_output", "call_id": call.call_id, "output": get_weather("Paris")}
        again = responses.create(model="x", input=[told], tools=declared, previous_response_id=asked.id)
        return tells_weather(again.output_text)

    return {
        "plain": lambda: "picture" in responses.create(model="x", input=HOW).output_text,
        "stream": stream,
        "tools": tools,
        "schema": lambda: isinstance(
            responses.parse(model="x", input="Name a shape.", text_format=Shape).output_parsed, Shape
        ),
        "picture": lambda: "red" in responses.create(model="x", input=user(shown)).output_text.lower(),
    }


def anthropic(base: str, url: str) -> Steps:
    from anthropic import Anthropic

    messages = Anthropic(base_url=base.removesuffix("/v1"), api_key=KEY).messages
    source = {"type": "base64", "media_type": "image/png", "data": url.partition(",")[2]}
    tool: Any = {"name": "get_weather", "description": FUNCTION["description"], "input_schema": FUNCTION["parameters"]}

    def said(told: Any, **more: Any) -> Any:
        return messages.create(model="claude-any", max_tokens=200, messages=told, **more)

    def stream() -> bool:
        with messages.stream(model="x", max_tokens=200, messages=user(HOW)) as events:
            return "picture" in "".join(events.text_stream)

    def tools() -> bool:
        asked = said(user(WEATHER), tools=[tool])
        results = [
            {"type": "tool_result", "tool_use_id": each.id, "content": get_weather("Paris")}
            for each in asked.content
            if each.type == "tool_use"
        ]
        told = [*user(WEATHER), {"role": "assistant", "content": asked.content}, *user(results)]
        return tells_weather(said(told, tools=[tool]).content[-1].text)

    def schema() -> bool:
        parsed = messages.parse(model="x", max_tokens=200, messages=user("Name a shape."), output_format=Shape)
        return isinstance(parsed.parsed_output, Shape)

    return {
        "plain": lambda: "picture" in said(user(HOW)).content[0].text,
        "stream": stream,
        "tools": tools,
        "schema": schema,
        "picture": lambda: (
            "red"
            in said(user([{"type": "image", "source": source}, {"type": "text", "text": COLOUR}]))
            .content[0]
            .text.lower()
        ),
    }


def litellm(base: str, url: str) -> Steps:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would ask the network for prices
    from litellm import completion, responses

    more: Any = {"model": "openai/gpt-4o-mini", "api_base": base, "api_key": KEY}

    def said(messages: Any, **others: Any) -> Any:
        return completion(messages=messages, **more, **others).choices[0].message

    def stream() -> bool:
        pieces = [each.choices[0].delta.content or "" for each in completion(messages=user(HOW), stream=True, **more)]
        return "picture" in "".join(pieces)

    def tools() -> bool:
        asked = said(user(WEATHER), tools=[TOOL])
        told = {"role": "tool", "tool_call_id": asked.tool_calls[0].id, "content": get_weather("Paris")}
        return tells_weather(said([*user(WEATHER), asked, told], tools=[TOOL]).content)

    def messages_api() -> bool:
        found = completion(
            messages=user(HOW), model="anthropic/claude-any", api_base=base.removesuffix("/v1"), api_key=KEY
        )
        return "picture" in found.choices[0].message.content

    return {
        "plain": lambda: "picture" in said(user(HOW)).content,
        "stream": stream,
        "tools": tools,
        "schema": lambda: bool(Shape.model_validate_json(said(user("A shape."), response_format=Shape).content)),
        "picture": lambda: "red" in said(seen(url)).content.lower(),
        "responses": lambda: "picture" in responses(input=HOW, **more).output[0].content[0].text,
        "anthropic": messages_api,
    }


def langchain(base: str, url: str) -> Steps:
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_openai import ChatOpenAI

    model: Any = ChatOpenAI(base_url=base, api_key=KEY, model="gpt-4o-mini")
    newer: Any = ChatOpenAI(base_url=base, api_key=KEY, model="gpt-4o-mini", use_responses_api=True)

    def tools() -> bool:
        with_tools = model.bind_tools([TOOL])
        messages: list[Any] = [HumanMessage(WEATHER), with_tools.invoke(WEATHER)]
        messages.append(ToolMessage(get_weather("Paris"), tool_call_id=messages[1].tool_calls[0]["id"]))
        return tells_weather(with_tools.invoke(messages).content)

    return {
        "plain": lambda: "picture" in model.invoke(HOW).content,
        "stream": lambda: "picture" in "".join(each.content for each in model.stream(HOW)),
        "tools": tools,
        "schema": lambda: isinstance(model.with_structured_output(Shape).invoke("Name a shape."), Shape),
        "picture": lambda: "red" in model.invoke(seen(url)).content.lower(),
        "responses": lambda: "picture" in str(newer.invoke(HOW).content),
    }


def pydantic_ai(base: str, url: str) -> Steps:
    from pydantic_ai import Agent, BinaryContent, NativeOutput
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=base, api_key=KEY)
    model = OpenAIChatModel("gpt-4o-mini", provider=provider)
    image = BinaryContent(base64.b64decode(url.partition(",")[2]), media_type="image/png")

    async def streamed() -> str:
        async with Agent(model).run_stream(HOW) as answer:
            return "".join([each async for each in answer.stream_text(delta=True)])

    def called(kind: Any) -> bool:
        return tells_weather(Agent(kind, tools=[get_weather]).run_sync(WEATHER).output)

    return {
        "plain": lambda: "picture" in Agent(model).run_sync(HOW).output,
        "stream": lambda: "picture" in asyncio.run(streamed()),
        "tools": lambda: called(model),
        "schema": lambda: isinstance(
            Agent(model, output_type=NativeOutput(Shape)).run_sync("Name a shape.").output, Shape
        ),
        "picture": lambda: "red" in Agent(model).run_sync([COLOUR, image]).output.lower(),
        "responses": lambda: called(OpenAIResponsesModel("gpt-4o-mini", provider=provider)),
    }


def openai_agents(base: str, url: str) -> Steps:
    from agents import (
        Agent,
        OpenAIChatCompletionsModel,
        OpenAIResponsesModel,
        Runner,
        function_tool,
        set_tracing_disabled,
    )
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=base, api_key=KEY)
    model = OpenAIResponsesModel("gpt-4o-mini", client)
    older = OpenAIChatCompletionsModel("gpt-4o-mini", client)
    image = [{"type": "input_text", "text": COLOUR}, {"type": "input_image", "image_url": url, "detail": "auto"}]

    def agent(of: Any = model, **more: Any) -> Any:
        return Agent(name="a", model=of, **more)

    async def streamed() -> bool:
        run = Runner.run_streamed(agent(tools=[function_tool(get_weather)]), WEATHER)
        events = [each async for each in run.stream_events()]
        return len(events) > 5 and tells_weather(run.final_output)

    def run(made: Any, told: Any = WEATHER) -> Any:
        return Runner.run_sync(made, told).final_output

    return {
        "plain": lambda: "picture" in run(agent(), HOW),
        "stream": lambda: asyncio.run(streamed()),
        "tools": lambda: tells_weather(run(agent(tools=[function_tool(get_weather)]))),
        "schema": lambda: isinstance(run(agent(output_type=Shape), "Name a shape."), Shape),
        "picture": lambda: "red" in run(agent(), user(image)).lower(),
        "chat": lambda: tells_weather(run(agent(older, tools=[function_tool(get_weather)]))),
    }


def smolagents(base: str, url: str) -> Steps:
    from PIL import Image
    from smolagents import ChatMessage, OpenAIServerModel, tool

    model: Any = OpenAIServerModel("gpt-4o-mini", api_base=base, api_key=KEY)
    weather = tool(get_weather)

    def told(text: str) -> list[Any]:
        return user([{"type": "text", "text": text}])

    def tools() -> bool:
        asked = model.generate(told(WEATHER), tools_to_call_from=[weather])
        return bool(asked.tool_calls[0].function.name == "get_weather")

    def seen_by() -> bool:
        image = Image.open(sys.argv[3])
        content: Any = [{"type": "text", "text": COLOUR}, {"type": "image", "image": image}]
        return "red" in model.generate([ChatMessage("user", content)]).content.lower()

    schema = {"type": "json_schema", "json_schema": {"name": "Shape", "schema": Shape.model_json_schema()}}
    return {
        "plain": lambda: "picture" in model.generate(told(HOW)).content,
        "stream": lambda: "picture" in "".join(each.content or "" for each in model.generate_stream(told(HOW))),
        "tools": tools,
        "schema": lambda: bool(
            Shape.model_validate_json(model.generate(told("A shape."), response_format=schema).content)
        ),
        "picture": seen_by,
    }


def llama_index(base: str, url: str) -> Steps:
    from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
    from llama_index.core.prompts import PromptTemplate
    from llama_index.core.tools import FunctionTool
    from llama_index.llms.openai_like import OpenAILike

    more: Any = {"is_chat_model": True, "is_function_calling_model": True}
    llm: Any = OpenAILike(model="gpt-4o-mini", api_base=base, api_key=KEY, context_window=8192, **more)
    plain: Any = OpenAILike(model="x", api_base=base, api_key=KEY, is_chat_model=False, max_tokens=8)
    weather = FunctionTool.from_defaults(get_weather)

    def tools() -> bool:
        asked = llm.chat_with_tools([weather], user_msg=WEATHER)
        [call] = llm.get_tool_calls_from_response(asked)
        result = ChatMessage(
            role="tool", content=get_weather("Paris"), additional_kwargs={"tool_call_id": call.tool_id}
        )
        history = [ChatMessage(role="user", content=WEATHER), asked.message, result]
        return tells_weather(llm.chat_with_tools([weather], chat_history=history).message.content)

    def picture() -> bool:
        blocks: Any = [TextBlock(text=COLOUR), ImageBlock(path=Path(sys.argv[3]))]
        return "red" in llm.chat([ChatMessage(role="user", blocks=blocks)]).message.content.lower()

    return {
        "plain": lambda: "picture" in llm.chat([ChatMessage(role="user", content=HOW)]).message.content,
        "stream": lambda: "picture" in [*llm.stream_chat([ChatMessage(role="user", content=HOW)])][-1].message.content,
        "tools": tools,
        "schema": lambda: isinstance(llm.structured_predict(Shape, PromptTemplate("Name a shape.")), Shape),
        "picture": picture,
        "complete": lambda: bool(plain.complete("The sky").text),
    }


def instructor(base: str, url: str) -> Steps:
    import instructor as library
    from openai import OpenAI

    def made(mode: Any, **more: Any) -> bool:
        client: Any = library.from_openai(OpenAI(base_url=base, api_key=KEY), mode=mode)
        found = client.chat.completions.create(model="x", response_model=Shape, messages=user("Name a shape."), **more)
        return isinstance(found, Shape)

    def stream() -> bool:
        client: Any = library.from_openai(OpenAI(base_url=base, api_key=KEY), mode=library.Mode.JSON_SCHEMA)
        parts = client.chat.completions.create_partial(model="x", response_model=Shape, messages=user("Name a shape."))
        return [*parts][-1].name is not None

    def picture() -> bool:
        client: Any = library.from_openai(OpenAI(base_url=base, api_key=KEY), mode=library.Mode.JSON_SCHEMA)
        content = [COLOUR, library.Image.from_path(sys.argv[3])]
        return isinstance(
            client.chat.completions.create(model="x", response_model=Shape, messages=user(content)), Shape
        )

    # Its other modes put the schema into the prompt alone, which asks for a larger model.
    return {
        "stream": stream,
        "tools": lambda: made(library.Mode.TOOLS),
        "schema": lambda: made(library.Mode.JSON_SCHEMA),
        "picture": picture,
    }


def llm(base: str, url: str) -> Steps:
    folder = Path(os.environ["LLM_USER_PATH"])
    entry = f'- model_id: hearth\n  model_name: gpt-4o-mini\n  api_base: "{base}"\n  api_key_name: hearth\n'
    (folder / "extra-openai-models.yaml").write_text(
        f"{entry}  vision: true\n  supports_schema: true\n  supports_tools: true\n"
    )
    (folder / "keys.json").write_text(json.dumps({"hearth": KEY}))
    (folder / "tools.py").write_text(
        "def get_weather(city: str) -> str:\n    'Tells the weather in a city.'\n    return '{\"t\": 21}'\n"
    )

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "llm", "-m", "hearth", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=300, stdin=subprocess.DEVNULL
        )
        if done.returncode:
            raise RuntimeError(done.stderr[-300:])
        return done.stdout

    return {
        "plain": lambda: "picture" in run("--no-stream", HOW),
        "stream": lambda: "picture" in run(HOW),
        "tools": lambda: tells_weather(run("--functions", str(folder / "tools.py"), WEATHER)),
        "schema": lambda: bool(
            Shape.model_validate_json(run("--schema", json.dumps(Shape.model_json_schema()), "Name a shape."))
        ),
        "picture": lambda: "red" in run("-a", sys.argv[3], COLOUR).lower(),
    }


def ollama(base: str, url: str) -> Steps:
    from ollama import Client

    client = Client(host=base.removesuffix("/v1"), headers={"Authorization": f"Bearer {KEY}"})
    seen_by = [{"role": "user", "content": COLOUR, "images": [url.partition(",")[2]]}]

    def said(messages: Any, **more: Any) -> Any:
        return client.chat("llama3", messages, **more).message

    def stream() -> bool:
        pieces = [each.message.content or "" for each in client.chat("llama3", user(HOW), stream=True)]
        return len(pieces) > 2 and "picture" in "".join(pieces)

    def tools() -> bool:
        messages = user(WEATHER)
        asked = said(messages, tools=[get_weather])
        told = {"role": "tool", "tool_name": "get_weather", "content": get_weather("Paris")}
        return tells_weather(said([*messages, asked, told], tools=[get_weather]).content)

    return {
        "plain": lambda: "picture" in said(user(HOW)).content,
        "stream": stream,
        "generate": lambda: "picture" in (client.generate("llama3", HOW).response or ""),
        "tools": tools,
        "schema": lambda: bool(
            Shape.model_validate_json(said(user("Name a shape."), format=Shape.model_json_schema()).content)
        ),
        "picture": lambda: "red" in said(seen_by).content.lower(),
    }


_BYE = "print('bye')"
_DIFF = f"hello.py\n```python\n<<<<<<< SEARCH\nprint('hello')\n=======\n{_BYE}\n>>>>>>> REPLACE\n```\n"
_WHOLE = f"hello.py\n```\n{_BYE}\n```\n"


def aider(base: str, url: str) -> Steps:
    folder = Path(sys.argv[3]).parent / "repository"
    folder.mkdir(exist_ok=True)
    file = folder / "hello.py"

    def run(*options: str | Path) -> None:
        file.write_text("print('hello')\n")
        program = Path(sys.executable).with_name("aider")
        quiet = ("--no-git", "--yes-always", "--no-check-update", "--analytics-disable", "--no-show-model-warnings")
        about = ("--model", "openai/gpt-4o-mini", "--openai-api-base", base, "--openai-api-key", KEY)
        asked = ("--map-tokens", "0", "--message", "Say bye instead.", "hello.py")
        done = subprocess.run(
            [program, *quiet, *about, *options, *asked],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            cwd=folder,
            stdin=subprocess.DEVNULL,
        )
        # The tiny model ends no answer by itself: that its limit is told means that the answer was read.
        if done.returncode or not ("Tokens:" in done.stdout or "Output tokens:" in done.stdout):
            raise RuntimeError((done.stdout + done.stderr)[-300:])

    def plain() -> bool:
        run("--no-stream", "--edit-format", "ask")
        return True

    def edited(form: str, answer: str, *options: str) -> bool:
        """A grammar has the tiny model write the edit; aider has to understand it, and to change the file."""
        grammar = {"grammar": f"root ::= {json.dumps(answer)}"}
        settings = folder / f"{form}.yml"
        settings.write_text(
            json.dumps([{"name": "openai/gpt-4o-mini", "edit_format": form, "extra_params": {"extra_body": grammar}}])
        )
        run("--model-settings-file", settings, "--edit-format", form, *options)
        return file.read_text() == f"{_BYE}\n"

    return {
        "plain": plain,
        "streamed-edit": lambda: edited("diff", _DIFF),
        "edit": lambda: edited("diff", _DIFF, "--no-stream"),
        "whole-file": lambda: edited("whole", _WHOLE),
    }


def main() -> None:
    name, base, picture = sys.argv[1:4]
    url = "data:image/png;base64," + base64.b64encode(Path(picture).read_bytes()).decode()
    steps: Steps = globals()[name](base, url)
    for step, check in steps.items():
        try:
            told = "ok" if check() else "another answer than expected"
        except Exception as error:  # noqa: BLE001 - whatever a library raises is what is told
            told = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        print(f"STEP {step} {told}", flush=True)


if __name__ == "__main__":
    main()
