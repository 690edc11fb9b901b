"""`stead chat`: the conversation in process with a scripted planner, and the real command over a pipe."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.agent import Agent
from agent.cli import app
from agent.demo.toolbox import Toolbox
from agent.errors import PlannerUnavailableError
from agent.explain import why
from agent.graph import TurnResult
from agent.terminal import HELP, Chat
from agent.turn_state import TraceEntry
from clarifier.decision import Act, Answer, Ask, Hint, Odds, PlanAgain, Proposal, Reason, Situation, Usage
from memory.evidence import Slot
from memory.memory import Memory
from memory.recall import Recall
from memory.records import QuestionStep, Scope, ToolCall, Turn
from memory.storage.user_memory import UserMemory
from memory.storage.user_settings import UserSettings
from tests.chat_server import ChatServer, Reply, calls, fails, says
from tests.fakes import HashingEmbedder, ScriptedPlanner

NOW = datetime(2026, 3, 9, 7, 36)
SEARCH = ToolCall(
    id="1", name="search_trains", arguments={"origin": "Turin", "destination": "Milan", "date": "2026-03-12"}
)
ASK = "train from Turin to Milan on 2026-03-12"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[UserMemory]:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as opened:
        yield opened.user(Scope("ada"))


@dataclass
class Lines:
    """A console that reads a script."""

    script: Sequence[str]
    written: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._left = list(self.script)

    def read(self, prompt: str) -> str | None:
        return self._left.pop(0) if self._left else None

    def write(self, line: str) -> None:
        self.written.append(line)


def talk(memory: UserMemory, lines: Sequence[str], *script: Proposal) -> list[str]:
    """Return what is written when `lines` are typed and the planner proposes `script`."""
    console = Lines(lines)
    agent = Agent(memory, ScriptedPlanner(script), clock=lambda: NOW)
    Chat(agent, Toolbox("all"), console).talk()
    assert console.written.pop() == "Goodbye."
    return console.written


def test_a_turn_shows_its_calls_and_is_explained_and_forgotten(memory: UserMemory) -> None:
    first, second, *rest = talk(
        memory,
        [ASK, "/why", "/turns", "/forget t1", "/turns", "/state", "/why"],
        Proposal(calls=(SEARCH,)),
        Proposal(reply="Four trains."),
    )
    assert first == '  → search_trains(origin="Turin", destination="Milan", date="2026-03-12")'
    assert second.startswith('  ← [{"trip_id": "IC')
    assert len(second) <= 4 + 200
    assert rest[:2] == ["stead> Four trains.", f"Turn t1: “{ASK}”"]
    assert rest[2].startswith("- made search_trains (policy product: acting is wanted ")
    assert rest[3:] == [
        '    search_trains.origin = "Turin"  p=1.00  request: you said it in this request',
        '    search_trains.destination = "Milan"  p=1.00  request: you said it in this request',
        '    search_trains.date = "2026-03-12"  p=1.00  request: you said it in this request',
        "- replied “Four trains.”",
        f"t1: {ASK}",
        "Forgotten: 1 turn, with the vectors of 1.",
        "No turn is remembered.",
        "Nothing is believed of you yet.",
        "Nothing was decided in this session yet.",
    ]


def test_a_request_is_served_in_its_language(memory: UserMemory) -> None:
    seen: list[Situation] = []
    planner = ScriptedPlanner([Proposal(reply="好的。"), Proposal(reply="Fine.")], seen=seen)
    Chat(Agent(memory, planner), Toolbox("trips"), Lines(["明天去杭州的火车", "a train to Milan"])).talk()
    described = [situation.tools[0].description[:6] for situation in seen]
    assert described == ["查询两个城市", "Search"]
    assert all(situation.now is not None and situation.now.tzinfo is not None for situation in seen)


def test_a_question_waits_for_its_answer_while_commands_work(memory: UserMemory) -> None:
    question = Proposal(question="Which town?", question_slots=(Slot("get_weather", "place"),))
    written = talk(memory, ["weather tomorrow please", "/state", "Turin"], question, Proposal(reply="Sunny."))
    asked, state, again, told = written
    assert asked.startswith("stead? ")
    assert state == "Nothing is believed of you yet."
    assert again == asked
    assert told == "stead> Sunny."
    (step,) = memory.turns()[0].steps
    assert isinstance(step, QuestionStep)
    assert (step.answer, step.slots) == ("Turin", ("get_weather.place",))


class Interrupted(Lines):
    """A console on which the person presses Ctrl-C at the first question."""

    def read(self, prompt: str) -> str | None:
        if prompt == "answer> " and "interrupted" not in self.written:
            self.written.append("interrupted")
            raise KeyboardInterrupt
        return super().read(prompt)


def test_ctrl_c_at_a_question_leaves_it_and_the_chat_goes_on(memory: UserMemory) -> None:
    question = Proposal(question="Which town?", question_slots=(Slot("get_weather", "place"),))
    console = Interrupted(["weather tomorrow please", "hello"])
    agent = Agent(memory, ScriptedPlanner([question, Proposal(reply="Hello.")]), clock=lambda: NOW)
    Chat(agent, Toolbox("all"), console).talk()
    assert console.written[-2:] == ["stead> Hello.", "Goodbye."]
    assert [turn.request for turn in memory.turns()] == ["weather tomorrow please", "hello"]


@pytest.mark.parametrize("end", [["", "/turns"], []])
def test_a_question_left_unanswered_ends_the_turn(memory: UserMemory, end: list[str]) -> None:
    question = Proposal(question="Which town?", question_slots=(Slot("get_weather", "place"),))
    written = talk(memory, ["weather tomorrow please", *end], question)
    assert written[1] == "(left unanswered; the turn is over)"
    assert written[2:] == (["t1: weather tomorrow please"] if end else [])
    assert memory.turns()[0].reply is None


def test_quit_ends_it_also_inside_a_question(memory: UserMemory) -> None:
    question = Proposal(question="Which town?", question_slots=(Slot("get_weather", "place"),))
    assert len(talk(memory, ["weather tomorrow please", "/quit", "never read"], question)) == 2
    assert talk(memory, ["/quit", "never read"]) == []


def test_turns_are_numbered_on_after_the_highest(memory: UserMemory) -> None:
    said = Proposal(reply="Hi.")
    talk(memory, ["one", "two", "/forget t1"], said, said)
    talk(memory, ["three"], said)
    assert [(turn.turn_id, turn.request) for turn in memory.turns()] == [("t2", "two"), ("t3", "three")]


def test_forgetting_a_slot_forgets_every_turn_that_speaks_for_it_and_no_other(memory: UserMemory) -> None:
    said = [Proposal(reply="Hi."), Proposal(calls=(SEARCH,)), Proposal(reply="Four trains.")]
    written = talk(memory, ["hello", ASK, "/state", "/forget search_trains.origin", "/turns", "/state"], *said)
    shown = written.index("search_trains.origin")
    assert written[shown + 1] == '  "Turin"  (once, since t2, 2026-03-09; said or used in t2)'
    assert written[-3:] == [
        "Forgotten: 1 turn, with the vectors of 1.",
        "t1: hello",
        "Nothing is believed of you yet.",
    ]


def test_forgetting_part_of_a_slots_name_names_the_slots_it_may_be(memory: UserMemory) -> None:
    said = [Proposal(calls=(SEARCH,)), Proposal(reply="Four trains.")]
    written = talk(memory, [ASK, "/forget Origin", "/forget search_train.origins", "/forget nothing"], *said)
    assert written[-3:] == [
        "('Origin' is neither a turn of /turns nor a slot of /state; did you mean search_trains.origin? Nothing is "
        "forgotten)",
        "('search_train.origins' is neither a turn of /turns nor a slot of /state; did you mean search_trains.origin? "
        "Nothing is forgotten)",
        "('nothing' is neither a turn of /turns nor a slot of /state; nothing is forgotten)",
    ]


def test_forgetting_all_forgets_this_person_only(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as opened:
        ada, ben = opened.user(Scope("ada")), opened.user(Scope("ben"))
        talk(ben, ["I am Ben"], Proposal(reply="Hi."))
        written = talk(ada, ["one", "two", "/forget all"], Proposal(reply="Hi."), Proposal(reply="Hi."))
        assert written[-1] == "Forgotten: 2 turns, with the vectors of 2."
        assert ada.turns() == ()
        assert [turn.request for turn in ben.turns()] == ["I am Ben"]


def test_what_is_no_command_or_nothing_to_forget_is_said_and_changes_nothing(memory: UserMemory) -> None:
    written = talk(memory, ["", "  ", "/bogus", "/forget", "/forget t9", "/help"])
    assert written == [
        "('/bogus' is no command that I know; /help lists them)",
        "(say what to forget: a turn, say t3, or TOOL.ARG, or all; /help has more)",
        "('t9' is neither a turn of /turns nor a slot of /state; nothing is forgotten)",
        HELP,
    ]


def test_a_planner_that_fails_costs_the_turn_and_not_the_conversation(memory: UserMemory) -> None:
    class Failing:
        name = "failing"

        def plan(self, situation: Situation) -> Proposal:
            raise PlannerUnavailableError("the endpoint is down")

    console = Lines(["hello", "/turns"])
    Chat(Agent(memory, Failing()), Toolbox("all"), console).talk()
    assert console.written == [
        "(the planner failed, and the turn is not remembered: the endpoint is down)",
        "No turn is remembered.",
        "Goodbye.",
    ]


def test_why_says_for_every_kind_of_decision_what_it_rests_on() -> None:
    odds = Odds(p_act=0.9, p_calls=0.8, p_asked=0.7)
    call = ToolCall(id="1", name="book_train", arguments={"travel_class": "second"})

    def reason(**given: object) -> Reason:
        return Reason.model_validate({"call_id": "1", "slot": "book_train.travel_class", "probability": 0.5, **given})

    decisions = [
        PlanAgain(
            policy="product",
            odds=odds,
            hints=(
                Hint("look_up", Slot("book_train", "trip_id"), suppliers=("search_trains",)),
                Hint("settled", Slot("book_train", "travel_class"), value="second", turn_ids=("t1",)),
                Hint("unsupported", Slot("fly", "")),
            ),
        ),
        Ask(
            policy="product",
            odds=odds,
            question="Which class?",
            slots=("book_train.travel_class",),
            reasons=(reason(grounds="missing", probability=0, call_id=None),),
        ),
        Act(
            policy="product",
            odds=odds,
            calls=(call,),
            reasons=(
                reason(grounds="habit", value="second", turn_ids=("t1", "gone")),
                reason(grounds="habit", value="of a held call", call_id="2"),
            ),
        ),
        Answer(policy="product", odds=odds, reply="Booked."),
    ]
    trace = tuple(TraceEntry(steps_before=0, proposal=Proposal(), decision=decision) for decision in decisions)
    result = TurnResult(Turn(turn_id="t2", request="book\n it"), "replied", trace, Recall(), Usage())
    step = QuestionStep(question="Class?", answer="second, as ever")
    past = Turn(turn_id="t1", request="一张去米兰的票", steps=(step,), time=NOW)
    weighed = "(policy product: acting is wanted 0.90, the calls are right 0.80, right after a question 0.70)"
    assert why(result, [past]) == [
        "Turn t2: “book it”",
        "- planned again: look book_train.trip_id up with search_trains",
        '- planned again: book_train.travel_class is settled as "second", from t1',
        "- planned again: the proposal cannot be carried out because of fly.",
        f"- asked “Which class?” for book_train.travel_class {weighed}",
        "    book_train.travel_class = ?  p=0.00  missing: no value is known",
        f"- made book_train {weighed}",
        '    book_train.travel_class = "second"  p=0.50  habit: a habit of yours',
        "        t1: “一张去米兰的票”, then “second, as ever” (2026-03-09 07:36)",
        "        gone: (not remembered)",
        "- replied “Booked.”",
    ]


# The command itself


def stead(*arguments: str, typed: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command with `typed` on its standard input, warnings being errors and the locale being C."""
    cleaned = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "STEAD_", "LC_"))}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "agent.cli", *arguments],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        env={**cleaned, "LC_ALL": "C", **environ},
        timeout=120,
        check=False,
    )


def test_the_version_is_that_of_the_package() -> None:
    assert stead("--version").stdout == f"stead {metadata.version('stead')}\n"


def test_help_teaches_without_loading_anything_heavy() -> None:
    top, sub = stead("--help"), stead("chat", "--help")
    assert (top.returncode, sub.returncode) == (0, 0)
    assert "it needs no key and no network" in top.stdout
    assert "/why, /state, /turns, /forget, /help, /quit" in sub.stdout
    loaded = (
        "import sys, agent.cli; print([name for name in ('chromadb', 'langgraph', 'openai') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", loaded], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--planner", "chat"],
            "stead: the planner `chat` needs OPENAI_API_KEY and OPENAI_BASE_URL in the environment",
        ),
        (["--memory", "elephant"], "stead: no memory strategy is called 'elephant'; choose one of"),
        (["--toolset", "ships"], "stead: no toolset is called 'ships'; choose one of trips, weather, dinner, all"),
        (["--user", " "], "stead: a scope needs a user id that is text and not blank; got ' '"),
        (["--data", "/dev/null"], "stead: '/dev/null' is no directory; a memory needs one of its own"),
    ],
)
@pytest.mark.slow
def test_what_is_wrong_is_said_in_one_message_with_status_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    given = arguments if "--data" in arguments else ["--data", str(tmp_path), *arguments]
    run = stead("chat", *given)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(message)
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_directory_in_use_is_said_in_one_message(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=HashingEmbedder()):
        run = stead("chat", "--data", str(tmp_path))
    assert run.returncode == 2
    assert "is in use by another process" in run.stderr


@pytest.mark.slow
def test_a_directory_of_another_embedder_is_said_in_one_message(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=HashingEmbedder()):
        pass
    run = stead("chat", "--data", str(tmp_path))
    assert (run.returncode, len(run.stderr.splitlines())) == (2, 1)
    assert run.stderr.startswith("stead: the index was written with embedder 'hashing-1024")


def run_with_model(tmp_path: Path, typed: str, *script: Reply) -> str:
    with ChatServer(*script) as server:
        run = stead(
            *("chat", "--data", str(tmp_path), "--now", "2026-03-09T07:36:00"),
            typed=typed,
            OPENAI_API_KEY="k",
            OPENAI_BASE_URL=server.base_url,
        )
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


@pytest.mark.parametrize("end", [b"\x03", b"\x04", b"/quit\n"], ids=["ctrl-c", "ctrl-d", "quit"])
@pytest.mark.slow
def test_in_a_terminal_it_prompts_and_ends_cleanly(tmp_path: Path, end: bytes) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "agent.cli", "chat", "--data", str(tmp_path)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_take_interrupts,
        env={**os.environ, "OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""},
    )
    os.close(theirs)
    try:
        seen = _read_until(ours, b"you> ")
        while b"Goodbye." not in seen:
            os.write(ours, end)  # pressed between prompt and read, Ctrl-C is taken at the next key: press it again
            while b"Goodbye." not in seen and select.select([ours], [], [], 3)[0]:
                seen += os.read(ours, 4096)
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert b"Traceback" not in seen


def _take_interrupts() -> None:
    """Make Ctrl-C in the terminal a signal of this process, also where its parent ignores it, as under `nohup`."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _read_until(descriptor: int, mark: bytes) -> bytes:
    seen = b""
    while mark not in seen:
        seen += os.read(descriptor, 4096)
    return seen


@pytest.mark.slow
def test_with_key_and_url_a_model_plans_and_the_next_session_remembers_what_was_answered(tmp_path: Path) -> None:
    search = calls(("a", "search_trains", SEARCH.arguments))
    book = calls(("b", "book_train", {"trip_id": "IC16860", "travel_class": "second_class"}))
    asks = calls(("c", "ask_user", {"question": "Which class?", "slots": ["book_train.travel_class"]}))
    first = run_with_model(
        tmp_path,
        f"{ASK}, the one at 07:32\nsecond class, always\n/why\n",
        *(search, asks, book, says("Booked.")),
    )
    assert "Planner chat, memory stead, policy product; 0 turns remembered." in first
    assert "stead? " in first
    assert '  → book_train(trip_id="IC16860", travel_class="second_class")' in first
    assert 'book_train.travel_class = "second_class"  p=1.00  answer: you answered it' in first
    assert first.startswith("Hello. I can help with ")
    second = run_with_model(tmp_path, "/turns\n/state\n", fails(500, "not needed"))
    assert "1 turn remembered." in second
    assert f"t1: {ASK}, the one at 07:32" in second
    assert 'book_train.travel_class\n  "second_class"  (a rule, ' in second


@dataclass(frozen=True)
class Talk:
    """Two sessions in one language: what is typed, and what must be seen."""

    first: str
    question: str
    booked: str
    second: str
    words: str
    greeting: str = "Planner rules, memory stead, policy product"


TALKS = {
    "en": Talk(
        first="Find me a train from Turin to Milan on 2026-03-12\nBook the first one\nsecond class, always\n"
        "/why\n/state\n",
        question="travel class: first class or second class",
        booked='travel_class="second_class"',
        second="Find me a train from Turin to Rome on 2026-03-17\nBook the earliest one\n",
        words="t2: “Book the first one”, then “second class, always” (2026-03-09 07:36)",
    ),
    "zh": Talk(
        first="查从杭州到上海2026年3月12日的火车\n订第一趟\n以后都坐二等座\n/why\n/state\n",
        question="座位等级要哪个，一等座还是二等座",
        booked='travel_class="二等座"',
        second="查从杭州到南京2026年3月17日的火车\n订最早的那趟\n",
        words="t2: “订第一趟”, then “以后都坐二等座” (2026-03-09 07:36)",
    ),
}


@pytest.mark.parametrize("talk", TALKS.values(), ids=TALKS.keys())
@pytest.mark.slow
def test_without_a_key_it_asks_once_and_the_next_session_acts_on_the_answer(tmp_path: Path, talk: Talk) -> None:
    def session(typed: str, day: int) -> str:
        run = stead("chat", "--data", str(tmp_path), "--now", f"2026-03-{day:02}T07:36:00", typed=typed)
        assert (run.returncode, run.stderr) == (0, "")
        assert talk.greeting in run.stdout
        return run.stdout

    first = session(talk.first, 9)
    assert first.count("stead? ") == 1
    assert talk.question in first
    assert talk.booked in first
    assert "p=1.00  answer: you answered it" in first
    assert "book_train.travel_class\n" in first
    assert "  (a rule, " in first

    second = session(talk.second + "/why\n/forget book_train.travel_class\n/turns\n/forget all\n/turns\n", 10)
    assert "2 turns remembered" in second
    assert "stead? " not in second
    assert talk.booked in second
    assert talk.words in second
    assert second.endswith("No turn is remembered.\nGoodbye.\n")
    kept = second[second.index("Forgotten: ") :]
    assert "t1: " in kept
    assert "t2: " not in kept


def test_a_paused_chat_says_how_many_turns_are_kept(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder="use") as memory:
        person = memory.user(Scope("me"))
        person.remember(Turn(turn_id="t1", request="Hello"))
        person.settle(UserSettings(is_paused=True))
    result = CliRunner().invoke(app, ["chat", "--planner", "rules", "--data", str(tmp_path)], input="/quit\n")
    assert "; 1 turn remembered. /help lists commands.\n(paused: nothing is remembered or used" in result.stdout
