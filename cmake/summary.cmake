# What was found, and why something is off. What may be absent is only looked for here.
function(tessera_summary_line name state why)
  string(LENGTH "${name}" length)
  math(EXPR pad "14 - ${length}")
  string(REPEAT " " ${pad} space)
  message(STATUS "  ${name}${space}${state}  ${why}")
endfunction()

# tessera_summary_optional(NAME found detail-if-found reason-if-not)
function(tessera_summary_optional name found detail reason)
  if(found)
    tessera_summary_line(${name} "yes" "${detail}")
  else()
    tessera_summary_line(${name} "no " "${reason}")
  endif()
endfunction()

find_program(TESSERA_NVCC nvcc HINTS /usr/local/cuda/bin)
find_path(TESSERA_OPENVDB_INCLUDE openvdb/openvdb.h)
mark_as_advanced(TESSERA_NVCC TESSERA_OPENVDB_INCLUDE
                 TESSERA_CCACHE TESSERA_MOLD)

message(STATUS "Tessera ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, "
               "instruction sets ${TESSERA_ISAS}")
tessera_summary_optional("OpenCV" "${OpenCVParts_FOUND}" "${OpenCVParts_VERSION}, for rarer photo formats"
                         "photos: JPEG, PNG, TIFF and WebP only (tools/setup.sh --extras brings the rest)")
foreach(part calib3d dnn)
  set(TESSERA_HAS_${part} FALSE)
  if(TARGET opencv_${part})
    set(TESSERA_HAS_${part} TRUE)
  endif()
endforeach()
tessera_summary_optional("calib3d" "${TESSERA_HAS_calib3d}" "for stereo pairs"
                         "no stereo pairs (tools/setup.sh --extras brings it)")
tessera_summary_optional("dnn" "${TESSERA_HAS_dnn}" "for depth networks"
                         "no depth networks (tools/setup.sh --extras brings it)")
tessera_summary_optional("ccache" "${TESSERA_CCACHE}" "" "not installed: rebuilding takes longer")
tessera_summary_optional("mold" "${TESSERA_MOLD}" "" "not installed: linking takes longer")
if(NOT TESSERA_TESTS)
  set(reason "TESSERA_TESTS is OFF")
else()
  set(reason "GoogleTest is not installed (tools/setup.sh --tests)")
endif()
tessera_summary_optional("tests" "${TESSERA_BUILD_TESTS}" "" "${reason}")
tessera_summary_optional("benchmarks" "${TESSERA_BENCH}" "" "TESSERA_BENCH is OFF")
tessera_summary_optional("LibTorch" "${TESSERA_TORCH}" "${LibTorch_cpu_LIBRARY}" "TESSERA_TORCH is OFF; only networks need it")
if(TESSERA_SANITIZE)
  tessera_summary_line("sanitizers" "yes" "${TESSERA_SANITIZE}")
endif()
tessera_summary_optional("CUDA" "${TESSERA_NVCC}" "${TESSERA_NVCC}; nothing uses it yet" "nvcc is not installed; the CPU does the work")
tessera_summary_optional("MPI" "${MPI_C_FOUND}" "${MPI_C_LIBRARIES}, for ranks that are processes"
                         "no MPI library is installed; ranks are threads of one process (tools/setup.sh --mpi brings it)")
tessera_summary_optional("NCCL" "${NCCL_FOUND}" "${NCCL_VERSION}, for ranks with a GPU each; unproved"
                         "NCCL and CUDA's run time are not installed; only several GPUs need them (tools/setup.sh --nccl brings them)")
tessera_summary_optional("OpenVDB" "${TESSERA_OPENVDB_INCLUDE}" "nothing uses it yet" "openvdb.h is not installed; only voxel grids need it")
tessera_summary_optional("viewer" "${TESSERA_VIEWER_FOUND}" "tessera-viewer"
                         "libepoxy, GLFW or Dear ImGui is not installed: no window (tools/setup.sh brings them)")
