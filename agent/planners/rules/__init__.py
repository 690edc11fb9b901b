"""The `rules` planner: no model at all."""

import lazy_loader

# The public names are in `__init__.pyi`, each imported at first use, so that importing the package stays cheap.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
