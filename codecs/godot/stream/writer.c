/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * What put_var and PacketPeerStream write before a Variant.
 */
#include <gamewire/godot_stream.h>

void gw_godot_stream_write_prefix(gw_output *output, gw_godot_stream_order order, uint32_t length)
{
    if (order == GW_GODOT_STREAM_BIG)
        gw_put_be32(output, length);
    else
        gw_put_le32(output, length);
}
