# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# Copies the plugin and its profile to the folders where Wireshark looks for one user's own, or with -D remove=ON removes
# them; a profile that its user has changed since is left alone. Run with -D plugin=<file> -D wireshark_version=<major.minor> -D system_folder=<plugins of all users>.

if(NOT DEFINED ENV{HOME})
    message(FATAL_ERROR "HOME is not set, so there is no folder for a user's own plugins")
endif()
get_filename_component(name ${plugin} NAME)
set(folder $ENV{HOME}/.local/lib/wireshark/plugins/${wireshark_version}/epan)

if(NOT "$ENV{XDG_CONFIG_HOME}" STREQUAL "")
    set(profile $ENV{XDG_CONFIG_HOME}/wireshark/profiles/Gamewire)
else()
    set(profile $ENV{HOME}/.config/wireshark/profiles/Gamewire)
endif()

function(remove_profile)
    file(GLOB names RELATIVE ${CMAKE_CURRENT_LIST_DIR}/../profile/Gamewire ${CMAKE_CURRENT_LIST_DIR}/../profile/Gamewire/*)
    foreach(name IN LISTS names)
        file(SHA256 ${CMAKE_CURRENT_LIST_DIR}/../profile/Gamewire/${name} ours)
        set(theirs)
        if(EXISTS ${profile}/${name})
            file(SHA256 ${profile}/${name} theirs)
        endif()
        if(NOT ours STREQUAL "${theirs}")
            message(STATUS "Left alone, as it was changed: ${profile}")
            return()
        endif()
    endforeach()
    file(REMOVE_RECURSE ${profile})
    message(STATUS "Removed ${profile}")
endfunction()

if(remove)
    if(EXISTS ${profile})
        remove_profile()
    endif()
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
if(NOT EXISTS ${profile})
    get_filename_component(profiles ${profile} DIRECTORY)
    file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/../profile/Gamewire DESTINATION ${profiles})
endif()
