#!/usr/bin/env bash
# old_processor_test.sh PROGRAM [argument]...
# Runs a test program on an emulated processor of 2010 (SSE4.2 and AES, no AVX): what is built here
# must not need more than that anywhere outside the kernels of higher instruction sets.
# SPDX-License-Identifier: MIT
set -euo pipefail
if [ "$(uname -m)" != x86_64 ]; then
  echo "skipped: this is not an x86-64 machine"
  exit 77
fi
if ! command -v qemu-x86_64 >/dev/null; then
  echo "skipped: qemu-x86_64 is not installed (tools/setup.sh --tests)"
  exit 77
fi
output=$(mktemp)
trap 'rm -f "$output"' EXIT
env -u TESSERA_ISA qemu-x86_64 -cpu Westmere "$@" | tee "$output"
grep -q 'PASSED.*[1-9][0-9]* test' "$output" || { echo "the filter matched no test"; exit 1; }
