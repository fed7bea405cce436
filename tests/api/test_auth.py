import pytest
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from app.api.auth import OF_THIS_COMPUTER, Access
from app.api.errors import ApiError
from app.api.hosts import is_loopback, refuse_open_access
from app.core.errors import UserError


def status(access: Access, path: str = "/v1/models", **headers: str) -> int:
    """The HTTP status that the rules give a request; 200 where they let it in."""
    sent = CIMultiDict({"Host": "127.0.0.1:8080"} | {name.replace("_", "-"): value for name, value in headers.items()})
    try:
        access.check(make_mocked_request("GET", path, headers=sent))
    except ApiError as error:
        return error.status
    return 200


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:8080",
        "127.9.9.9:1",
        "localhost",
        "LocalHost:8080",
        "localhost.:80",
        "[::1]:8080",
        "[::1]",
    ],
)
def test_names_of_this_computer_are_let_in(host: str) -> None:
    assert status(Access("127.0.0.1"), Host=host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "192.168.1.5",
        "",
        "[",
        ":80",
    ],
)
def test_other_names_are_not(host: str) -> None:
    assert status(Access("127.0.0.1"), Host=host) == 403


def test_a_host_must_be_told_once() -> None:
    def check(headers: "CIMultiDict[str]") -> None:
        Access("127.0.0.1").check(make_mocked_request("GET", "/health", headers=headers))

    with pytest.raises(ApiError):
        check(CIMultiDict())
    with pytest.raises(ApiError):
        check(CIMultiDict([("Host", "localhost"), ("Host", "localhost")]))


def test_the_name_that_is_listened_on_is_let_in() -> None:
    access = Access("Printer.lan", "key")
    assert status(access, Host="printer.lan:8080", Authorization="Bearer key") == 200
    assert status(access, Host="scanner.lan:8080", Authorization="Bearer key") == 403


def test_several_may_be_listened_on() -> None:
    access = Access("printer.lan, ::1", "key")
    for host, answered in (("printer.lan", 200), ("[::1]:8080", 200), ("scanner.lan", 403), ("192.168.1.5", 403)):
        assert status(access, Host=host, Authorization="Bearer key") == answered
    everywhere = Access("127.0.0.1,0.0.0.0", "key")
    assert status(everywhere, Host="192.168.1.5", Authorization="Bearer key") == 200


@pytest.mark.parametrize("everywhere", ["0.0.0.0", "::"])
def test_listening_everywhere_takes_addresses_and_no_names(everywhere: str) -> None:
    access = Access(everywhere, "key")
    assert status(access, Host="192.168.1.5:8080", Authorization="Bearer key") == 200
    assert status(access, Host="[fe80::1]:8080", Authorization="Bearer key") == 200
    assert status(access, Host="evil.example", Authorization="Bearer key") == 403


def test_a_key_is_asked_for_where_there_is_one() -> None:
    access = Access("127.0.0.1", "sésame")
    assert status(access) == 401
    assert status(access, Authorization="Bearer wrong") == 401
    assert status(access, Authorization="sésame") == 401
    assert status(access, Authorization="Basic sésame") == 401
    assert status(access, Authorization="Bearer ") == 401
    assert status(access, Authorization="Bearer sésame") == 200
    assert status(access, Authorization="bearer sésame") == 200


def test_health_needs_no_key_but_the_right_host() -> None:
    access = Access("127.0.0.1", "key")
    assert status(access, "/health") == 200
    assert status(access, "/health", Host="evil.example") == 403
    assert status(access, "/health/") == 401


def test_without_a_key_none_is_asked_for() -> None:
    assert status(Access("127.0.0.1"), Authorization="Bearer anything") == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "::1", "127.0.0.2", "127.0.0.1,::1"])
def test_this_computer_alone_needs_no_key(host: str) -> None:
    refuse_open_access(host, "")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.1.5", "printer.lan", "127.0.0.1,0.0.0.0", "127.0.0.1,"])
def test_other_computers_need_one(host: str) -> None:
    refuse_open_access(host, "key")
    with pytest.raises(UserError, match="--api-key"):
        refuse_open_access(host, "")


@pytest.mark.parametrize("key", [" ", "\t", " key", "key\n", "k\0y"])
def test_a_key_that_nobody_can_send_is_refused(key: str) -> None:
    for host in ("127.0.0.1", "0.0.0.0"):
        with pytest.raises(UserError, match="No program can send this API key"):
            refuse_open_access(host, key)


@pytest.mark.parametrize("path", ["/health", "/v1/models"])
def test_foreign_pages_are_refused(path: str) -> None:
    access = Access("127.0.0.1", "", ("https://chat.example",))
    assert status(access, path, Origin="https://chat.example") == 200
    for origin in ("https://evil.example", "null", "http://127.0.0.1:8080", "https://chat.example.evil", ""):
        assert status(access, path, Origin=origin) == 403


@pytest.mark.parametrize(
    ("origin", "answered"),
    [
        ("http://localhost", 200),
        ("https://localhost:3000", 200),
        ("http://127.0.0.1:8080", 200),
        ("http://[::1]:3000", 200),
        ("http://notlocalhost", 403),
        ("http://localhost.evil.example", 403),
        ("http://evil.example", 403),
        ("file://localhost", 403),
        ("null", 403),
    ],
)
def test_pages_of_this_computer_are_let_in_together(origin: str, answered: int) -> None:
    assert status(Access("127.0.0.1", "", (OF_THIS_COMPUTER, "https://chat.example")), Origin=origin) == answered


def test_what_is_loopback() -> None:
    assert is_loopback("127.1.2.3")
    assert not is_loopback("128.0.0.1")
    assert not is_loopback("localhost.example")


def test_the_key_is_in_no_repr() -> None:
    assert "secret" not in repr(Access("127.0.0.1", "secret"))
