from app.ui.richtext.highlight import LONGEST, Span, spans_by_line


def test_one_tuple_for_each_line() -> None:
    text = '"""two\nlines"""\n\nx = 1\n'
    lines = list(spans_by_line("python", text))
    assert len(lines) == len(text.split("\n"))
    assert lines[0] == (Span(0, 6, "string"),)
    assert lines[1] == (Span(0, 8, "string"),)
    assert lines[2] == ()


def test_columns_count_as_qt_counts() -> None:
    (line,) = spans_by_line("python", '"😀" if x')
    strings = [span for span in line if span.role == "string"]
    assert sum(span.length for span in strings) == 4
    assert Span(5, 2, "keyword") in line


def test_unknown_or_huge_text_stays_plain() -> None:
    assert list(spans_by_line("no such language", "x = 1")) == []
    assert list(spans_by_line("", "x = 1")) == []
    assert list(spans_by_line("python", "x" * (LONGEST + 1))) == []


def roles(language: str, text: str) -> list[set[str]]:
    return [{span.role for span in line} for line in spans_by_line(language, text)]


def test_a_diff_tells_what_goes_from_what_comes() -> None:
    assert roles("diff", "-old\n same\n+new") == [{"deleted"}, set(), {"inserted"}]


def test_a_shell_has_its_commands_and_variables() -> None:
    assert roles("bash", 'echo "$HOME" # why\n') == [{"function", "string", "type", "comment"}, set()]
