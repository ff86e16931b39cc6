# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# AddressSanitizer must be there before a stock tshark loads the plugin.
set(preload "")
if(GAMEWIRE_SANITIZE)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so
        OUTPUT_VARIABLE preload OUTPUT_STRIP_TRAILING_WHITESPACE)
    get_filename_component(preload ${preload} REALPATH)
endif()

# A tshark that is started once for many runs. Sanitizers are for a tshark that was started.
set(server "")
if(CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT CMAKE_CROSSCOMPILING AND GAMEWIRE_PLUGIN AND NOT GAMEWIRE_SANITIZE AND NOT GAMEWIRE_COVERAGE)
    add_library(tshark_server MODULE support/tshark_server.c)
    set_target_properties(tshark_server PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON PREFIX "")
    target_link_libraries(tshark_server PRIVATE ${CMAKE_DL_LIBS})
    add_executable(tshark_client support/tshark_client.c)
    set_target_properties(tshark_client PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
    foreach(target tshark_server tshark_client)
        target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wformat=2 -Wconversion $<$<BOOL:${GAMEWIRE_WERROR}>:-Werror>)
    endforeach()
    set(server GAMEWIRE_TSHARK_SERVER_LIBRARY=$<TARGET_FILE:tshark_server> GAMEWIRE_TSHARK_CLIENT=$<TARGET_FILE:tshark_client>)
endif()

set(gamewire_plugin_test_environment
    ${server}
    GAMEWIRE_BUILD=${CMAKE_BINARY_DIR}
    GAMEWIRE_PLUGIN_DIR=${CMAKE_BINARY_DIR}/plugins
    GAMEWIRE_PRELOAD=${preload}
    GAMEWIRE_LOCALES=${GAMEWIRE_LOCALES}
    GAMEWIRE_LOADED_IN=plugin.all.loaded
    GAMEWIRE_REPORTS=${CMAKE_CURRENT_BINARY_DIR}/reports
    PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/support
    # Bytecode of all modules, Python's own too, is in the build folder: it must be written there, whatever the caller has set.
    PYTHONPYCACHEPREFIX=${CMAKE_CURRENT_BINARY_DIR}/pycache
    PYTHONDONTWRITEBYTECODE=)

# Begun first, as one of them at the end would run alone for minutes.
set(gamewire_long_tests fire fire.carried plugin.godot.multiplayer.captures plugin.all.outputs plugin.all.positions
    plugin.tools.many_captures plugin.tools.messages plugin.tools.report plugin.tools.report_page)

# gamewire_add_plugin_test(name file [options of pytest...]): pytest runs the file, around tshark with the plugin of this build.
# First of all, plugin.all.loaded has to pass, so that no other test has to look whether the plugin is loaded.
function(gamewire_add_plugin_test name file)
    # Its import takes a third of pytest's start.
    set(without_reruns)
    if(NOT "--reruns" IN_LIST ARGN)
        set(without_reruns -p no:rerunfailures)
    endif()
    add_test(NAME ${name} COMMAND ${GAMEWIRE_PYTHON} -m pytest -q -p no:cacheprovider ${without_reruns} ${ARGN} ${file})
    set_tests_properties(${name} PROPERTIES
        TIMEOUT 900
        ENVIRONMENT "${gamewire_plugin_test_environment}")
    if(name STREQUAL plugin.all.loaded)
        set_tests_properties(${name} PROPERTIES FIXTURES_SETUP plugin_loaded)
    else()
        set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED plugin_loaded)
    endif()
    if(name IN_LIST gamewire_long_tests)
        set_tests_properties(${name} PROPERTIES COST 100)
    endif()
endfunction()
