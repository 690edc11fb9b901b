"""Ways to remember and recall, one module each; the name of the module is the name of the strategy."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
