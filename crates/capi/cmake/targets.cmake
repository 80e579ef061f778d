# The targets `tensor_layout::static`, `tensor_layout::shared` and `tensor_layout::tensor_layout`, which is the one that
# BUILD_SHARED_LIBS asks for; `static`, `shared` and `include` are paths.

add_library(tensor_layout_static STATIC IMPORTED GLOBAL)
set_target_properties(tensor_layout_static PROPERTIES
  IMPORTED_LOCATION "${static}"
  INTERFACE_INCLUDE_DIRECTORIES "${include}"
  INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
add_library(tensor_layout::static ALIAS tensor_layout_static)

add_library(tensor_layout_shared SHARED IMPORTED GLOBAL)
set_target_properties(tensor_layout_shared PROPERTIES
  IMPORTED_LOCATION "${shared}"
  INTERFACE_INCLUDE_DIRECTORIES "${include}")
add_library(tensor_layout::shared ALIAS tensor_layout_shared)

if(BUILD_SHARED_LIBS)
  add_library(tensor_layout::tensor_layout ALIAS tensor_layout_shared)
else()
  add_library(tensor_layout::tensor_layout ALIAS tensor_layout_static)
endif()
