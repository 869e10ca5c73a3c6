# NVIDIA's NCCL with CUDA's run time, which are needed together: NCCL::nccl. No CUDA compiler is
# asked for: what uses them is host code. Where the system has none, they are those that
# tools/setup.sh --nccl fetches.
set(NCCL_hints ${CUDAToolkit_ROOT} $ENV{CUDA_HOME} /usr/local/cuda)
set(NCCL_cache $ENV{XDG_CACHE_HOME})
if(NOT NCCL_cache)
  set(NCCL_cache $ENV{HOME}/.cache)
endif()
set(NCCL_fetched ${NCCL_cache}/tessera/nccl-2.28.9)
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_hints} PATHS ${NCCL_fetched} PATH_SUFFIXES include)
find_library(NCCL_LIBRARY nccl HINTS ${NCCL_hints} PATHS ${NCCL_fetched} PATH_SUFFIXES lib64 lib)
find_path(NCCL_cuda_INCLUDE_DIR cuda_runtime_api.h HINTS ${NCCL_hints} PATHS ${NCCL_fetched} PATH_SUFFIXES include)
find_library(NCCL_cudart_LIBRARY cudart HINTS ${NCCL_hints} PATHS ${NCCL_fetched} PATH_SUFFIXES lib64 lib)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY NCCL_cuda_INCLUDE_DIR NCCL_cudart_LIBRARY)

if(NCCL_INCLUDE_DIR)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h lines REGEX "define NCCL_(MAJOR|MINOR) ")
  string(REGEX REPLACE ".*MAJOR +([0-9]+).*MINOR +([0-9]+).*" "\\1.\\2" NCCL_VERSION "${lines}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL
  REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR NCCL_cudart_LIBRARY NCCL_cuda_INCLUDE_DIR
  VERSION_VAR NCCL_VERSION)

if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl INTERFACE IMPORTED)
  target_include_directories(NCCL::nccl INTERFACE ${NCCL_INCLUDE_DIR} ${NCCL_cuda_INCLUDE_DIR})
  target_link_libraries(NCCL::nccl INTERFACE ${NCCL_LIBRARY} ${NCCL_cudart_LIBRARY})
endif()
