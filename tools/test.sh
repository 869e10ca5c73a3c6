#!/usr/bin/env bash
# Set-up, build and tests, then the sanitizers over the quick tests, clang-tidy over the files of
# the last ten commits, the formatting and the layers. Every stage runs even if one before failed;
# the exit code is 1 if any did. A second run rebuilds nothing.
# SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/.."

jobs=${TESSERA_JOBS:-$(nproc)}
export CTEST_PARALLEL_LEVEL=$jobs
failed=()
times=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

stage() {  # stage NAME COMMAND...
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  if ! "$@"; then
    failed+=("$name")
    echo "== FAILED: $name"
  fi
  times+=("$(printf '%5d s  %s' $((SECONDS - start)) "$name")")
}

build() {  # build PRESET
  cmake --preset "$1" && cmake --build --preset "$1" -j "$jobs"
}

release_tests() { ctest --preset torch | tee "$log"; }

tidy() {
  local version files
  version=$(clang-tidy --version | sed -nE 's/.*LLVM version ([0-9]+).*/\1/p')
  if [ "$version" != 14 ]; then
    echo "clang-tidy not run: the checks are clang-tidy 14's, here is ${version:-none}"
    return 0
  fi
  # A header is checked through the source file beside it.
  files=$(git log -10 --name-only --format= -- '*.cpp' '*.h' | sed 's/\.h$/.cpp/' | sort -u |
    while read -r file; do if grep -qF "/$file\"" build/compile_commands.json; then echo "$file"; fi; done)
  if [ -z "$files" ]; then
    echo "clang-tidy: no source file in the last ten commits"
    return 0
  fi
  # Clang does not read the headers that GCC precompiled.
  mkdir -p build/tidy
  sed 's# -Winvalid-pch -include [^ ]*cmake_pch.hxx##' build/compile_commands.json >build/tidy/compile_commands.json
  xargs -n 1 -P "$jobs" clang-tidy -p build/tidy --quiet <<<"$files" 2> >(grep -v 'warnings generated\|^Suppressed\|^Use -header-filter' >&2)
}

tools/setup.sh --tests --torch --nccl || exit $?
stage "layers" tools/check_layers.py
stage "formatting" tools/format.sh --check
stage "build" build torch
stage "tests" release_tests
stage "build with address and undefined behavior sanitizers" build asan
stage "quick tests with address and undefined behavior sanitizers" ctest --preset asan
stage "build with thread sanitizer" build tsan
stage "quick tests with thread sanitizer" ctest --preset tsan
stage "clang-tidy" tidy

echo "== summary"
printf '%s\n' "${times[@]}"
sed -n '/tests passed/,$p' "$log" | sed '/^==/d'
if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}"
  exit 1
fi
echo "all stages passed"
