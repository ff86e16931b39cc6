# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# Debian packages, made by `cmake --build … --target package` or cpack:
#
#   wireshark-plugin-gamewire   the plugin, for the Wireshark that it was built with
#   libgamewire-dev             the codecs: headers, static and (with GAMEWIRE_SHARED) shared libraries, pkg-config, CMake

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gamewire)
set(CPACK_PACKAGE_CONTACT "The Gamewire authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_STRIP_FILES ON)

# The plugin goes where its Wireshark looks, an absolute path; the codecs below /usr.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)

set(CPACK_COMPONENTS_ALL codecs)
if(GAMEWIRE_PLUGIN)
    list(APPEND CPACK_COMPONENTS_ALL plugin)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_COMPONENT_PLUGIN_DESCRIPTION "Wireshark plugin for game traffic
Reads the traffic of Godot games (Variants, ENet, high-level multiplayer), of the
Leviathan engine and of VC:MP's Squirrel scripts.")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME wireshark-plugin-gamewire)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SECTION net)
# libwireshark's name changes with each minor version, as the plugin's folder does: this is the exact dependency.
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_RECOMMENDS "wireshark | tshark")

set(CPACK_COMPONENT_CODECS_DESCRIPTION "C codecs for the wire formats of games
Pull readers, validators, printers and writers for Godot Variants and what carries
them, ENet, Leviathan packets and Squirrel remote values. They need nothing but
libc, use no heap, and do not recurse.")
set(CPACK_DEBIAN_CODECS_PACKAGE_NAME libgamewire-dev)
set(CPACK_DEBIAN_CODECS_PACKAGE_SECTION libdevel)
if(GAMEWIRE_SHARED)
    set(CPACK_DEBIAN_CODECS_PACKAGE_SHLIBDEPS ON)
endif()
# What the shared codecs need of each other is in the same package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/codecs/common ${CMAKE_BINARY_DIR}/codecs/godot)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} name)
    set(doc ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME})
    install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${doc} COMPONENT ${component} EXCLUDE_FROM_ALL)
    set(license $<IF:$<STREQUAL:${component},plugin>,GPL-2.0-or-later,MIT>)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSES/${license}.txt DESTINATION ${doc} RENAME copyright
        COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

include(CPack)
