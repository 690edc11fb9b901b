"""Finds a strategy by its name: every public module of this package is one."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType

from memory import strategies
from memory.errors import IncompleteStrategyError, UnknownStrategyError
from memory.recall import Strategy, TurnShelf

STRATEGIES: tuple[str, ...] = tuple(
    sorted(module.name for module in pkgutil.iter_modules(strategies.__path__) if not module.name.startswith("_"))
)
"""The names there are, sorted."""


def open_strategy(name: str, shelf: TurnShelf) -> Strategy:
    """Return the strategy called `name` over one user's turns.

    Raises:
        UnknownStrategyError: If no strategy has this name.
        IncompleteStrategyError: If its module lacks what a strategy has.
    """
    strategy: Strategy = _module(name).create(shelf)
    return strategy


def default_budget(name: str) -> int:
    """Return the tokens a recall of strategy `name` may take unless told otherwise; 0 where it ignores budgets.

    Raises:
        UnknownStrategyError: If no strategy has this name.
        IncompleteStrategyError: If its module lacks what a strategy has.
    """
    budget: int = _module(name).DEFAULT_BUDGET_TOKENS
    return budget


def _module(name: str) -> ModuleType:
    if name not in STRATEGIES:
        raise UnknownStrategyError(name, STRATEGIES)
    module = import_module(f"{strategies.__name__}.{name}")
    for wanted in ("create", "DEFAULT_BUDGET_TOKENS"):
        if not hasattr(module, wanted):
            raise IncompleteStrategyError(name, wanted, str(module.__file__))
    return module
