# LibTorch as unpacked from PyPI's wheel by tools/setup.sh --torch, without CUDA: LibTorch::cpu.
# The wheel's own configuration insists on the whole of CUDA. It is looked for in TESSERA_LIBTORCH
# (CMake's variable or the environment's), then in setup.sh's cache.
set(LibTorch_cache $ENV{XDG_CACHE_HOME})
if(NOT LibTorch_cache)
  set(LibTorch_cache $ENV{HOME}/.cache)
endif()
set(LibTorch_hints ${TESSERA_LIBTORCH} $ENV{TESSERA_LIBTORCH})
if(NOT LibTorch_hints)
  set(LibTorch_hints ${LibTorch_cache}/tessera/libtorch-2.11.0)
endif()
find_path(LibTorch_INCLUDE_DIR ATen/core/Tensor.h HINTS ${LibTorch_hints} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_library(LibTorch_cpu_LIBRARY torch_cpu HINTS ${LibTorch_hints} PATH_SUFFIXES lib NO_DEFAULT_PATH)
find_library(LibTorch_c10_LIBRARY c10 HINTS ${LibTorch_hints} PATH_SUFFIXES lib NO_DEFAULT_PATH)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_cpu_LIBRARY LibTorch_c10_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_cpu_LIBRARY LibTorch_c10_LIBRARY LibTorch_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "tools/setup.sh --torch fetches it, and TESSERA_LIBTORCH names a folder where it is already")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  get_filename_component(LibTorch_LIBRARY_DIR ${LibTorch_cpu_LIBRARY} DIRECTORY)
  add_library(LibTorch::cpu INTERFACE IMPORTED)
  # -idirafter: the wheel also holds an fmt and a pybind11 of its own, which must not come before ours.
  target_compile_options(LibTorch::cpu INTERFACE
    "SHELL:-idirafter ${LibTorch_INCLUDE_DIR}"
    "SHELL:-idirafter ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  target_compile_definitions(LibTorch::cpu INTERFACE AT_PER_OPERATOR_HEADERS)
  target_link_libraries(LibTorch::cpu INTERFACE ${LibTorch_cpu_LIBRARY} ${LibTorch_c10_LIBRARY})
  target_link_options(LibTorch::cpu INTERFACE
    -Wl,-rpath,${LibTorch_LIBRARY_DIR} -Wl,-rpath-link,${LibTorch_LIBRARY_DIR})
endif()
