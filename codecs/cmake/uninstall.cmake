# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: MIT

# Removes what `cmake --install` installed from this build folder, plugin and codecs: the files of its manifests, their
# folders named gamewire and those of the documentation if nothing else is in them, and the manifests. Run with
# -D build=<folder>.

# remove_own_folder(file): removes the file's folder and those above it, while they are empty and named after the project, or in the
# folder of its programs or of its documentation. An empty folder of a profile is still a profile in Wireshark's list.
function(remove_own_folder file)
    get_filename_component(folder ${file} DIRECTORY)
    while(folder MATCHES "/(gamewire|Gamewire)$|/share/gamewire/|/doc/(libgamewire-dev|gamewire-wireshark)(/|$)")
        file(GLOB left LIST_DIRECTORIES true ${folder}/*)
        if(left)
            return()
        endif()
        file(REMOVE_RECURSE ${folder})
        get_filename_component(folder ${folder} DIRECTORY)
    endwhile()
endfunction()

file(GLOB manifests ${build}/install_manifest*.txt)
if(NOT manifests)
    message(STATUS "Nothing was installed from ${build}")
endif()
foreach(manifest IN LISTS manifests)
    file(STRINGS ${manifest} files)
    foreach(file IN LISTS files)
        if(EXISTS $ENV{DESTDIR}${file} OR IS_SYMLINK $ENV{DESTDIR}${file})
            file(REMOVE $ENV{DESTDIR}${file})
            message(STATUS "Removed $ENV{DESTDIR}${file}")
            remove_own_folder($ENV{DESTDIR}${file})
        endif()
    endforeach()
    file(REMOVE ${manifest})
endforeach()
