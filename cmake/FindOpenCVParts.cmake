# OpenCV's parts as imported targets opencv_core, opencv_imgproc and, if it is there, opencv_imgcodecs.
# OpenCV's own configuration file comes with a package that needs all its modules (VTK and Qt among
# them: 10 times the download), so the parts are looked for one by one.
find_path(OpenCVParts_INCLUDE_DIR opencv2/core.hpp PATH_SUFFIXES opencv4)
foreach(part core imgproc imgcodecs)
  find_library(OpenCVParts_${part}_LIBRARY opencv_${part})
  mark_as_advanced(OpenCVParts_${part}_LIBRARY)
endforeach()
mark_as_advanced(OpenCVParts_INCLUDE_DIR)

if(OpenCVParts_INCLUDE_DIR)
  file(STRINGS ${OpenCVParts_INCLUDE_DIR}/opencv2/core/version.hpp lines REGEX "define CV_VERSION_(MAJOR|MINOR) ")
  string(REGEX REPLACE ".*MAJOR +([0-9]+).*MINOR +([0-9]+).*" "\\1.\\2" OpenCVParts_VERSION "${lines}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCVParts
  REQUIRED_VARS OpenCVParts_core_LIBRARY OpenCVParts_imgproc_LIBRARY OpenCVParts_INCLUDE_DIR
  VERSION_VAR OpenCVParts_VERSION)

if(OpenCVParts_FOUND)
  foreach(part core imgproc imgcodecs)
    if(TARGET opencv_${part} OR NOT OpenCVParts_${part}_LIBRARY OR NOT EXISTS ${OpenCVParts_INCLUDE_DIR}/opencv2/${part}.hpp)
      continue()
    endif()
    add_library(opencv_${part} SHARED IMPORTED)
    set_target_properties(opencv_${part} PROPERTIES
      IMPORTED_LOCATION ${OpenCVParts_${part}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${OpenCVParts_INCLUDE_DIR})
  endforeach()
endif()
