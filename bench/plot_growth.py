#!/usr/bin/env python3
# Draws how a training step grows, from the JSON of bench_models:
# bench/plot_growth.py bench_results/bench_models.json docs/growth.svg
# SPDX-License-Identifier: MIT
import json
import sys

PANELS = [("pixels", "pixels, thousands", 1e-3), ("gaussians", "Gaussians, thousands", 1e-3),
          ("photos", "photos in the capture", 1)]
WIDTH, HEIGHT, MARGIN = 260, 200, 46


def points(results, name, unit):
    rows = [b for b in results["benchmarks"] if b["name"].startswith(name + "/")]
    return [(b[name] * unit, 1e3 / b["items_per_second"]) for b in rows]


def panel(index, label, data):
    left = index * (WIDTH + MARGIN) + MARGIN
    top = 16
    largest_x = max(x for x, _ in data)
    largest_y = 1.1 * max(y for _, y in data)

    def place(x, y):
        return left + x / largest_x * WIDTH, top + HEIGHT * (1 - y / largest_y)

    out = [f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>']
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*p) for p in data))
    out.append(f'<polyline points="{line}" fill="none" stroke="#06c" stroke-width="2"/>')
    for p in data:
        x, y = place(*p)
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#06c"/>')
    for k in range(5):
        y = largest_y * k / 4
        out.append(f'<text x="{left - 6}" y="{place(0, y)[1] + 4:.1f}" text-anchor="end">{y:.0f}</text>')
        x = largest_x * k / 4
        out.append(f'<text x="{place(x, 0)[0]:.1f}" y="{top + HEIGHT + 15}" text-anchor="middle">{x:.0f}</text>')
    out.append(f'<text x="{left + WIDTH / 2}" y="{top + HEIGHT + 32}" text-anchor="middle">{label}</text>')
    return out


def main():
    with open(sys.argv[1]) as file:
        results = json.load(file)
    width = len(PANELS) * (WIDTH + MARGIN) + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT + 60}" '
           'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="8" y="12">CPU ms per training step, one thread</text>']
    for index, (name, label, unit) in enumerate(PANELS):
        out += panel(index, label, points(results, name, unit))
    out.append("</svg>")
    with open(sys.argv[2], "w") as file:
        file.write("\n".join(out) + "\n")


main()
