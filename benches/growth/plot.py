"""Draws a plot in SVG, on two logarithmic scales, from lines of a name, an x and a y, separated by tabs:

    python3 plot.py TITLE X Y <points >plot.svg

A text stands at the end of each line, and a colour follows the theme of the reader. If Y begins with ×, each y is divided by the first
one of its line.
"""

import html
import math
import sys

WIDTH, HEIGHT = 820, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 530, 44, 350
# Okabe and Ito's, which people with deficient colour vision can tell apart: for light and for dark themes.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#b0518b", "#8a6d00", "#2a8fbd", "#666666", "#a33c3c"]
DARK = ["#56b4e9", "#f0863c", "#2fc79a", "#e08fc0", "#f0e442", "#8fd3f4", "#bbbbbb", "#e88a8a"]


def short(number):
    """A number of a scale: 10,000 as 10⁴."""
    exponent = round(math.log10(number))
    if 0.001 <= number < 10_000:
        return f"{number:,.10f}".rstrip("0").rstrip(".")
    return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] if digit != "-" else "⁻" for digit in str(exponent))


def scale(values):
    """From a value to its place, and the ends of the scale as exponents."""
    low = math.floor(math.log10(min(values)) + 1e-9)
    high = max(math.ceil(math.log10(max(values)) - 1e-9), low + 1)
    return (lambda value: BOTTOM + (TOP - BOTTOM) * (math.log10(value) - low) / (high - low)), low, high


def apart(places, gap):
    """These places, moved as little as needed for texts not to cover each other."""
    moved, previous = {}, -math.inf
    for key, place in sorted(places.items(), key=lambda item: item[1]):
        previous = moved[key] = max(place, previous + gap)
    following = BOTTOM + gap
    for key, place in sorted(moved.items(), key=lambda item: -item[1]):
        following = moved[key] = min(place, following - gap)
    return moved


def draw(title, x_name, y_name, series):
    xs = sorted({x for points in series.values() for x, _ in points})

    # The first and the last x are the ends.
    def x_of(x):
        return LEFT + (RIGHT - LEFT) * math.log(x / xs[0]) / max(math.log(xs[-1] / xs[0]), 1e-9)

    y_of, low, high = scale([y for points in series.values() for _, y in points])
    colours = "".join(f".c{n}{{stroke:{c};fill:{c}}}" for n, c in enumerate(COLOURS))
    dark = "".join(f".c{n}{{stroke:{c};fill:{c}}}" for n, c in enumerate(DARK))
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">'
    )
    yield (
        "<style>.b{fill:#fff}text{fill:#222;stroke:none}.g{stroke:#ddd}polyline{fill:none!important;stroke-width:2}"
        f"{colours}text[class]{{stroke:none}}"
        f"@media(prefers-color-scheme:dark){{.b{{fill:#0d1117}}text{{fill:#ddd}}.g{{stroke:#333}}{dark}}}</style>"
    )
    yield f'<rect class="b" width="{WIDTH}" height="{HEIGHT}"/>'
    yield f'<text x="{LEFT}" y="22" font-size="15">{html.escape(title)}</text>'
    for exponent in range(low, high + 1):
        y = y_of(10.0**exponent)
        yield f'<path class="g" d="M{LEFT} {y:.1f}H{RIGHT}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{short(10.0**exponent)}</text>'
    for x in xs:
        yield f'<path class="g" d="M{x_of(x):.1f} {TOP}V{BOTTOM}"/>'
        yield f'<text x="{x_of(x):.1f}" y="{BOTTOM + 18}" text-anchor="middle">{short(x)}</text>'
    yield f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 38}" text-anchor="middle">{html.escape(x_name)}</text>'
    middle = (TOP + BOTTOM) / 2
    yield f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">{html.escape(y_name)}</text>'
    labels = apart({name: y_of(points[-1][1]) for name, points in series.items()}, 15)
    for number, (name, points) in enumerate(series.items()):
        places = [(x_of(x), y_of(y)) for x, y in points]
        yield f'<g class="c{number % len(COLOURS)}"><polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>'
        yield "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places)
        growth = points[-1][1] / points[0][1]
        y, text = labels[name] + 4, html.escape(f"{name}: × {growth:,.3g}" if growth < 1000 else f"{name}: × {growth:,.0f}")
        yield f'</g><text class="c{number % len(COLOURS)}" x="{RIGHT + 10}" y="{y:.1f}">{text}</text>'
    yield "</svg>"


def main():
    title, x_name, y_name = sys.argv[1:]
    series = {}
    for line in sys.stdin:
        name, x, y = line.rstrip("\n").split("\t")
        # A logarithmic scale has no 0.
        if float(x) > 0 and float(y) > 0:
            series.setdefault(name, []).append((float(x), float(y)))
    series = {name: sorted(points) for name, points in series.items()}
    if y_name.startswith("×"):
        series = {name: [(x, y / points[0][1]) for x, y in points] for name, points in series.items()}
    print("\n".join(draw(title, x_name, y_name, series)))


main()
