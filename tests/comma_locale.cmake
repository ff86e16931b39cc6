# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# A locale whose decimal point is a comma, for the tests that numbers do not depend on it. It lies in the build folder,
# since installing one for the whole system is not for a test to do; LOCPATH in the environment makes it found.
set(GAMEWIRE_LOCALES ${CMAKE_CURRENT_BINARY_DIR}/locales)
find_program(GAMEWIRE_LOCALEDEF localedef)
if(GAMEWIRE_LOCALEDEF AND NOT EXISTS ${GAMEWIRE_LOCALES}/de_DE.UTF-8/LC_NUMERIC)
    file(MAKE_DIRECTORY ${GAMEWIRE_LOCALES})
    set(byte_order --no-archive)
    if(CMAKE_C_BYTE_ORDER STREQUAL "BIG_ENDIAN")
        list(APPEND byte_order --big-endian)
    endif()
    execute_process(
        COMMAND ${GAMEWIRE_LOCALEDEF} ${byte_order} -i de_DE -f UTF-8 ${GAMEWIRE_LOCALES}/de_DE.UTF-8
        RESULT_VARIABLE failed
        OUTPUT_QUIET ERROR_QUIET)
    if(failed)
        message(STATUS "no locale de_DE.UTF-8 (on Debian: apt-get install locales): its tests will be skipped")
    endif()
endif()
