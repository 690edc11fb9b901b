"""The forms in which people say a fact of themselves of which there is one at a time, English and Chinese.

Names are read in German and French too. A form captures what is said in the group `o` (or `p`, `q`, `r`), and where it
names the topic itself, that in `t` or `u`.
"""

from __future__ import annotations

from typing import NamedTuple

from memory.state.habit_forms import NAMED_THINGS
from memory.state.pattern_index import Form
from memory.state.statement_forms import START, form


class Fact(NamedTuple):
    """A form that says something of which there is one at a time."""

    pattern: Form
    topic: str | None = None
    """`None`: the group `t` names it."""


_NAME = r"(?P<o>\S+(?: (?-i:[A-Z])\S*)*)"
_PLACE = r"(?P<o>.+)"
_STABLE = (
    r"(?:\w+ )?(?:size|budget|bank|airline|gym|mother tongue|language|employer|company|e-?mail(?: address)?|postcode|"
    r"(?:phone|mobile)(?: number)?|(?:home |postal )?address|zip code|height|time zone|currency|membership number|"
    r"(?:dog|cat|pet)'s name|birthday|hometown|home city|home airport)"
)
FACTS: tuple[Fact, ...] = (
    Fact(form(rf"\bmy (?:full |first |real )?name(?:'s| is) {_NAME}"), "name"),
    Fact(form(rf"\b(?:i am|i'm) called {_NAME}|\bcall me (?P<p>(?-i:[A-Z])\S*)"), "name"),
    Fact(form(rf"\b(?:mein name ist|ich hei(?:ß|ss)e|je m'appelle) {_NAME}"), "name"),
    Fact(
        form(
            r"我的?(?:名字|姓名)(?:叫做?|是)(?P<o>[^，。！？\s]+)|(?:^|[，。\s])我叫(?:做)"
            r"?(?P<p>[^，。！？\s了个辆他她你]+)"
        ),
        "name",
    ),
    Fact(
        form(
            r"(?:^|[，。\s])(?:以后|就|请|你?可以)?叫我(?P<o>(?!起床|一声|下|来|去|的)[^，。！？\s]+?)(?:就好|就行|就可以|吧)?$"
        ),
        "name",
    ),
    Fact(
        form(
            rf"{START}i(?:'m| am)? (?:now |currently |still |also )*(?:work|working|employed) (?:at|for|by) (?!home|"
            rf"night|weekends?|myself|the moment|a living)(?P<o>.+)"
            rf"|{START}i(?:'m| am) (?:now |currently )?with (?P<p>(?-i:[A-Z]).+)"
            r"|^(?:as of|since|from|starting) [^,]{1,30}? i(?:'m| am) (?:now )?at (?P<q>(?-i:[A-Z]).+)"
        ),
        "employer",
    ),
    Fact(form(rf"{START}i (?:now |currently |still |also )*work as (?P<o>.+)"), "job"),
    Fact(
        form(
            r"我(?:现在|目前|还|也)*(?:在|再(?!也))(?P<o>(?!家(?:里)?(?:上|工))[^，。\s]+?)(?:上班|工作|任职|打工|就职)|我(?:就职于|任职于)(?P<p>[^，。\s]+)"
            r"|我(?:现在|目前|还|也)*在(?P<q>[^，。\s]{2,10}?)(?:当|做)(?!饭|菜|作业|客|主|梦|过)[^，。\s]{2,6}$"
            r"|我[^，。\s]{0,5}?(?:跳槽(?:到|去)|入职)了?(?P<r>[^，。\s]+)"
            r"|(?:^|我)(?:上个?[月周]|去年|今年|年初|最近|刚刚?|已经|前阵子|后来)*(?:换|调|转)[到去]了?"
            r"(?P<s>[^，。\s]{2,8}?)(?:工作|上班|任职)了?$"
        ),
        "employer",
    ),
    Fact(
        form(
            rf"{START}(?:i|we)(?:'ve| have|'m|'re| am| are)? (?:now |currently |just |still |also |have )*(?:live in|"
            rf"living in|based in|(?:moved|relocated)(?: over| back)? to) (?!an? |my |the |fear)(?P<o>.+)"
            r"|\bmy home is in (?P<p>.+)|^(?:currently |now )?living in (?!an? |my |the )(?P<q>.+)"
        ),
        "home city",
    ),
    Fact(
        form(
            r"(?:我|我们|我家)(?:现在|目前|已经|刚|家)*(?:住[在再]|住|搬到|搬去|定居在?|在)(?P<o>[^，。\s]{2,8}?)(?:了|住)$|"
            r"(?:我|我家|我们)(?:现在|目前|家)*(?:住[在再]|定居在?)(?P<p>[^，。\s]{2,8})$|"
            r"(?:我|我们|咱)的?家(?:现在|目前|就)*(?:住|安)?在(?P<q>[^，。\s]{2,8}?)$|(?:我|我们)(?:现在|目前)?(?:常住|长住|"
            r"定居)(?P<r>[^，。\s]{2,8}?)$|"
            r"^我?家住(?:在)?(?P<home>[^，。\s]{2,8})$|我(?:现在|目前)*住(?![在再])(?P<s>(?![^，。]*[楼层房店间里])[^，。\s\d一二三四五]{2,12})$"
        ),
        "home city",
    ),
    Fact(
        form(
            rf"{START}(?:i'm|i am|we're|we are) (?:an? )?(?:\w+ ){{0,2}}?(?P<o>vegan|vegetarian|pesc[ae]tarian|"
            r"flexitarian|teetotal)\b|^我(?:们|现在|是)*(?P<p>吃素|素食)(?:者|的|主义者)?$"
        ),
        "diet",
    ),
    Fact(form(NAMED_THINGS), None),
    Fact(
        form(rf"{START}i(?:'m| am) (?P<o>\d{{1,2}})(?: years old)?$|我?今年(?P<p>[\d一二三四五六七八九十]{{1,4}})岁"),
        "age",
    ),
    Fact(
        form(
            r"\bi was born on (?P<o>.+)|\bmy birthday's (?:on )?(?P<q>.+)|我(?:的)?生日是?(?P<p>[^，。\s]*\d[^，。\s]*)"
        ),
        "birthday",
    ),
    Fact(
        form(
            rf"\bmy (?P<t>(?:usual|preferred|favou?rite|default|regular|go-to) [\w' -]+?|{_STABLE})"
            r"(?: is|:)(?: on)? (?P<o>.+)"
        ),
        None,
    ),
    Fact(
        form(
            r"我(?:最)?(?:喜欢|常用|常去|习惯|爱用)的(?P<t>[^，。\s是]+)是(?P<o>[^，。\s]+)|我的(?P<u>职业|工作|爱好|专业|邮箱|e-?mail|手机号|电话|"
            r"地址|尺码|鞋码|预算|母语|会员号)是(?P<p>[^，。\s]+)"
        ),
        None,
    ),
)
