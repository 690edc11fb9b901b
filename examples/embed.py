"""Stead around tools of your own: it asks once, and remembers the answer the next time. Runs offline, without a key."""

from __future__ import annotations

from tempfile import TemporaryDirectory

from agent import Agent, FunctionExecutor
from agent.planners.rules import RulesPlanner
from memory import Memory, Scope, open_embedder, parse_tools

TOOLS = parse_tools(
    [
        {
            "name": "book_desk",
            "description": "Book a desk in the office for a day.",
            "parameters": {
                "type": "object",
                "properties": {
                    "date": {"type": "string", "format": "date", "description": "Day, YYYY-MM-DD."},
                    "floor": {
                        "type": "string",
                        "enum": ["ground", "garden", "roof"],
                        "description": "Floor of the office.",
                    },
                },
                "required": ["date", "floor"],
            },
        }
    ]
)


def book_desk(date: str, floor: str) -> dict[str, str]:
    """Your own tool."""
    return {"desk": "12", "date": date, "floor": floor}


class Ada:
    """The person; in your application a chat window."""

    def ask(self, question: str) -> str:
        print("asked:", question)
        return "The garden floor, always."

    def tell(self, reply: str) -> None:
        print("told: ", reply)


def main() -> None:
    executor = FunctionExecutor({"book_desk": book_desk})
    embedder = open_embedder("use")
    with TemporaryDirectory() as directory, Memory.open(directory, embedder=embedder) as memory:
        agent = Agent(memory.user(Scope("ada", tenant="acme")), RulesPlanner(embedder))
        for request in ("Book a desk for 2026-03-12.", "Book a desk for 2026-03-17."):
            print("\nAda:  ", request)
            result = agent.run(request, TOOLS, executor=executor, user=Ada())
            for call in result.turn.calls:
                print("made: ", call.name, call.arguments)
        for reason in result.decisions[0].reasons:
            print(
                "why:  ",
                reason.slot,
                "=",
                reason.value,
                f"({reason.grounds}, {reason.probability:.2f})",
                *reason.turn_ids,
            )


if __name__ == "__main__":
    main()
