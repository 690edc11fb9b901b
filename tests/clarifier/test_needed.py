"""Arguments that a call cannot do without though the schema leaves them optional."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from clarifier.clarifier import decide
from clarifier.decision import Act, Ask
from clarifier.grounding.needed import needed
from clarifier.policy import open_policy
from memory.tools import Parameter, Tool
from tests.clarifier.samples import call, calls, need, option, situation, tool

NOTIFY = tool("notifyByMail", "Notify somebody.", need("text", "What to say."), option("email", "Where it goes."))
WRITE_TO = tool("send_card", "Send a card.", need("recipient"), option("email"), need("text"))
SELF = tool("send_digest", "Send a digest.", option("email", "By default your own.", default="your own"), need("text"))
EITHER = tool("send_text", "Send a text.", option("email"), option("phone"), need("text"))
READ = tool("get_mail", "Get the mail of an address.", option("email"))
SHELF = tool(
    "change_shelf",
    "Change a shelf.",
    need("action", "What to do.", enum=("add", "rename", "drop")),
    option("label", "The new label, required only when adding or renaming."),
    option("colour", "Not required when adding."),
)
SHELF_ZH = tool(
    "changeShelf",
    "修改书架。",
    need("action", "操作。", enum=("新增", "改名", "移除")),
    option("label", "新的标签，仅在新增或改名时必填。"),
    option("colour", "颜色，移除时不需要。"),
)


@pytest.mark.parametrize(
    ("taker", "arguments", "names"),
    [
        (NOTIFY, {"text": "hi"}, ("text", "email")),
        (WRITE_TO, {"text": "hi"}, ("recipient", "text")),  # it is told already who gets it
        (SELF, {"text": "hi"}, ("text",)),
        (EITHER, {"text": "hi"}, ("text",)),  # which of the two, nobody can tell
        (READ, {}, ()),
        (SHELF, {"action": "rename"}, ("action", "label")),
        (SHELF, {"action": "drop"}, ("action",)),
        (SHELF, {"action": None}, ("action",)),
        (SHELF_ZH, {"action": "改名"}, ("action", "label")),
        (SHELF_ZH, {"action": "移除"}, ("action",)),
    ],
)
def test_what_a_call_must_have(taker: Tool, arguments: dict[str, JsonValue], names: tuple[str, ...]) -> None:
    found: tuple[Parameter, ...] = needed(taker, arguments, {})
    assert tuple(one.name for one in found) == names


def test_a_message_to_nobody_is_asked_about_and_one_to_an_invented_address_too() -> None:
    here = situation('Notify Ida: "The kiln is free"', NOTIFY)
    bare = call("notifyByMail", text="The kiln is free")
    made_up = call("notifyByMail", text="The kiln is free", email="ida@kiln.example")
    for proposed in (bare, made_up):
        decision = decide(here, calls(proposed), policy=open_policy("benchmark"))
        assert isinstance(decision, Ask)
        assert decision.slots == ("notifyByMail.email",)
    told = situation('Notify Ida, ida@kiln.example: "The kiln is free"', NOTIFY)
    decision = decide(told, calls(made_up), policy=open_policy("benchmark"))
    assert isinstance(decision, Act)
    assert decision.calls == (made_up,)
