from ._registry import STRATEGIES as STRATEGIES
from ._registry import default_budget as default_budget
from ._registry import open_strategy as open_strategy
