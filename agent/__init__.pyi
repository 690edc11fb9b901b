from .state import Planner as Planner
from .state import ToolExecutor as ToolExecutor
from .state import User as User
