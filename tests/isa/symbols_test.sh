#!/usr/bin/env bash
# symbols_test.sh ISA OBJECT [ISA OBJECT]...
# A weak symbol that is not named after its instruction set could be merged with another set's copy,
# and the linker might keep the AVX-512 one for every processor. So kernel objects may define none.
# SPDX-License-Identifier: MIT
set -euo pipefail
if [ $# = 0 ]; then
  echo "skipped: no kernel is compiled in this build"
  exit 77
fi
command -v nm >/dev/null || { echo "nm (binutils) is missing"; exit 1; }
offences=0
objects=0
while [ $# -gt 0 ]; do
  isa=$1 object=$2
  shift 2
  objects=$((objects + 1))
  # A mangled name holds a namespace as its length and its letters, e.g. 4avx2.
  weak=$(nm --defined-only "$object" | awk '$2 ~ /^[WVu]$/ {print $3}' | grep -v "${#isa}$isa" | grep -v '^DW\.ref\.' || true)
  if [ -n "$weak" ]; then
    echo "$object defines weak symbols outside the namespace $isa:"
    c++filt <<<"$weak"
    offences=1
  fi
done
echo "$objects kernel objects looked at"
exit $offences
