# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: MIT

# Fails when the file that -D warnings=<file> names has a line in it.
if(EXISTS ${warnings})
    file(READ ${warnings} text)
    if(text)
        message(FATAL_ERROR "Doxygen warns:\n${text}")
    endif()
endif()
