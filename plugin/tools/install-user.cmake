# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# Copies the plugin and its profile to the folders where Wireshark looks for one user's own, or with -D remove=ON removes
# them; a profile that its user has changed since is left alone. Not for root, whose Wireshark ignores that folder.
# Run with -D plugin=<file> -D wireshark_version=<major.minor> -D system_folder=<plugins of all users> -D build=<folder>.

if(NOT DEFINED ENV{HOME})
    message(FATAL_ERROR "HOME is not set, so there is no folder for a user's own plugins")
endif()
get_filename_component(name ${plugin} NAME)
set(folder $ENV{HOME}/.local/lib/wireshark/plugins/${wireshark_version}/epan)

if(NOT "$ENV{XDG_CONFIG_HOME}" STREQUAL "")
    set(settings $ENV{XDG_CONFIG_HOME})
else()
    set(settings $ENV{HOME}/.config)
endif()
set(profiles ${settings}/wireshark/profiles)
set(profile ${profiles}/Gamewire)

function(remove_profile)
    file(GLOB names RELATIVE ${CMAKE_CURRENT_LIST_DIR}/../profile/Gamewire ${CMAKE_CURRENT_LIST_DIR}/../profile/Gamewire/*)
    foreach(name IN LISTS names)
        file(SHA256 ${CMAKE_CURRENT_LIST_DIR}/../profile/Gamewire/${name} ours)
        set(installed)
        if(EXISTS ${profile}/${name})
            file(SHA256 ${profile}/${name} installed)
        endif()
        if(NOT ours STREQUAL "${installed}")
            message(STATUS "Left alone, as it was changed: ${profile}")
            return()
        endif()
    endforeach()
    file(REMOVE_RECURSE ${profile})
    message(STATUS "Removed ${profile}")
    remove_empty(${profiles} ${settings})
endfunction()

# remove_empty(folder top): removes the folder and those above it that are below `top`, while they are empty.
function(remove_empty folder top)
    while(NOT folder STREQUAL top)
        file(GLOB left LIST_DIRECTORIES true ${folder}/*)
        if(left)
            return()
        endif()
        file(REMOVE_RECURSE ${folder})
        get_filename_component(folder ${folder} DIRECTORY)
    endwhile()
endfunction()

if(remove)
    if(EXISTS ${profile})
        remove_profile()
    endif()
    if(EXISTS ${folder}/${name})
        file(REMOVE ${folder}/${name})
        message(STATUS "Removed ${folder}/${name}")
        remove_empty(${folder} $ENV{HOME}/.local/lib)
    else()
        message(STATUS "Not there: ${folder}/${name}")
    endif()
    return()
endif()

execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(user STREQUAL "0")
    message(FATAL_ERROR "as root, Wireshark ignores plugins in a home folder, without a message. Install for all users: "
        "cmake --install ${build} --component plugin. Or run install-user as the user who runs Wireshark, without sudo")
endif()
# Wireshark loads both copies, and stops at each start with a message about the second.
if(EXISTS ${system_folder}/${name})
    message(FATAL_ERROR "the plugin is already installed for all users, as ${system_folder}/${name}; Wireshark does not "
        "start well with two copies. Remove that one first: cmake --build ${build} --target uninstall")
endif()
file(INSTALL ${plugin} DESTINATION ${folder})
if(NOT EXISTS ${profile})
    file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/../profile/Gamewire DESTINATION ${profiles})
endif()
