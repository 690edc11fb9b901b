"""Health, belief, politics, origin, orientation and money troubles: kept only where they were stated for a task."""

from __future__ import annotations

import pytest

from memory.evidence import Evidence, Slot
from memory.state.extraction import extract
from memory.state.model_extraction import ModelExtractor
from memory.state.sensitive import is_sensitive_text, stays_in_slot
from memory.state.user_state import fold
from memory.tools import Parameter, Tool
from tests.memory.turns import asked, call, turn

ENGLISH = [
    # health
    "I like my new insulin pump, being diabetic has got easier",
    "I've been living with HIV for ten years now",
    "I can't stand gluten any more since I was diagnosed with coeliac disease",
    "I always take my antidepressants in the morning",
    "My wife loves swimming since her breast cancer treatment",
    "I'm pregnant and I love pickles",
    "I use a wheelchair",
    "I don't eat peanuts because I'm allergic",
    "I have been sober for two years and I avoid bars",
    "I see a therapist on Tuesdays for my anxiety",
    # belief
    "I'm Muslim and I don't eat pork",
    "I love going to my church on Sundays",
    "We only eat kosher at home",
    "I'm an atheist, I hate sermons",
    "I like to fast during Ramadan",
    "My favourite book is the Quran",
    # politics
    "I always vote Labour",
    "I joined the Green Party last year",
    "I can't stand the Tories",
    "I like marching in protests",
    "I work for the Republicans as a campaign manager",
    "I'm a member of a trade union and I love it",
    # origin
    "I'm Black and I love jazz",
    "My parents came from Syria as refugees and I enjoy their cooking",
    "I like that I am of Kurdish origin",
    "I moved to Berlin as an undocumented immigrant",
    "My nationality is Iranian and I speak Farsi",
    # orientation
    "I'm gay and I love dancing",
    "I like women, I'm a lesbian",
    "I came out as bisexual and now I enjoy parades",
    "I am transgender and I prefer quiet gyms",
    "I'm non-binary, I prefer loose clothes",
    # money troubles
    "I'm drowning in debt so I always buy the cheapest one",
    "I declared bankruptcy and sold the car",
    "I lost my job and gave up the gym",
    "I'm behind on my rent, I don't drink wine any more",
    "I used to gamble and I like poker",
    "I can't afford meat, I only eat rice",
]
CHINESE = [
    "我有糖尿病 喜欢无糖的饮料",
    "我确诊了抑郁症 平时喜欢一个人待着",
    "我怀孕了 爱吃酸的",
    "我对花生过敏 不吃坚果",
    "我高血压 不吃咸的",
    "我坐轮椅 喜欢一楼的房间",
    "我刚做完化疗 讨厌油腻的菜",
    "我每天吃药 不喝咖啡",
    "我是艾滋病感染者 喜欢安静的地方",
    "我一直失眠 喜欢晚上的航班",
    "我是穆斯林 不吃猪肉",
    "我信佛 喜欢吃素",
    "我只吃清真的餐厅",
    "我喜欢周日去教堂",
    "我是基督徒 爱听赞美诗",
    "我喜欢初一去寺庙烧香",
    "我是党员 喜欢看新闻",
    "我投票给了民主党",
    "我讨厌国民党",
    "我喜欢参加游行",
    "我支持绿党 爱骑车",
    "我是左派 讨厌加班",
    "我是回族 爱吃羊肉",
    "我是移民 喜欢家乡的味道",
    "我国籍是伊朗 会说波斯语",
    "我是混血 喜欢两种菜",
    "我祖籍湖南 爱吃辣",
    "我是同性恋 喜欢跳舞",
    "我去年出柜了 喜欢彩虹的衣服",
    "我是跨性别 喜欢宽松的衣服",
    "我喜欢男生",
    "我性取向是双性恋 爱看电影",
    "我欠了很多债 只买打折的",
    "我破产了 卖了车",
    "我被裁了 不喝咖啡了",
    "我信用卡逾期了 讨厌催收电话",
    "我网贷还不上 只吃泡面",
    "我最近失业 喜欢免费的展览",
]
ALL = pytest.mark.parametrize("statement", [*ENGLISH, *CHINESE])
NOTES = Tool(name="orderMeal", parameters=(Parameter(name="notes"),), definition={})


def test_there_are_enough_of_them() -> None:
    assert len(set(ENGLISH)) >= 30
    assert len(set(CHINESE)) >= 30


@ALL
def test_said_in_passing_it_becomes_no_evidence(statement: str) -> None:
    assert extract(turn("t", statement), 0) == ()


@ALL
def test_said_beside_a_task_only_the_task_is_evidence(statement: str) -> None:
    said = extract(turn("t", f"{statement}. Weather in Ghent?", call("getForecast", city="Ghent")), 0)
    assert [(piece.slot, piece.value) for piece in said] == [(Slot("getForecast", "city"), "Ghent")]


@ALL
def test_given_as_an_answer_it_becomes_no_statement(statement: str) -> None:
    said = extract(turn("t", "Book a table", asked("Anything I should know?", statement)), 0)
    assert said == ()


@ALL
def test_stated_for_a_task_it_stays_in_its_slot(statement: str) -> None:
    log = [turn("t", "Book a table and tell them", call("bookTable", notes=statement))]
    state = fold(log)
    assert [one.value for one in state.slots[Slot("bookTable", "notes")].current] == [statement]
    assert state.lookup(NOTES, NOTES.parameters[0]) is None


@ALL
def test_a_model_cannot_add_it(statement: str) -> None:
    class Eager:
        def complete(self, prompt: str) -> str:
            import json

            return json.dumps([{"topic": "note", "value": statement}], ensure_ascii=False)

    assert list(ModelExtractor(Eager())([turn("t", statement)])) == []


@pytest.mark.parametrize(
    ("slot", "value", "expected"),
    [
        (Slot("bookTable", "notes"), "no nuts, I'm allergic", True),
        (Slot("bookTable", "guests"), ["Ann", "Bob (diabetic)"], True),
        (Slot("refill", "medication"), "A-12", True),
        (Slot("bookTable", "notes"), "window, please", False),
        (Slot("bookTable", "people"), 4, False),
        (Slot("bookTable", "outdoors"), True, False),
        (Slot("bookTable", "notes"), None, False),
        (Slot("transfer", "source_account"), "acc-1", False),
    ],
)
def test_what_stays_in_its_slot(slot: Slot, value: object, expected: bool) -> None:
    piece = Evidence(slot, value, "accepted_call", "plain", "t", 0)  # type: ignore[arg-type]  # JSON values, as object
    assert stays_in_slot(piece) is expected


@pytest.mark.parametrize(
    "text",
    [
        "I love Chinese food",
        "the long coat",
        "My left knee",
        "我住在杭州",
        "下个礼拜天",
        "病毒扫描",
        "老毛病",
        "I lent her my card",
    ],
)
def test_everyday_words_are_not_taken_for_it(text: str) -> None:
    assert not is_sensitive_text(text)
