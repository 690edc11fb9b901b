from .planner import RulesPlanner as RulesPlanner
