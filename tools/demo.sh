#!/usr/bin/env bash
# tools/demo.sh [CAPTURE [options of tessera reconstruct]]
# Set-up, build, and a Gaussian scene from photos: from the banana capture that stands in the
# repository, or from CAPTURE. Says at the end where scene, report and picture are.
# SPDX-License-Identifier: MIT
set -euo pipefail

tree=$(cd "$(dirname "$0")/.." && pwd)
tessera=$tree/build/apps/tessera
if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '2,4s/^# //p' "$0"
  exit 0
fi

if [ $# = 0 ]; then
  capture=$tree/assets/samples/banana
  options=(-n 3000 --eval --force)
else
  capture=${1%/}
  options=("${@:2}")
  if [[ $capture == -* ]]; then
    echo "tools/demo.sh: the capture comes first, then options" >&2
    exit 2
  fi
fi

output=
for ((i = 0; i < ${#options[@]}; i++)); do
  case ${options[i]} in
    -o | --output | -m | --model-path | --output-path) output=${options[i + 1]:-} ;;
    --output=* | --model-path=* | --output-path=*) output=${options[i]#*=} ;;
  esac
done
if [ -z "$output" ]; then
  output=$tree/output/$(basename "$(realpath -m "$capture")")
  options+=(-o "$output")
  mkdir -p "$tree/output"
fi

"$tree/tools/setup.sh"
echo "Building Tessera (log: build/build.log)"
mkdir -p "$tree/build"
if ! (cd "$tree" && cmake --preset release && cmake --build --preset release --target tessera) 2>&1 |
  "$tree/tools/build_progress.sh" "$tree/build/build.log"; then
  tail -n 30 "$tree/build/build.log" >&2
  echo "The build failed; all of it is in $tree/build/build.log." >&2
  exit 1
fi

"$tessera" reconstruct "$capture" "${options[@]}"

case $output in
  *.ply | *.splat) scene=$output run=${output%.*}_run ;;
  *) scene=$output/scene.ply run=$output ;;
esac
picture=$run/picture.png
"$tessera" render "$scene" -o "$picture" --force --quiet

cat <<END

scene    $scene
         (any viewer of Gaussian splats opens it)
report   $run/report.html
         (one file, for any browser: photos, renders and differences side by side)
picture  $picture
         (the scene from where the first photo was taken)

A flight around it, as a video (it needs ffmpeg: tools/setup.sh --extras):
END
printf '  %q render %q --turntable -o %q\n' "$tessera" "$scene" "$run/turntable.mp4"
