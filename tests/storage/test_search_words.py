import sqlite3

import pytest

from app.storage.search_words import Term, cut, fold, match_expression, plain_text, telling, terms_of, uncut


@pytest.mark.parametrize(
    ("wanted", "terms"),
    [
        ("", ()),
        ("  ", ()),
        ("!? -", ()),
        ("kyo", (Term("kyo", True),)),
        ("kyo ", (Term("kyo"),)),
        ("trip kyo", (Term("trip"), Term("kyo", True))),
        ('"old town" kyo', (Term("old town"), Term("kyo", True))),
        ('"old tow', (Term("old tow", True),)),
        ('"old town"', (Term("old town"),)),
        ('say "" x', (Term("say"), Term("x", True))),
        ('"old ', (Term("old "),)),
        ("c++", (Term("c++"),)),
        ("old-", (Term("old-"),)),
        ("cafe\u0301", (Term("cafe\u0301", True),)),
    ],
)
def test_words_phrases_and_what_is_being_typed(wanted: str, terms: tuple[Term, ...]) -> None:
    assert terms_of(wanted) == terms


@pytest.mark.parametrize("wanted", ['a" OR b', "NEAR(a b)", "a*", "body : x", "(", "a AND", "^a", "-", 'x"y', "a+b"])
def test_nothing_typed_is_taken_for_syntax(wanted: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE text USING fts5 (body)")
    if expression := match_expression(terms_of(wanted)):
        connection.execute("SELECT * FROM text WHERE text MATCH ?", (expression,)).fetchall()
    connection.close()


def test_scripts_without_blanks_are_cut_and_put_together_again() -> None:
    text = "Trip to 京都に行く, ประเทศไทย, x"
    assert uncut(cut(text)) == text
    assert cut("東京") == "東\u200b京"
    assert cut("plain text") == "plain text"
    assert cut("a\0b") == "a b"
    assert cut("\ud800é") == "?é"


def test_a_letter_alone_at_the_end_says_nothing_yet() -> None:
    assert telling(terms_of("vitamin c")) == (Term("vitamin"),)
    assert telling(terms_of("vitamin c ")) == (Term("vitamin"), Term("c"))
    assert telling(terms_of("京")) == (Term("京", True),)
    assert telling(terms_of("c")) == telling(terms_of('"c')) == ()


def test_nor_does_it_in_a_phrase() -> None:
    assert telling(terms_of('old "vitamin c')) == (Term("old"), Term("vitamin "))
    assert telling(terms_of("vitamin-c")) == (Term("vitamin-"),)
    assert telling(terms_of('"vitamin c"')) == (Term("vitamin c"),)
    assert telling(terms_of('"vitamin c ')) == (Term("vitamin c "),)
    assert telling(terms_of("(c")) == ()


@pytest.mark.parametrize("word", ["éa", "cafe\u0301s", "京都a", "ви"])
def test_a_letter_that_ends_a_word_is_none_alone(word: str) -> None:
    assert telling(terms_of(word)) == (Term(word, True),)


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("## Head\nand **bold** words", "Head\nand bold words"),
        ("…one\n- item\n* [ ] task\n> said", "…one\nitem\ntask\nsaid"),
        ("see [the page](https://example.org/a) and ![x](y.png)", "see the page and x"),
        ("use `ls -l` in\n```bash\nls\n```\n", "use ls -l in\n\nls\n\n"),
        ("| a | b |\n|---|:-:|\n| c | d |", " a | b\n\n c | d"),
        ("a cut **half of it", "a cut half of it"),
        ("half of it** that is cut", "half of it that is cut"),
        ("2**3 and a*b*c and __init__ and x | y", "2**3 and a*b*c and __init__ and x | y"),
        ("H<sub>2</sub>O", "H2O"),
        ("…sub>2</sub>O and H<sub…", "…2O and H…"),
        ("/sub>O or<br>sup", "O or sup"),
    ],
)
def test_what_was_found_reads_without_its_markdown(markdown: str, text: str) -> None:
    assert plain_text(markdown) == text


def test_folding() -> None:
    assert fold("Straße ÀÉ") == fold("STRASSE àé") == "strasse ae"
