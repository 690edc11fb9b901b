from .data_stats import data_statistics as data_statistics
from .data_validation import validate_data as validate_data
