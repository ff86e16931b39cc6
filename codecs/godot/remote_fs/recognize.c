/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The beginning of what a game sends: eight bytes with one value each, 64 bits. No other protocol is known to have
 * them.
 */
#include <gamewire/godot_remote_fs.h>

#include <string.h>

bool gw_godot_remote_fs_recognize(const uint8_t *bytes, size_t captured, gw_recognition *recognition)
{
    static const uint8_t beginning[] = { 'G', 'R', 'F', 'S', GW_GODOT_REMOTE_FS_VERSION, 0, 0, 0 };
    size_t length = captured < sizeof beginning ? captured : sizeof beginning;
    *recognition = (gw_recognition){ 0 };
    if (!length || memcmp(bytes, beginning, length) != 0)
        return false;
    recognition->possible = true;
    recognition->readings = 1;
    recognition->bits = length == sizeof beginning ? 64 : 0;
    return true;
}
