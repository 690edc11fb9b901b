from .inspection.stats import data_statistics as data_statistics
from .inspection.validation import validate_data as validate_data
