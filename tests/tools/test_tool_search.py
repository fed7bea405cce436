"""Tools that wait, and how they are found."""

import pytest

from app.tools.tool import OfferedTool
from app.tools.tool_search import SEARCH, best, names_found, searched, waiting


def offered(name: str, description: str, server: str = "files") -> OfferedTool:
    parameters = {"type": "object", "properties": {"path": {"type": "string", "description": ""}}}
    function = {"name": name, "description": description, "parameters": parameters}
    return OfferedTool(name, server, name, {"type": "function", "function": function})


TOOLS = (
    offered("read_file", "Reads a text file as a whole."),
    offered("listDirectory", "What is in a folder."),
    offered("create_issue", "Opens an issue in a repository, with a title and a text.", "forge"),
    offered("search_issues", "Finds issues of a repository by words in their title or text.", "forge"),
    offered("now", "The time.", ""),
)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("read a file", "read_file"),
        ("directories or a directory", "listDirectory"),
        ("find issues", "search_issues"),
        ("create issue", "create_issue"),
        ("listDirectory", "listDirectory"),
        ("forge", "create_issue"),
    ],
)
def test_the_words_of_a_query_find_the_tool(query: str, first: str) -> None:
    assert best(TOOLS, query)[0].name == first


def test_what_has_none_of_the_words_is_not_found() -> None:
    assert best(TOOLS, "weather") == best(TOOLS, "") == best((), "file") == []


def test_all_but_what_is_built_in_waits_behind_the_search() -> None:
    search, *others = waiting(TOOLS)
    assert search.server == SEARCH and not search.waits
    assert "files (2), forge (2)" in search.declaration["function"]["description"]
    assert [each.waits for each in others] == [True, True, True, True, False]
    (renamed, *_) = waiting([offered("search_tools", "Mine")])
    assert renamed.name == "find_tools"


def test_a_search_tells_what_may_be_called() -> None:
    made = waiting(TOOLS)
    told = searched('{"query": "issues"}', made)
    assert names_found(told) == {"create_issue", "search_issues"}
    assert searched('{"query": "weather"}', made) == "No tool has these words. Try others."
    assert searched('{"query": "time"}', made) == "No tool has these words. Try others.", "that one is told anyway"
    assert searched("{}", made) == "The argument “query” is missing."
    assert names_found('[1]\n{\nplain\n"name"') == set()
