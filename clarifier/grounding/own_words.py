"""A text without what it reports of others: quoting is not instructing (DESIGN §5)."""

from __future__ import annotations

import re

from clarifier.grounding.spoken import holds, normalised
from memory.language.text_cache import text_cache
from memory.state.cues import RELATION, RELATION_ZH
from memory.state.quotations import blanked, quotations

_ADVICE = re.compile(
    rf"\b(?:he|she|they|(?:my|our|the) {RELATION}) (?:told|tells|urged|advised|wanted|wants|says?|said)"
    r"(?: me| us)? (?:to|that (?:i|we) should|(?:i|we) should) [^.,;!?\n]*"
    rf"|(?:[他她]们?|(?:我|我们)?{RELATION_ZH})(?:让|叫|劝|建议)我们?[^，。；！？\n]*",
    re.IGNORECASE,
)
"""What somebody else wants of the person, told without quotation marks."""
_LEAST_OWN = 4
"""Words (Chinese: characters) from which on what is left is a request of its own; less takes up what is reported
("My boss told me to book first class, please do")."""
_WORDS = re.compile(r"[a-z0-9'’-]+|[\u4e00-\u9fff]", re.IGNORECASE)


@text_cache(1024)
def own_words(text: str) -> str:
    """Return `text`, as long as it is, with blanks for the speech of others and for what they told the person to do.

    Titles and phrases in quotation marks stay, and so does a report that is all there is.
    """
    spoken = [(one.start, one.end) for one in quotations(text) if one.says is not None]
    bare = blanked(text, spoken) if spoken else text
    advised = [match.span() for match in _ADVICE.finditer(bare)]
    left = blanked(bare, advised) if advised else bare
    return left if len(_WORDS.findall(left)) >= _LEAST_OWN else bare


def hands_over(text: str, value: str) -> bool:
    """Say whether `value` holds the whole of somebody's words in `text`: the person hands them on as they are."""
    wanted = normalised(value)
    return any(one.says is not None and holds(wanted, normalised(one.words)) for one in quotations(text))
