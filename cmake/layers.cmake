# SPDX-License-Identifier: BSD-3-Clause
# yare_layer(NAME [LIBS ...]): the folder src/NAME as a static library. Its targets link to every layer
# below it (the order of src/CMakeLists.txt); scripts/check-layers holds includes to the same order.
# yare_layer_tests(NAME): each tests/NAME/test_*.c as a cmocka program and ctest case.
set_property(GLOBAL PROPERTY YARE_LAYERS_BELOW "")

function(yare_layer name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  get_property(below GLOBAL PROPERTY YARE_LAYERS_BELOW)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c)
  if(sources)
    add_library(yare_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(yare_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(yare_${name} ${scope} ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(yare_${name} ${scope} ${below} ${ARG_LIBS})
  set_property(GLOBAL PROPERTY YARE_LAYERS_BELOW yare_${name} ${below})
endfunction()

function(yare_layer_tests name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/test_*.c)
  file(GLOB helpers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/helper_*.c)
  foreach(source ${sources})
    get_filename_component(stem ${source} NAME_WE)
    set(target ${name}_${stem})
    add_executable(${target} ${source} ${helpers})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    target_link_libraries(${target} PRIVATE yare_${name} PkgConfig::CMOCKA)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_test(NAME ${name}/${stem} COMMAND ${target} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name}/${stem} PROPERTIES TIMEOUT 300
      ENVIRONMENT "YARE_BUILD=${CMAKE_BINARY_DIR};YARE_SOURCE=${CMAKE_SOURCE_DIR}")
  endforeach()
endfunction()
