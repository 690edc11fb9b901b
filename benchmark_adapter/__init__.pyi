from .data.stats import data_statistics as data_statistics
from .data.validation import validate_data as validate_data
