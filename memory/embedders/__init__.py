"""Embedders, one a module; `open_embedder` chooses by name."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
