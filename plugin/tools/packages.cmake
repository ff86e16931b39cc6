# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# Debian packages, made by `cmake --build … --target package` or cpack:
#
#   wireshark-plugin-gamewire   the plugin, for the Wireshark that it was built with
#   libgamewire-dev             the codecs: headers, static and (with GAMEWIRE_SHARED) shared libraries, pkg-config, CMake

set(CPACK_GENERATOR DEB)
# Before the release, as Debian orders versions.
string(REPLACE "-" "~" CPACK_PACKAGE_VERSION ${PROJECT_VERSION}${GAMEWIRE_STAGE})
set(CPACK_PACKAGE_NAME gamewire)
set(CPACK_PACKAGE_CONTACT "The Gamewire authors")
# Empty: it would precede the description of each package, which begins with a summary of its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
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
Decodes the traffic of Godot games (Variants, ENet, high-level multiplayer), of the
Leviathan engine and of VC:MP's Squirrel scripts.")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME wireshark-plugin-gamewire)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SECTION net)
# libwireshark's name changes with each minor version, as the plugin's folder does: this is the exact dependency.
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SHLIBDEPS ON)
# libjs-dygraphs draws the charts of gamewire-report; without it they are pictures.
set(CPACK_DEBIAN_PLUGIN_PACKAGE_RECOMMENDS "wireshark | tshark, libjs-dygraphs")
# gamewire-report and gamewire-messages need Python and tshark.
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SUGGESTS "python3, tshark")

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

set(doc_codecs ${CMAKE_INSTALL_DATADIR}/doc/libgamewire-dev)
set(doc_plugin ${CMAKE_INSTALL_DATADIR}/doc/wireshark-plugin-gamewire)

# gamewire_install_page(component file): installs it in the folder that links to it name. In a page, a link to a file that only the
# source has becomes its text. tests/house/install.py and package.py check the links.
function(gamewire_install_page component file)
    get_filename_component(folder ${file} DIRECTORY)
    set(installed ${PROJECT_SOURCE_DIR}/${file})
    if(file MATCHES "\\.md$")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${installed})
        file(READ ${installed} text)
        string(REGEX REPLACE "\\[([^]]+)\\]\\([./]*(tests/[A-Za-z]+\\.md|\\.github/|tools/field_reference)[^)]*\\)" "\\1" text "${text}")
        set(installed ${CMAKE_BINARY_DIR}/pages/${file})
        file(WRITE ${installed} "${text}")
    endif()
    install(FILES ${installed} DESTINATION ${doc_${component}}/${folder} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

# gamewire_install_licenses(component text...): installs one file of LICENSE and these texts.
function(gamewire_install_licenses component)
    set(copyright "")
    foreach(file LICENSE ${ARGN})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
        file(READ ${PROJECT_SOURCE_DIR}/${file} text)
        string(APPEND copyright "${text}\n")
    endforeach()
    file(WRITE ${CMAKE_BINARY_DIR}/copyright-${component} "${copyright}")
    install(FILES ${CMAKE_BINARY_DIR}/copyright-${component} DESTINATION ${doc_${component}} RENAME copyright
        COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

install(FILES ${PROJECT_SOURCE_DIR}/codecs/README.md DESTINATION ${doc_codecs} COMPONENT codecs EXCLUDE_FROM_ALL)
gamewire_install_licenses(codecs LICENSES/MIT.txt)

if(GAMEWIRE_PLUGIN)
    file(GLOB_RECURSE pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/plugin/docs/*)
    foreach(page README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE codecs/README.md pcaps/README.md ${pages}
            plugin/enet/enet.h plugin/godot/variant/variant.h plugin/tools/addons/gamewire/rpc_names.gd plugin/tools/elastic.py
            tests/captures/godot/keys.c tests/captures/godot/session_keys.c)
        gamewire_install_page(plugin ${page})
    endforeach()
    # It contains the codecs; the captures' page is under CC0.
    gamewire_install_licenses(plugin LICENSES/GPL-2.0-or-later.txt LICENSES/MIT.txt LICENSES/CC0-1.0.txt)
endif()

include(CPack)
