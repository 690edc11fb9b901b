"""Talks with a person in a terminal, or over a pipe, one line at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agent.agent import Agent
from agent.demo.toolbox import Toolbox
from agent.errors import PlannerError, PlannerSettingsError
from agent.explain import shown, shown_call, why
from agent.planners.failures import ends_everything, explained
from agent.printable import counted
from agent.stewardship.slot_names import meant_slots
from memory.records import Observation, ToolCall
from memory.storage.user_memory import Forgotten

HELP = """\
Say what you want. Inside a question, an empty line or Ctrl-C leaves it unanswered and ends the turn.
  /why                why the last turn went as it did: the evidence for every argument
  /state              what I believe of you, and from which turns; /state --all has ids and days of calls, too
  /turns              the turns I remember
  /forget ID          forget a turn, say /forget t3
  /forget TOOL.ARG    forget every turn that speaks for an argument, say /forget book_train.travel_class
  /forget all         forget everything of you
  /help               this list
  /quit               end (or Ctrl-D)"""
MAX_SHOWN = 200
"""Characters shown of what a tool returns."""


class Console(Protocol):
    """Where lines come from and go to."""

    def read(self, prompt: str) -> str | None:
        """Return the next line without its end; `None` when there are no more."""
        ...

    def write(self, line: str) -> None:
        """Show a line."""
        ...


class Chat:
    """A conversation on the demo toolsets. It is the `User` and, showing what it runs, the `ToolExecutor` of its turns.

    Args:
        agent: Of the person.
        toolbox: The tools on offer.
        console: Where lines come from and go to.
    """

    def __init__(self, agent: Agent, toolbox: Toolbox, console: Console) -> None:
        self._agent = agent
        self._toolbox = toolbox
        self._console = console
        self._is_over = False

    def talk(self) -> None:
        """Run turns and commands until the person quits or nothing more comes.

        Raises:
            MemoryStoreError: If the memory fails.
            PlannerSettingsError: If the model's endpoint refuses the key, the account or the model.
        """
        self._tell_cut_off()
        while not self._is_over:
            line = self._console.read("you> ")
            if line is None:
                break
            text = line.strip()
            if text.startswith("/"):
                self._command(text)
            elif text:
                self._turn(text)
        self._console.write("Goodbye.")

    def ask(self, question: str) -> str | None:
        """Put a question; commands work meanwhile, and Ctrl-C leaves it unanswered."""
        self._console.write(f"stead? {question}")
        while not self._is_over:
            try:
                line = self._console.read("answer> ")
            except KeyboardInterrupt:
                self._console.write("")
                return None
            if line is None:
                self._is_over = True
                return None
            text = line.strip()
            if not text.startswith("/"):
                return text or None
            self._command(text)
            if not self._is_over:
                self._console.write(f"stead? {question}")
        return None

    def tell(self, reply: str) -> str | None:
        """Say the reply; the turn is over."""
        self._console.write(f"stead> {reply}")
        return None

    def execute(self, calls: Sequence[ToolCall]) -> list[Observation]:
        """Run calls and show them with what they return."""
        observations = self._toolbox.execute(calls)
        for call, observation in zip(calls, observations, strict=True):
            self._console.write(f"  → {shown_call(call)}")
            is_error = observation.error is not None
            outcome = f"error: {observation.error}" if is_error else shown(observation.content)
            self._console.write(f"  ← {outcome if len(outcome) <= MAX_SHOWN else outcome[: MAX_SHOWN - 1] + '…'}")
        return observations

    def _turn(self, request: str) -> None:
        wanted: str | None = request
        while wanted is not None:
            wanted = self._run(wanted)

    def _run(self, request: str) -> str | None:
        """Run one turn; return what the person asked for instead of answering its question, if they did."""
        try:
            result = self._agent.run(request, self._toolbox.tools_for(request), executor=self, user=self)
        except PlannerError as exc:
            if ends_everything(exc):
                raise PlannerSettingsError(explained(exc)) from exc
            told = self._tell_cut_off()
            self._console.write(f"(the planner failed{'' if told else ', and the turn is not remembered'}: {exc})")
            return None
        if result.next_request is not None:
            self._console.write("(that is a request of its own; the question is left unanswered)")
        elif result.ending == "unanswered":
            self._console.write("(left unanswered; the turn is over)")
        return result.next_request

    def _tell_cut_off(self) -> bool:
        """Tell what was done in turns that were cut off, and say whether there was anything."""
        if notice := self._agent.take_notice():
            self._console.write(f"stead> {notice}")
        return notice is not None

    def _command(self, text: str) -> None:
        name, _, argument = text.partition(" ")
        match name, argument.strip():
            case "/why", "":
                self._why()
            case "/state", ("" | "--all") as which:
                self._list(self._agent.beliefs(shows_all=which != ""), "Nothing is believed of you yet.")
            case "/turns", "":
                turns = [f"{turn.turn_id}: {turn.request}" for turn in self._agent.turns()]
                self._list(turns, "No turn is remembered.")
            case "/forget", "":
                self._console.write("(say what to forget: a turn, say t3, or TOOL.ARG, or all; /help has more)")
            case "/forget", what:
                self._forget(what)
            case "/help", "":
                self._console.write(HELP)
            case "/quit", "":
                self._is_over = True
            case _:
                self._console.write(f"({text!r} is no command that I know; /help lists them)")

    def _why(self) -> None:
        last = self._agent.last
        lines = why(last, self._agent.turns()) if last is not None else []
        self._list(lines, "Nothing was decided in this session yet.")

    def _forget(self, what: str) -> None:
        if what == "all":
            self._report(self._agent.forget())
        elif any(turn.turn_id == what for turn in self._agent.turns()):
            self._report(self._agent.forget_turns([what]))
        else:
            slots = {str(slot): slot for slot in self._agent.state().slots}
            if what in slots:
                self._report(self._agent.forget_slot(slots[what]))
                return
            meant = meant_slots(what, slots)
            hint = f"did you mean {' or '.join(meant)}? Nothing" if meant else "nothing"
            self._console.write(f"({what!r} is neither a turn of /turns nor a slot of /state; {hint} is forgotten)")

    def _report(self, forgotten: Forgotten) -> None:
        self._console.write(f"Forgotten: {counted(forgotten.turns, 'turn')}, with the vectors of {forgotten.vectors}.")

    def _list(self, lines: Sequence[str], otherwise: str) -> None:
        for line in lines or [otherwise]:
            self._console.write(line)
