#!/usr/bin/env bash
# tests/build_progress_test.sh TREE
# On a pipe tools/build_progress.sh speaks at each quarter, keeps all lines in the log, and passes
# over the two steps of configuring again.
# SPDX-License-Identifier: MIT
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
  echo "-- Configuring done"
  echo "[0/2] Re-checking globbed directories..."
  echo "[1/2] Re-running CMake..."
  for i in $(seq 1 40); do echo "[$i/40] Building CXX object $i.cpp.o"; done
} >"$folder/build"
said=$("$1/tools/build_progress.sh" "$folder/log" <"$folder/build")
expected=$(printf '  %d of 40\n' 10 20 30 40)
if [ "$said" != "$expected" ]; then
  echo "said:     $said"
  echo "expected: $expected"
  exit 1
fi
cmp "$folder/build" "$folder/log"
