"""Line and dot charts of the unit square as SVG text; pure, without any library."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

_WIDTH, _HEIGHT = 480, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 20, 16, 48
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
Point = tuple[float, float]


@dataclass
class UnitChart:
    """A chart whose axes both run from 0 to 1.

    Args:
        x_label: Below the horizontal axis.
        y_label: Beside the vertical one.
        summary: What a screen reader says in place of the chart.
    """

    x_label: str
    y_label: str
    summary: str
    _marks: list[str] = field(default_factory=list, init=False)

    def line(self, points: Sequence[Point], *, color: str = "#2f6db5", dashes: str | None = None) -> None:
        """Draw a line through points in [0, 1]²; nothing for fewer than two."""
        if len(points) > 1:
            path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
            dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
            self._marks.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"{dashed}/>')

    def dot(self, point: Point, *, radius: float, label: str = "", color: str = "#2f6db5") -> None:
        """Draw a dot with its label on its upper right, or on its left at the right edge."""
        x, y = _x(point[0]), _y(point[1])
        self._marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{color}" fill-opacity="0.8"/>')
        if label:
            is_far_right = x > _WIDTH - _RIGHT - 40
            side, anchor = (-radius - 3, "end") if is_far_right else (radius + 3, "start")
            place = f'x="{x + side:.1f}" y="{max(y - 4, _TOP + 4):.1f}" text-anchor="{anchor}"'
            self._marks.append(f"<text {place}>{html.escape(label)}</text>")

    def note(self, text: str) -> None:
        """Write a line into the middle, where there is nothing to draw."""
        middle = f'x="{_WIDTH / 2}" y="{_HEIGHT / 2}" text-anchor="middle"'
        self._marks.append(f"<text {middle}>{html.escape(text)}</text>")

    def render(self) -> str:
        """Return the chart as one `svg` element."""
        frame = "".join(_tick(value) for value in _TICKS)
        x_at = f'x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 10}" text-anchor="middle"'
        y_middle = (_TOP + _HEIGHT - _BOTTOM) / 2
        y_at = f'x="14" y="{y_middle}" text-anchor="middle" transform="rotate(-90 14 {y_middle})"'
        return (
            f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{html.escape(self.summary)}">'
            f"{frame}<text {x_at}>{html.escape(self.x_label)}</text><text {y_at}>{html.escape(self.y_label)}</text>"
            f"{''.join(self._marks)}</svg>"
        )


def _x(value: float) -> float:
    return _LEFT + value * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float) -> float:
    return _HEIGHT - _BOTTOM - value * (_HEIGHT - _TOP - _BOTTOM)


def _tick(value: float) -> str:
    x, y = _x(value), _y(value)
    grid = 'stroke="#d8dee5" stroke-width="1"'
    return (
        f'<line x1="{_x(0):.1f}" y1="{y:.1f}" x2="{_x(1):.1f}" y2="{y:.1f}" {grid}/>'
        f'<line x1="{x:.1f}" y1="{_y(0):.1f}" x2="{x:.1f}" y2="{_y(1):.1f}" {grid}/>'
        f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.1f}</text>'
        f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{value:.1f}</text>'
    )
