# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# Copies the plugin, and its profile, to the folders where Wireshark looks for one user's own, or with -D remove=ON
# removes the plugin. Run with -D plugin=<file> -D wireshark_version=<major.minor> -D system_folder=<plugins of all users>.

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

# A profile may have been changed by its user since: it is left alone.
if(DEFINED ENV{XDG_CONFIG_HOME})
    set(profiles $ENV{XDG_CONFIG_HOME}/wireshark/profiles)
else()
    set(profiles $ENV{HOME}/.config/wireshark/profiles)
endif()
if(NOT EXISTS ${profiles}/Gamewire)
    file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/profile/Gamewire DESTINATION ${profiles})
endif()
