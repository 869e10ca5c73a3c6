# OpenCV's core, imgproc and imgcodecs as imported targets opencv_core, opencv_imgproc, opencv_imgcodecs,
# calib3d and dnn as opencv_calib3d and opencv_dnn where they are installed.
# OpenCV's own configuration file comes with a package that needs all its modules (VTK and Qt among
# them), so these parts are looked for one by one.
find_path(OpenCVParts_INCLUDE_DIR opencv2/imgcodecs.hpp PATH_SUFFIXES opencv4)
find_library(OpenCVParts_core_LIBRARY opencv_core)
find_library(OpenCVParts_imgproc_LIBRARY opencv_imgproc)
find_library(OpenCVParts_imgcodecs_LIBRARY opencv_imgcodecs)
mark_as_advanced(OpenCVParts_INCLUDE_DIR OpenCVParts_core_LIBRARY OpenCVParts_imgproc_LIBRARY
                 OpenCVParts_imgcodecs_LIBRARY)

if(OpenCVParts_INCLUDE_DIR)
  file(STRINGS ${OpenCVParts_INCLUDE_DIR}/opencv2/core/version.hpp lines REGEX "define CV_VERSION_(MAJOR|MINOR) ")
  string(REGEX REPLACE ".*MAJOR +([0-9]+).*MINOR +([0-9]+).*" "\\1.\\2" OpenCVParts_VERSION "${lines}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCVParts
  REQUIRED_VARS OpenCVParts_core_LIBRARY OpenCVParts_imgproc_LIBRARY OpenCVParts_imgcodecs_LIBRARY
                OpenCVParts_INCLUDE_DIR
  VERSION_VAR OpenCVParts_VERSION)

if(OpenCVParts_FOUND AND NOT TARGET opencv_core)
  foreach(part core imgproc imgcodecs)
    add_library(opencv_${part} SHARED IMPORTED)
    set_target_properties(opencv_${part} PROPERTIES
      IMPORTED_LOCATION ${OpenCVParts_${part}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${OpenCVParts_INCLUDE_DIR})
  endforeach()
endif()

foreach(part calib3d dnn)
  find_library(OpenCVParts_${part}_LIBRARY opencv_${part})
  mark_as_advanced(OpenCVParts_${part}_LIBRARY)
  if(OpenCVParts_FOUND AND OpenCVParts_${part}_LIBRARY AND EXISTS ${OpenCVParts_INCLUDE_DIR}/opencv2/${part}.hpp
     AND NOT TARGET opencv_${part})
    add_library(opencv_${part} SHARED IMPORTED)
    set_target_properties(opencv_${part} PROPERTIES
      IMPORTED_LOCATION ${OpenCVParts_${part}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${OpenCVParts_INCLUDE_DIR})
  endif()
endforeach()
