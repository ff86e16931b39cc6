# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: MIT

# How a codec is built and installed: a static library and, with GAMEWIRE_SHARED, a shared one, its headers, a
# pkg-config file, and a component of the CMake package `gamewire`.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(GAMEWIRE_CODEC_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})
set(GAMEWIRE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gamewire)

if(MSVC)
    set(GAMEWIRE_CODEC_WARNINGS /W3 /utf-8)
else()
    set(GAMEWIRE_CODEC_WARNINGS
        -Wall
        -Wextra
        -Wshadow
        -Wmissing-prototypes
        -Wstrict-prototypes
        -Wformat=2
        -Wconversion
        -Wsign-conversion
        -Wcast-qual
        -Wvla
        -Wimplicit-fallthrough)
endif()

# gamewire_strict_c(target): C11 without extensions, and the codecs' warnings.
function(gamewire_strict_c target)
    set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE ${GAMEWIRE_CODEC_WARNINGS} $<$<BOOL:${GAMEWIRE_WERROR}>:$<IF:$<C_COMPILER_ID:MSVC>,/WX,-Werror>>)
endfunction()

# gamewire_add_codec(NAME godot SOURCES … HEADERS … [DEPENDS common …])
#
# Makes the static library gamewire-<NAME>, alias gamewire::<NAME>. HEADERS are the public ones, in
# include/gamewire/; DEPENDS names other codecs.
function(gamewire_add_codec)
    cmake_parse_arguments(PARSE_ARGV 0 codec "" "NAME" "SOURCES;HEADERS;DEPENDS")
    set(target gamewire-${codec_NAME})
    add_library(${target} STATIC ${codec_SOURCES} ${codec_HEADERS})
    add_library(gamewire::${codec_NAME} ALIAS ${target})
    gamewire_strict_c(${target})
    set_target_properties(${target} PROPERTIES
        EXPORT_NAME ${codec_NAME}
        POSITION_INDEPENDENT_CODE ON
        C_VISIBILITY_PRESET hidden)
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    foreach(other IN LISTS codec_DEPENDS)
        target_link_libraries(${target} PUBLIC gamewire::${other})
    endforeach()

    install(TARGETS ${target} EXPORT gamewire-codecs COMPONENT codecs
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    if(GAMEWIRE_SHARED)
        gamewire_add_shared_codec(${target})
    endif()
    install(FILES ${codec_HEADERS} COMPONENT codecs DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gamewire)
    gamewire_install_pkgconfig(${target} "${codec_DEPENDS}")
endfunction()

# The same sources as a shared library, gamewire::<NAME>_shared. Before 1.0 each minor version may change the ABI.
function(gamewire_add_shared_codec target)
    set(shared ${target}-shared)
    add_library(${shared} SHARED ${codec_SOURCES} ${codec_HEADERS})
    add_library(gamewire::${codec_NAME}_shared ALIAS ${shared})
    gamewire_strict_c(${shared})
    set_target_properties(${shared} PROPERTIES
        OUTPUT_NAME ${target}
        EXPORT_NAME ${codec_NAME}_shared
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_include_directories(${shared} PUBLIC
        $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    foreach(other IN LISTS codec_DEPENDS)
        target_link_libraries(${shared} PUBLIC gamewire::${other}_shared)
    endforeach()
    install(TARGETS ${shared} EXPORT gamewire-codecs COMPONENT codecs
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# The prefix in the file is relative to where the file lies, so that an installed tree can be moved.
function(gamewire_install_pkgconfig target depends)
    set(pc_name ${target})
    set(pc_requires ${depends})
    list(TRANSFORM pc_requires PREPEND "gamewire-")
    list(JOIN pc_requires " " pc_requires)
    file(RELATIVE_PATH pc_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
    string(REGEX REPLACE "/$" "" pc_up ${pc_up})
    configure_file(${GAMEWIRE_CODEC_CMAKE_DIR}/codec.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${target}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}.pc COMPONENT codecs
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# The CMake package: find_package(gamewire COMPONENTS godot), then link gamewire::godot.
function(gamewire_install_package)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/gamewireConfig.cmake)
    configure_package_config_file(${GAMEWIRE_CODEC_CMAKE_DIR}/gamewireConfig.cmake.in ${generated}
        INSTALL_DESTINATION ${GAMEWIRE_PACKAGE_DIR})
    write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/gamewireConfigVersion.cmake
        VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
    install(FILES ${generated} ${CMAKE_CURRENT_BINARY_DIR}/gamewireConfigVersion.cmake COMPONENT codecs
        DESTINATION ${GAMEWIRE_PACKAGE_DIR})
    install(EXPORT gamewire-codecs COMPONENT codecs NAMESPACE gamewire:: FILE gamewireTargets.cmake
        DESTINATION ${GAMEWIRE_PACKAGE_DIR})
endfunction()
