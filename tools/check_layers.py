#!/usr/bin/env python3
"""Checks every #include of ours against the table of layers (docs/architecture.md).

A folder may include itself and what its row names. LibTorch may be included by the folders in
TORCH and by the torch_ops.cpp of each renderer. Exit code 1 and one line per offence.
"""
# SPDX-License-Identifier: MIT
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAY_INCLUDE = {  # the most particular folder counts
    "core/math": [],
    "core": ["core/math"],
    "assets": ["core"],
    "render": ["core"],
    "distributed": ["core"],
    "models": ["core", "render", "distributed"],
    "viewer": ["core", "render"],
    "apps": ["core", "assets", "render", "distributed", "models", "viewer"],
    "bench": ["core", "assets", "render", "distributed", "models", "viewer", "apps",
              "tests/support"],
    "tests": ["core", "assets", "render", "distributed", "models", "viewer", "apps", "bench"],
}
TORCH = ["models/sparse", "models/diffusion", "models/multiplane/refiner", "apps/neural"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def within(path, folders):
    return any(path.startswith(folder + "/") for folder in folders)


def offences(file):
    name = file.relative_to(ROOT).as_posix()
    layer = next(folder for folder in MAY_INCLUDE if within(name, [folder]))
    torch_allowed = within(name, TORCH) or re.search(r"torch_ops(_test)?\.(cpp|h)$", name)
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = match.group(1)
        if re.match(r"(torch|ATen|c10)/", included) and not torch_allowed:
            yield f"{name}:{number}: LibTorch may not be included here"
        elif within(included, MAY_INCLUDE) and not within(included, [layer, *MAY_INCLUDE[layer]]):
            yield f"{name}:{number}: {layer} may not include {included}"


files = [f for top in {f.split("/")[0] for f in MAY_INCLUDE} for f in (ROOT / top).rglob("*")
         if f.suffix in (".h", ".cpp", ".cu", ".cuh")]
found = [line for file in sorted(files) for line in offences(file)]
print("\n".join(found) if found else f"layers: {len(files)} files keep to the table")
sys.exit(1 if found else 0)
