#!/usr/bin/env python3
# What compressed messages cost in PSNR: short runs of two ranks, each seed once with exact and once
# with compressed messages. Runs part ways at the least rounding, so only the mean over seeds tells;
# its standard error says how well.
#
#   bench/distributed/precision.py build/apps/tessera CAPTURE --seeds 40 -- -r 8 -n 400
# SPDX-License-Identifier: MIT
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile


def psnr(program, capture, folder, seed, precision, more):
    out = folder / f"{precision}{seed}"
    subprocess.run([program, "reconstruct", capture, "-o", out, "--eval", "--ranks", "2", "--seed", str(seed),
                    "--message-precision", precision, "--quiet", *more],
                   check=True, stdout=subprocess.DEVNULL)
    (figures,) = json.loads((out / "results.json").read_text()).values()
    return figures["PSNR"]


parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("capture")
parser.add_argument("--seeds", type=int, default=40)
split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
arguments = parser.parse_args(sys.argv[1:split])
more = sys.argv[split + 1:]

differences = []
with tempfile.TemporaryDirectory() as name:
    for seed in range(1, arguments.seeds + 1):
        exact, compressed = (
            psnr(arguments.program, arguments.capture, pathlib.Path(name), seed, precision, more)
            for precision in ("float32", "compressed"))
        differences.append(compressed - exact)
        print(f"seed {seed}: {exact:.3f} {compressed:.3f} dB", flush=True)
mean = statistics.mean(differences)
error = statistics.stdev(differences) / math.sqrt(len(differences))
print(f"compressed - float32: {mean:+.4f} dB, standard error {error:.4f}, {len(differences)} seeds")
