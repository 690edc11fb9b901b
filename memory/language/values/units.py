"""Units that people name after a number, in English and Chinese, with what they are of a base unit of their kind.

Factors are exact by definition (the jin of the mainland, 500 g).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

Dimension = str
Unit = tuple[Dimension, float]
"""What it measures, and how much of the base unit of that it is."""
_TEXTS: Mapping[Unit, str] = MappingProxyType(
    {
        ("mass", 0.001): "mg milligram milligrams 毫克",
        ("mass", 1): "g gram grams gramme grammes 克",
        ("mass", 50): "两",
        ("mass", 500): "jin catty catties 斤 市斤",
        ("mass", 1000): "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes 千克 公斤",
        ("mass", 1_000_000): "tonne tonnes 吨",
        ("mass", 28.349523125): "oz ounce ounces 盎司",
        ("mass", 453.59237): "lb lbs pound pounds 磅",
        ("length", 0.001): "mm millimetre millimetres millimeter millimeters 毫米",
        ("length", 0.01): "cm centimetre centimetres centimeter centimeters 厘米 公分",
        ("length", 1): "metre metres meter meters 米",
        ("length", 500): "li 里",
        ("length", 1000): "km kilometre kilometres kilometer kilometers 千米 公里",
        ("length", 0.0254): "inch inches 英寸 寸",
        ("length", 0.3048): "foot feet ft 英尺",
        ("length", 0.9144): "yard yards 码",
        ("length", 1609.344): "mile miles 英里",
        ("volume", 0.001): "ml millilitre millilitres milliliter milliliters 毫升",
        ("volume", 1): "litre litres liter liters 升 公升",
        ("time", 1): "second seconds sec secs 秒 秒钟",
        ("time", 60): "minute minutes min mins 分钟",
        ("time", 900): "刻钟",
        ("time", 3600): "hour hours hr hrs 小时 钟头 个小时 个钟头 个钟",
        ("time", 86_400): "day days 天 日",
        ("time", 604_800): "week weeks 周 星期 礼拜 个星期 个礼拜",
        ("time", 1_209_600): "fortnight fortnights",
        ("money", 1): "元 块 块钱",
        ("money", 0.1): "角 毛 毛钱",
        ("data", 1): "mb megabyte megabytes",
        ("data", 1000): "gb gigabyte gigabytes",
    }
)
UNITS: Mapping[str, Unit] = MappingProxyType({word: unit for unit, words in _TEXTS.items() for word in words.split()})
"""By each of its names."""
HAN_UNITS = tuple(sorted((word for word in UNITS if not word.isascii()), key=len, reverse=True))
"""The Chinese names, the longest first: of two that a text begins with the first is meant."""
