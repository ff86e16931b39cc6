# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# The version that the plugin and the programs say, such as 0.4.0, or 0.4.0-dev+1234567890 between releases: the version of a bug
# report names one commit. ".changed" follows if files differ from it. An archive of the source has no commit. COMMIT is for builds
# that have the repository, but not git.
#
#   cmake -DVERSION=0.4.0-dev -DSOURCE=<source> -DFOLDER=<folder> [-DCOMMIT=<commit>] -P version.cmake
#
# writes <folder>/gamewire_version.h and <folder>/version.txt. gamewire_tools/version.py is the same for programs in the source.

if(VERSION MATCHES "-" AND NOT COMMIT AND EXISTS ${SOURCE}/.git)
    find_package(Git QUIET)
    if(GIT_FOUND)
        execute_process(
            COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --exclude=* --abbrev=10 --dirty=.changed
            OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
endif()
if(VERSION MATCHES "-" AND COMMIT)
    string(APPEND VERSION "+${COMMIT}")
endif()

function(write_if_different file text)
    if(EXISTS ${file})
        file(READ ${file} before)
    endif()
    if(NOT "${before}" STREQUAL "${text}")
        file(WRITE ${file} "${text}")
    endif()
endfunction()

write_if_different(${FOLDER}/gamewire_version.h "#define GAMEWIRE_VERSION \"${VERSION}\"\n")
write_if_different(${FOLDER}/version.txt "${VERSION}\n")
