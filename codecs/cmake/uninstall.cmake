# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: MIT

# Removes what `cmake --install` installed from this build folder, plugin and codecs: the files of its manifests, which
# go with them. Run with -D build=<folder>.

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
        endif()
    endforeach()
    file(REMOVE ${manifest})
endforeach()
