"""No attribute of an object is overwritten from outside: what an object holds it alone writes."""

import ast
from collections.abc import Iterator
from pathlib import Path

APP = Path(__file__).parents[2] / "app"
FOREIGN = {
    "aiohttp": "api/peer_states response",
    "asyncio": "tools/watcher self._shell",
    "builtins": "start builtins",
    "ctypes": """engine/binding/context c_params filled.batch;
        engine/binding/open_context self._c_params self._token self._position self._sequence;
        engine/binding/library base.* ggml.*; engine/binding/model params; engine/binding/mtmd_chunks c_part;
        engine/binding/mtmd_context c_params; engine/binding/nextn self._shared.batch.batch;
        engine/binding/sampler params self._array; engine/binding/vector_context params batch;
        tools/windows_job _kernel.*""",
    "expat": "engine/documents/package parser",
    "jinja2": "engine/template/chat_template self._sandbox",
    "logging": "services/local_api/thread record",
    "markdown-it": """ui/richtext/markdown token; ui/richtext/markdown_math state token;
        ui/richtext/markdown_pieces opening token tokens[index+2]; ui/richtext/user_text_html inline mark
        state state.push('paragraph_open','p',1); ui/richtext/markdown_tags inline only opening state token""",
    "mcp": "tools/sign_in found",
    "numpy": "engine/media/embeddings kept.flags",
    "Pillow": "engine/media/images stored",
    "Qt": """ui/composer/context_gauge option; ui/models/button option; ui/passages/page_panel selection;
        ui/richtext/code_colours each; ui/richtext/text_block_view context; ui/richtext/text_marks selection;
        ui/widgets/row_painter made""",
    "sqlite3": "storage/search connection; storage/sqlite_file connection",
    "ssl": "remote/pairing/certificate context",
    "sys": "cli/standard_streams sys; cli/terminal sys; services/runtime/crash_reports sys threading",
    "wasmtime": "tools/built_in/python_child config",
    "zipfile": "storage/exchange/backup info",
    "ziamath": "cli/parts ziamath.config; ui/richtext/formulas ziamath.config",
}
"""Objects of others that are told things so: in which file, and what they are called there."""


def written(tree: ast.AST) -> Iterator[ast.Attribute]:
    """Attributes that are assigned outside of what makes an object."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node
        if not (isinstance(node, ast.FunctionDef) and node.name == "__new__"):
            yield from written(node)


def written_from_outside(tree: ast.AST) -> set[tuple[str, str]]:
    """Owners and attributes. A class may write what is private of others of its kind."""
    stores = [(ast.unparse(each.value).replace(" ", ""), each.attr) for each in written(tree)]
    attributes = [each for each in ast.walk(tree) if isinstance(each, ast.Attribute)]
    own = {each.attr for each in attributes if isinstance(each.value, ast.Name) and each.value.id == "self"}
    return {
        (owner, attr)
        for owner, attr in stores
        if owner not in {"self", "cls"} and not (attr.startswith("_") and attr in own)
    }


def test_an_object_alone_writes_what_it_holds() -> None:
    allowed = {file: set(names) for text in FOREIGN.values() for file, *names in map(str.split, text.split(";"))}
    found, used = [], set()
    for file in sorted(APP.rglob("*.py")):
        place = file.relative_to(APP).as_posix().removesuffix(".py")
        for owner, attr in written_from_outside(ast.parse(file.read_text("utf-8"))):
            names = {owner, owner.split(".")[0] + ".*"} & allowed.get(place, set())
            used |= {(place, each) for each in names}
            found += [f"{place}: {owner}.{attr}"] if not names else []
    assert found == []
    assert used == {(place, each) for place, names in allowed.items() for each in names}
