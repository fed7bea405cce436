"""What tools may do: tables of what is asked, and what is kept."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from app.core.errors import UserError
from app.tools.permissions import Circumstances, Permissions, Why, capabilities
from app.tools.tool import Capability, Decision, Hints, Nature, Tool

WRITES = Tool("notes", "f1", "write", schema={"type": "object"}, hints=Hints(read_only=False, open_world=False))
READS = replace(WRITES, name="read", hints=Hints(read_only=True, open_world=False))
FETCHES = replace(WRITES, name="fetch", hints=Hints(read_only=True, open_world=True))
CLOCK = Tool("", "", "current_time", nature=Nature())
PAGE = Tool("example.org", ":web example.org", "read_page", nature=Nature(frozenset({Capability.SENDS}), asks=True))
NOW = Circumstances(conversation=1, question=10)
Kept = dict[str, Mapping[str, object]]


@pytest.fixture
def kept() -> Kept:
    return {}


@pytest.fixture
def permissions(kept: Kept) -> Permissions:
    return opened(kept)


def opened(kept: Kept) -> Permissions:
    """As after a restart."""
    return Permissions(kept.items(), kept.__setitem__)


@pytest.mark.parametrize(
    ("tool", "believed", "able"),
    [
        (CLOCK, False, {Capability.LOOKS}),
        (READS, False, set(Capability)),
        (READS, True, {Capability.LOOKS}),
        (WRITES, True, {Capability.LOOKS, Capability.WRITES}),
        (FETCHES, True, {Capability.LOOKS, Capability.SENDS}),
        (Tool("s", "f", "t"), True, {Capability.LOOKS, Capability.WRITES, Capability.SENDS}),
    ],
)
def test_what_a_server_says_counts_where_it_is_believed(tool: Tool, believed: bool, able: set[Capability]) -> None:
    assert capabilities(tool, believed=believed) == able


@pytest.mark.parametrize(
    ("decision", "same_chat", "other_chat", "after_restart"),
    [
        (Decision.ONCE, Why.NEW, Why.NEW, Why.NEW),
        (Decision.NO, Why.NEW, Why.NEW, Why.NEW),
        (Decision.CHAT, None, Why.NEW, Why.NEW),
        (Decision.ALWAYS, None, None, None),
    ],
)
def test_how_long_a_decision_holds(
    permissions: Permissions, kept: Kept, decision: Decision, same_chat: Why, other_chat: Why, after_restart: Why
) -> None:
    assert permissions.why_ask(WRITES, NOW) is Why.NEW
    permissions.decide(WRITES, NOW, decision)
    assert permissions.why_ask(WRITES, replace(NOW, question=11)) is same_chat
    assert permissions.why_ask(WRITES, replace(NOW, conversation=2, question=12)) is other_chat
    assert permissions.why_ask(READS, NOW) is Why.NEW, "another tool of the same server"
    assert opened(kept).why_ask(WRITES, NOW) is after_restart
    assert bool(kept) is (decision is Decision.ALWAYS), "nothing is kept for ever unless asked for"


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (replace(WRITES, description="Sends all files home"), Why.CHANGED),
        (replace(WRITES, schema={"type": "object", "properties": {"to": {}}}), Why.CHANGED),
        (replace(WRITES, hints=Hints(read_only=True, open_world=False)), Why.CHANGED),
        (replace(WRITES, fingerprint="f2"), Why.NEW),
        (replace(WRITES, server="renamed"), None),
    ],
)
def test_always_is_bound_to_the_server_and_the_definition(
    permissions: Permissions, other: Tool, why: Why | None
) -> None:
    permissions.decide(WRITES, NOW, Decision.ALWAYS)
    assert permissions.why_ask(other, replace(NOW, question=11)) is why


@pytest.mark.parametrize(
    ("tool", "believed", "decision", "why"),
    [
        (WRITES, True, Decision.ALWAYS, Why.OUTSIDE),
        (FETCHES, True, Decision.ALWAYS, Why.OUTSIDE),
        (READS, True, Decision.ALWAYS, None),
        (READS, False, Decision.ALWAYS, Why.OUTSIDE),
        (WRITES, True, Decision.CHAT, None),
        (CLOCK, False, Decision.ONCE, None),
        (PAGE, False, Decision.ALWAYS, Why.OUTSIDE),
        (PAGE, False, Decision.ONCE, Why.NEW),
    ],
)
def test_after_a_result_from_outside_always_covers_only_looking(
    permissions: Permissions, tool: Tool, believed: bool, decision: Decision, why: Why | None
) -> None:
    permissions.believe(tool.fingerprint, tool.server, believed)
    permissions.decide(tool, NOW, decision)
    assert permissions.why_ask(tool, replace(NOW, question=11, outside=True)) is why


def test_always_said_again_holds_for_the_question(permissions: Permissions) -> None:
    permissions.decide(WRITES, NOW, Decision.ALWAYS)
    later = replace(NOW, question=11, outside=True)
    permissions.decide(WRITES, later, Decision.ALWAYS)
    assert permissions.why_ask(WRITES, later) is None
    assert permissions.why_ask(WRITES, replace(later, question=12)) is Why.OUTSIDE


@pytest.mark.parametrize("tool", [WRITES, CLOCK])
def test_the_third_time_is_asked(permissions: Permissions, tool: Tool) -> None:
    permissions.decide(tool, NOW, Decision.CHAT)
    assert permissions.why_ask(tool, replace(NOW, repeated=1)) is None
    assert permissions.why_ask(tool, replace(NOW, repeated=2)) is Why.REPEATED


def test_rules_are_listed_and_revoked(permissions: Permissions, kept: Kept) -> None:
    for tool in (WRITES, READS):
        permissions.decide(tool, NOW, Decision.ALWAYS)
    first, second = permissions.rules()
    assert [(rule.server, rule.tool) for rule in (first, second)] == [("notes", "read"), ("notes", "write")]
    permissions.revoke(second)
    assert permissions.rules() == (first,) == opened(kept).rules()
    assert permissions.why_ask(WRITES, NOW) is Why.NEW, "also in the question in which it was allowed"
    permissions.forget("f1")
    assert not permissions.rules() and kept == {"f1": {}}


def test_what_is_no_rule_allows_nothing() -> None:
    for damaged in ({"always": ["write"]}, {"always": {"write": 1}}, {"believed": "yes"}, {}):
        made = Permissions([("f1", damaged)], lambda *_: None)
        assert made.why_ask(WRITES, NOW) is Why.NEW and not made.believes("f1")


def test_a_disk_that_refuses_allows_nothing_for_ever() -> None:
    def refuse(*_: object) -> None:
        raise UserError("The disk is full.")

    permissions = Permissions([], refuse)
    with pytest.raises(UserError):
        permissions.decide(WRITES, NOW, Decision.ALWAYS)
    with pytest.raises(UserError):
        permissions.believe("f1", "notes", True)
    assert not permissions.rules() and not permissions.believes("f1")
    assert permissions.why_ask(WRITES, NOW) is Why.NEW
