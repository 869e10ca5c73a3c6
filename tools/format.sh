#!/usr/bin/env bash
# Formats the C++ sources in place, or with --check only says which are not formatted (exit code 1).
# Versions of clang-format disagree, so 14 (Debian 12's) is the only one that counts.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

clang_format=$(command -v clang-format-14 || command -v clang-format) || {
  echo "clang-format is missing: tools/setup.sh --tests installs it." >&2
  exit 2
}
version=$("$clang_format" --version | sed -E 's/.*version ([0-9]+).*/\1/')
if [ "$version" != 14 ]; then
  echo "formatting not checked: the style is clang-format 14's, here is $version"
  exit 0
fi
mode=(-i)
if [ "${1:-}" = --check ]; then mode=(--dry-run -Werror); fi
git ls-files -z --cached --others --exclude-standard '*.cpp' '*.h' '*.cu' | xargs -0 -r -n 32 "$clang_format" --style=file "${mode[@]}"
