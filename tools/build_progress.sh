#!/usr/bin/env bash
# tools/build_progress.sh LOG <OUTPUT
# Keeps a build's output in LOG and shows how far it is by Ninja's counts ("[12/345] ..."): in place
# on a terminal, else a line at each quarter and after 20 seconds of silence.
# SPDX-License-Identifier: MIT
set -euo pipefail

silence=20
fewest=10  # steps of a build that is worth a word: configuring again has two
last_total=0 quarter=0 spoken=$SECONDS in_place=
while IFS= read -r line; do
  printf '%s\n' "$line" >&3
  [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
  done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
  ((total >= fewest)) || continue
  if [ -t 1 ]; then
    printf '\r  %d of %d' "$done" "$total"
    in_place=yes
    continue
  fi
  ((total == last_total)) || { last_total=$total quarter=0; }
  if ((4 * done / total > quarter || SECONDS - spoken >= silence)); then
    printf '  %d of %d\n' "$done" "$total"
    quarter=$((4 * done / total)) spoken=$SECONDS
  fi
done 3>"$1"
[ -z "$in_place" ] || echo
