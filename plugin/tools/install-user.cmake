# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# Copies the plugin and its profile to the folders of one user's own plugins and profiles, or with -D remove=ON removes them.
# Files of the profile that the user changed are neither overwritten nor removed. Root's Wireshark ignores these folders.
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
set(source_profile ${CMAKE_CURRENT_LIST_DIR}/../profile/Gamewire)
file(GLOB profile_files RELATIVE ${source_profile} ${source_profile}/*)

# Files that the user changed or added stay. Wireshark writes `recent` (sizes and positions of windows) whenever it ends.
function(remove_profile)
    foreach(name IN LISTS profile_files)
        if(EXISTS ${profile}/${name})
            file(SHA256 ${source_profile}/${name} ours)
            file(SHA256 ${profile}/${name} installed)
            if(ours STREQUAL installed OR name STREQUAL "recent")
                file(REMOVE ${profile}/${name})
            endif()
        endif()
    endforeach()
    file(GLOB left RELATIVE ${profile} ${profile}/*)
    if(left)
        list(SORT left)
        list(JOIN left " " left)
        message(STATUS "Left in ${profile}, changed or added since: ${left}")
    else()
        message(STATUS "Removed ${profile}")
    endif()
    remove_empty(${profile} ${settings})
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
foreach(name IN LISTS profile_files)
    if(NOT EXISTS ${profile}/${name})
        file(INSTALL ${source_profile}/${name} DESTINATION ${profile})
    endif()
endforeach()
