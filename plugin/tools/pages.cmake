# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# The pages and licenses that `cmake --install` puts beside the plugin and the codecs: in the folders of documentation of Debian's
# packages (debian/), gamewire-wireshark and libgamewire-dev.

set(doc_codecs ${CMAKE_INSTALL_DATADIR}/doc/libgamewire-dev)
set(doc_plugin ${CMAKE_INSTALL_DATADIR}/doc/gamewire-wireshark)

# gamewire_install_page(component file): installs it in the folder that links to it name. In a page, a link to a file that only the
# source has becomes its text. tests/house/install.py checks the links.
function(gamewire_install_page component file)
    get_filename_component(folder ${file} DIRECTORY)
    set(installed ${PROJECT_SOURCE_DIR}/${file})
    if(file MATCHES "\\.md$")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${installed})
        file(READ ${installed} text)
        string(REGEX REPLACE "\\[([^]]+)\\]\\([./]*(tests/[A-Za-z]+\\.md|\\.github/|tools/[a-z]+_reference)[^)]*\\)" "\\1" text "${text}")
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
