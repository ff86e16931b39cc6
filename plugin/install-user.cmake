# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

# Copies the plugin to the folder where Wireshark looks for one user's own plugins.
# Run with -D plugin=<file> -D wireshark_version=<major.minor>.

if(NOT DEFINED ENV{HOME})
    message(FATAL_ERROR "HOME is not set, so there is no folder for a user's own plugins")
endif()
set(folder $ENV{HOME}/.local/lib/wireshark/plugins/${wireshark_version}/epan)
file(INSTALL ${plugin} DESTINATION ${folder})
