#!/usr/bin/env bash
# neon_test.sh SOURCE_FOLDER BUILD_FOLDER
# Compiles the kernels, what calls them and their tests for 64-bit ARM and runs them on an emulated
# one. Only what needs no library of that machine: fmt as headers, GoogleTest from its sources.
# SPDX-License-Identifier: MIT
set -euo pipefail
source=$1
build=$2
cross=aarch64-linux-gnu-g++
for tool in "$cross" qemu-aarch64; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: $tool is not installed (g++-aarch64-linux-gnu, qemu-user)"
    exit 77
  fi
done
if [ ! -d /usr/src/googletest/googletest/src ]; then
  echo "skipped: GoogleTest's sources are not installed (libgtest-dev)"
  exit 77
fi
cd "$source"
mkdir -p "$build/include"
for library in hwy fmt; do ln -sfn /usr/include/$library "$build/include/$library"; done

compiler=("$cross")
if command -v ccache >/dev/null; then compiler=(ccache "$cross"); fi
gtest=/usr/src/googletest/googletest
options=(-std=c++20 -O1 -ffp-contract=off -Wall -Wextra -Wshadow -Werror -DFMT_HEADER_ONLY
  -I. -isystem "$build/include" -isystem $gtest/include -I $gtest
  "-DTESSERA_FIXTURES=\"$source/tests/data\"")
kernel_options=(-O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast -march=armv8-a+crypto
  -DTESSERA_ISA=neon -DHWY_COMPILE_ONLY_STATIC=1)

files=($gtest/src/gtest-all.cc $gtest/src/gtest_main.cc
  core/{adam,array,camera,error,gaussian_cloud,isa,lens_extent,metrics,ssim,thread_pool}.cpp core/*_kernel.cpp
  render/gaussian/{rasterizer,camera_values}.cpp render/gaussian/backends/*.cpp
  tests/core/{adam,ssim,isa}_test.cpp tests/core/math/*.cpp
  tests/contract/{rasterizer,rasterizer_invariants,reference_picture}_test.cpp)
objects=()
for file in "${files[@]}"; do
  object=$build/$(tr / _ <<<"${file#/}").o
  extra=()
  case $file in
    *_kernel.cpp) extra=("${kernel_options[@]}") ;;
    *gtest*) extra=(-w) ;;
  esac
  "${compiler[@]}" "${options[@]}" "${extra[@]}" -c "$file" -o "$object"
  objects+=("$object")
done
"$cross" -static "${objects[@]}" -o "$build/neon_test"
# The double reference by itself says nothing of NEON.
qemu-aarch64 "$build/neon_test" "--gtest_filter=-*/reference:*RealPoints*"
