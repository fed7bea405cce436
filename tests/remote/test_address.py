"""What people type, as one address."""

import pytest

from app.core.errors import UserError
from app.remote.address import ServerAddress


@pytest.mark.parametrize(
    ("typed", "base"),
    [
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("http://LocalHost:8080/v1", "http://localhost:8080"),
        ("http://gpu.local:80/v1/", "http://gpu.local"),
        ("https://example.org:443/api/v1/chat/completions", "https://example.org/api"),
        ("http://box:11434/api/chat", "http://box:11434"),
        ("example.org/llm/v1", "https://example.org/llm"),
        ("192.168.1.5:8000/v1/models?x=1#y", "http://192.168.1.5:8000"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("::1", "http://[::1]"),
        ("http://[fd00::2]:9/v1", "http://[fd00::2]:9"),
        ("  nas  ", "http://nas"),
        ("8.8.8.8:1", "https://8.8.8.8:1"),
    ],
)
def test_one_form_for_all_that_people_type(typed: str, base: str) -> None:
    address = ServerAddress.typed(typed)
    assert address.base == base
    assert ServerAddress.typed(address.base) == address


@pytest.mark.parametrize(
    "typed", ["", " ", "ftp://x", "http://", "a b", "http://x:99999", "file:///etc", "http://[::1"]
)
def test_what_is_no_address_is_refused_in_a_sentence(typed: str) -> None:
    with pytest.raises(UserError, match="is no address of a server"):
        ServerAddress.typed(typed)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(UserError, match="own field") as caught:
        ServerAddress.typed("https://me:geheim@example.org/v1")
    assert "geheim" not in f"{caught.value!r}{caught.value.detail}"


@pytest.mark.parametrize(
    ("typed", "loopback", "private", "tells_key"),
    [
        ("localhost:1", True, True, False),
        ("127.9.9.9:1", True, True, False),
        ("[::1]:1", True, True, False),
        ("[::ffff:127.0.0.1]:1", True, True, False),
        ("10.1.2.3:1", False, True, False),
        ("100.64.0.9:1", False, True, False),
        ("[fe80::1]:1", False, True, False),
        ("gpu.local:1", False, True, False),
        ("gpubox:1", False, True, False),
        ("http://example.org", False, False, True),
        ("https://example.org", False, False, False),
        ("http://127.0.0.1.example.org", False, False, True),
    ],
)
def test_whose_network_it_is_is_told_by_the_name_alone(
    typed: str, loopback: bool, private: bool, tells_key: bool
) -> None:
    address = ServerAddress.typed(typed)
    assert (address.is_loopback, address.is_private, address.tells_key) == (loopback, private, tells_key)
