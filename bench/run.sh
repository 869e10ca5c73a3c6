#!/usr/bin/env bash
# Runs all benchmarks of a build (configured with -DTESSERA_BENCH=ON) and writes their results as
# JSON: bench/run.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [options of google-benchmark]
# SPDX-License-Identifier: MIT
set -euo pipefail
build=${1:-build}
out=${2:-bench_results}
shift $(($# < 2 ? $# : 2))
mkdir -p "$out"
for program in "$build"/bench/bench_*; do
  [ -x "$program" ] && [ ! -d "$program" ] || continue
  name=$(basename "$program")
  "$program" --benchmark_out="$out/$name.json" --benchmark_out_format=json "$@"
done
echo "results are in $out"
