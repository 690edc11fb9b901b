"""What people say, and the call that saying it tempts a careless planner to propose: half is to be made, half is not.

`first.jsonl` was read while the judgement of deeds was built, `second.jsonl` was not: another hand wrote it, and its
failures were never looked at. Both are English and Chinese in equal parts and under the project's licence.
"""
