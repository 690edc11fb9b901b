"""Which words tell of health, belief, politics, origin, orientation or money troubles, English and Chinese.

What tells of these is kept only in the slot it was stated for (DESIGN §5): it never becomes a statement about the
person, and never speaks for another slot. The lists lean towards too much: what they catch wrongly is only not shared.
"""

from __future__ import annotations

import json
import re

from pydantic import JsonValue

from memory.evidence import Evidence, Slot
from memory.language.text import normalise, split_name, stem
from memory.language.text_cache import text_cache
from memory.language.values.scripts import simplified

_ENGLISH = {
    "health": r"""diabet\w+ insulin cancer tumou?rs? chemo\w* hiv aids epilep\w+ seizures? asthma\w* depress(?:ed|ion)
        anxiety bipolar schizophren\w* adhd autis\w+ pregnan\w+ miscarri\w+ abortion ivf infertil\w+ disab(?:led|ility)
        wheelchair allerg\w+ intoleran(?:t|ce) co?eliac migraines? arthritis heart\s(?:attack|condition|disease)
        blood\s(?:pressure|sugar|type) hypertension cholesterol strokes? dementia alzheimer\w* parkinson\w* surgery
        therap(?:y|ist) psychiatr\w+ psycholog\w+ antidepressants? medications? medicines? meds prescri\w+ diagnos\w+
        symptoms? diseases? illness chronic sober alcoholi\w+ addict\w* rehab overdose herpes hepatitis hearing\saids?
        deaf blind dialysis kidneys? ulcers? eczema psoriasis lupus sclerosis thyroid panic\sattacks? suicid\w+
        anorex\w+ bulimi\w+ eating\sdisorder menopaus\w+ contracepti\w+ erectile vaccin\w+ covid insomnia ptsd ocd
        crohn\w* pacemaker anemi\w+ anaemi\w+ obes\w+ clinic hospital\w*
        a\sbad\s(?:back|knee|hip|heart|shoulder|neck) (?:back|chest|joint|knee|stomach)\s?(?:pains?|ache)""",
    "belief": r"""muslims? islam\w* christian\w* catholic\w* protestant\w* jewish judaism jews? hindu\w* buddhis\w+
        sikhs? atheis\w* agnostic mormon\w* quakers? jehovah\w* (?:my|to|at|our)\schurch mosque synagogue
        pray(?:s|ers?|ing|ed)? ramadan halal kosher (?:for|during)\slent sabbath shabbat baptis\w+ bible quran koran
        torah religio\w+ faith jesus hijab (?:believe|trust)\sin\sgod convert(?:ed)?\sto orthodox""",
    "politics": r"""vot(?:e|es|ed|er|ing) labour\sparty tory tories democrats? republicans? conservatives? communis\w+
        socialis\w+ marxis\w+ anarchis\w+ green\sparty the\sgreens left-wing right-wing party\smember politic\w*
        protest(?:s|ed|ers?|ing)? (?:trade|labou?r)\sunion union\smember brexit pro-life pro-choice activis[mt]s?
        libertarian\w* far\s(?:left|right) senators? campaign(?:ed|ing)?\sfor""",
    "origin": r"""nationality ethnic\w* racial immigrants? refugees? asylum undocumented ancest\w+ descent
        of\s\w+\sorigin (?:i'm|i\sam|we're|as\san?)\s(?:black|white|asian|latin[oax]|hispanic|arab|kurdish|roma)
        indigenous aboriginal native\samerican mixed[\s-]race biracial green\scard citizenship heritage
        parents\s(?:came|are|were|fled)\sfrom deport\w+ visa\sstatus born\sto\b.*""",
    "orientation": r"""gay lesbians? bisexual\w* homosexual\w* heterosexual\w* queer transgender
        transition(?:ing|ed)
        trans\s(?:man|woman|person) non-?binary asexual lgbt\w* same-sex sexual\w* came\sout\s(?:as|to)
        coming\sout gender\sidentity dat(?:e|ing)\s(?:men|women) attracted\sto""",
    "money troubles": r"""debts? bankrupt\w* insolven\w+ overdraft overdrawn payday\sloans? foreclos\w+ evict\w+
        repossess\w+ credit\sscore bad\scredit collection\sagency behind\son
        (?:can't|cannot|couldn't)\s(?:afford|pay)
        unpaid arrears (?:i'm|we're|flat|dead)\sbroke food\s(?:bank|stamps) welfare unemploy\w+
        (?:lost|losing)\smy\sjob laid\soff gambl\w+ maxed\sout owe[sd]? pawn\w* garnish\w+ loan\ssharks? jobless
        (?:miss|missed)\s(?:a|my|two|three)\s(?:mortgage|rent|loan)""",
}
_CHINESE = {
    "health": "糖尿病|胰岛素|癌|肿瘤|化疗|艾滋|癫痫|哮喘|抑郁|焦虑|双相|精神分裂|多动症|自闭|怀孕|孕|流产|"
    "堕胎|试管|不孕|不育|残疾|轮椅|过敏|不耐受|偏头痛|关节炎|血压|血糖|胆固醇|中风|痴呆|帕金森|"
    "手术|心理医生|心理咨询|精神科|吃药|服药|药物|处方|确诊|诊断|症状|(?<!毛)病(?!毒)|戒酒|酗酒|"
    "成瘾|吸毒|疱疹|肝炎|乙肝|聋|失明|透析|肾|溃疡|湿疹|甲状腺|自杀|厌食|暴食|更年期|避孕|疫苗|"
    "新冠|失眠|痛风|腰椎|颈椎|助听器|住院|体检|康复",
    "belief": "穆斯林|伊斯兰|清真|基督|天主教|新教|佛教|信佛|道教|信教|犹太|印度教|无神论|教堂|礼拜(?!天|"
    "日|[一二三四五六])|祷告|祈祷|斋月|斋戒|吃斋|受洗|圣经|古兰经|宗教|信仰|皈依|上帝|耶稣|拜佛|"
    "烧香|念经|寺",
    "politics": "投票|投给|投了|党员|入党|[民共]主党|共和党|工党|保守党|共产|社会主义|左派|右派|左翼|右翼|"
    "政治|游行|抗议|国民党|民进党|绿党|工会|政见|选举|支持.{0,4}党|竞选",
    "origin": "民族|[汉回藏满苗壮彝]族|蒙古族|维吾尔|族人|国籍|移民|难民|庇护|混血|血统|祖籍|籍贯|黑人|"
    "白人|裔|绿卡|黑户|种族|入籍|偷渡|老家",
    "orientation": "同性|双性恋|异性恋|性取向|出柜|拉拉|跨性别|变性|酷儿|无性恋|非二元|性别认同|喜欢[男女](?:的|"
    "生|人|孩)|[只还]?(?:交|谈)男朋友",
    "money troubles": "欠[债款钱费租了着下]|欠.{0,6}(?:钱|元|块|万)|负债|债|破产|失信|老赖|催收|逾期|网贷|高利贷|"
    "还不[上起]|断供|法拍|没钱|穷|揭不开锅|低保|失业|被裁|裁员|下岗|赌|透支|征信|拖欠|"
    "[付交吃租]不起|套现|周转不|月光",
}
_PATTERN = re.compile(
    rf"(?<![\w-])(?:{'|'.join(word for words in _ENGLISH.values() for word in words.split())})(?![\w])"
    rf"|(?<![a-z])(?:gay|les|lgbt|hiv)(?![a-z])|{'|'.join(_CHINESE.values())}"
)
_NAMED = (
    "health medical diagnosis disease illness symptom medication medicine drug allergy allergies allergen "
    "prescription pregnancy disability therapy treatment blood religion religious faith belief political politics "
    "party ethnicity ethnic racial nationality citizenship sexual sexuality orientation debt bankruptcy insolvency"
)
_SLOT_WORDS = frozenset(stem(word) for word in _NAMED.split())
"""Stems of words in the names of tools and arguments."""


@text_cache(4096)
def is_sensitive_text(text: str) -> bool:
    """Whether `text` tells of health, belief, politics, origin, orientation or money troubles."""
    return _PATTERN.search(simplified(normalise(text)).replace("’", "'")) is not None


@text_cache(4096)
def is_sensitive_slot(slot: Slot) -> bool:
    """Whether the words of the tool or argument say that values of `slot` tell of one of these."""
    words = {stem(word) for word in (*split_name(slot.tool), *split_name(slot.argument))}
    return not words.isdisjoint(_SLOT_WORDS)


def is_sensitive_value(value: JsonValue) -> bool:
    """Whether a value, or a part of one, tells of one of these."""
    if value is None or isinstance(value, bool | int | float):
        return False
    return is_sensitive_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def stays_in_slot(evidence: Evidence) -> bool:
    """Whether `evidence` may speak for no slot but its own."""
    return (
        is_sensitive_slot(evidence.slot)
        or is_sensitive_value(evidence.value)
        or (bool(evidence.condition) and is_sensitive_text(evidence.condition))
    )
