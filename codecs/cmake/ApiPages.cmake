# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: MIT

# The target `docs`: the codecs' public headers as HTML pages, in api/html/index.html of the build folder. Doxygen's
# warnings go to api/warnings.txt, and each fails the target.
find_program(GAMEWIRE_DOXYGEN doxygen)
# Debian's interpreter first, as in the tests: the first one that is found is kept for all.
find_program(GAMEWIRE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(GAMEWIRE_PYTHON python3)
if(NOT GAMEWIRE_DOXYGEN OR NOT GAMEWIRE_PYTHON)
    add_custom_target(docs
        COMMAND ${CMAKE_COMMAND} -E echo "The pages need Doxygen and Python 3: install doxygen and python3, and run cmake again"
        COMMAND ${CMAKE_COMMAND} -E false
        VERBATIM)
    return()
endif()

set(codecs ${CMAKE_CURRENT_SOURCE_DIR})
set(output ${CMAKE_BINARY_DIR}/api)
set(headers ${GAMEWIRE_CODECS})
list(TRANSFORM headers REPLACE "(.+)" "${codecs}/\\1/include")
list(JOIN headers " " headers)
configure_file(cmake/Doxyfile.in ${output}/Doxyfile @ONLY)
add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E remove -f ${output}/warnings.txt
    COMMAND ${GAMEWIRE_DOXYGEN} ${output}/Doxyfile
    COMMAND ${CMAKE_COMMAND} -D warnings=${output}/warnings.txt -P ${codecs}/cmake/no_warnings.cmake
    COMMENT "Writing the pages of the codecs' interfaces to ${output}/html"
    VERBATIM)
