# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# Copies the plugin to the folder where Wireshark looks for one user's own plugins, or with -D remove=ON removes it.
# Run with -D plugin=<file> -D wireshark_version=<major.minor> -D system_folder=<plugins of all users>.

if(NOT DEFINED ENV{HOME})
    message(FATAL_ERROR "HOME is not set, so there is no folder for a user's own plugins")
endif()
get_filename_component(name ${plugin} NAME)
set(folder $ENV{HOME}/.local/lib/wireshark/plugins/${wireshark_version}/epan)

if(remove)
    if(EXISTS ${folder}/${name})
        file(REMOVE ${folder}/${name})
        message(STATUS "Removed ${folder}/${name}")
    else()
        message(STATUS "Not there: ${folder}/${name}")
    endif()
    return()
endif()

# Wireshark loads both copies, and stops at each start with a message about the second.
if(EXISTS ${system_folder}/${name})
    message(FATAL_ERROR "the plugin is already installed for all users, as ${system_folder}/${name}; Wireshark does not "
        "start well with two copies. Remove that one first: cmake --build <build> --target uninstall")
endif()
file(INSTALL ${plugin} DESTINATION ${folder})
