"""What a dialogue calls for next, judged without a planner, for `stead-bench decide`. No part of the product."""
