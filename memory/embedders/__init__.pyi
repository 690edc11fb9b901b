from .checked import CheckedEmbedder as CheckedEmbedder
from .factory import open_embedder as open_embedder
from .sentence_transformers import SentenceTransformersEmbedder as SentenceTransformersEmbedder
from .use import UseEmbedder as UseEmbedder
