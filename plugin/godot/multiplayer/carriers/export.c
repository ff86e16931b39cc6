/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes and reads the header of exported messages.
 */
#include "internal.h"

#include "common/export.h"

enum { AT_VERSION, AT_TRANSPORT, AT_GENERATION, AT_FLAGS, AT_CONNECTION, AT_CONNECT_DATA = 8, AT_CHANNEL = 12 };

static int tap = -1;

void godot_mp_register_export(void)
{
    tap = gw_export_register("Godot Multiplayer");
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static void put_be32(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 24);
    bytes[1] = (uint8_t)(value >> 16);
    bytes[2] = (uint8_t)(value >> 8);
    bytes[3] = (uint8_t)value;
}

void godot_mp_export(const godot_mp_message *message)
{
    packet_info *pinfo = message->pinfo;
    const godot_mp_carrier *carrier = message->carrier;
    const enet_message *enet = carrier->enet;
    if (!gw_export_is_wanted(tap) || !message->position.connection)
        return;
    unsigned length = tvb_captured_length(message->tvb), cut = tvb_reported_length(message->tvb) - length;
    uint8_t *bytes = wmem_alloc0(pinfo->pool, GODOT_MP_EXPORT_HEADER + length);
    bytes[AT_VERSION] = GODOT_MP_EXPORT_VERSION;
    bytes[AT_TRANSPORT] = enet                    ? GODOT_MP_ENET
                          : carrier->channel      ? GODOT_MP_WEBRTC
                          : carrier->is_websocket ? GODOT_MP_WEBSOCKET
                                                  : GODOT_MP_OTHER;
    bytes[AT_GENERATION] = (uint8_t)message->reader.generation;
    put_be32(bytes + AT_CONNECTION, enet ? enet->connection : message->position.connection->number);
    if (enet) {
        bytes[AT_FLAGS] |= enet->client_known ? GODOT_MP_EXPORT_CLIENT : 0;
        bytes[AT_FLAGS] |= enet->from_client ? GODOT_MP_EXPORT_FROM_IT : 0;
        bytes[AT_FLAGS] |= enet->has_connect_data ? GODOT_MP_EXPORT_CONNECTED : 0;
        bytes[AT_FLAGS] |= enet->repeated ? GODOT_MP_EXPORT_REPEATED : 0;
        put_be32(bytes + AT_CONNECT_DATA, enet->connect_data);
        bytes[AT_CHANNEL] = enet->channel;
    }
    tvb_memcpy(message->tvb, bytes + GODOT_MP_EXPORT_HEADER, 0, length);
    length += GODOT_MP_EXPORT_HEADER;
    gw_export(tap, pinfo, GODOT_MP_EXPORT_DISSECTOR,
              tvb_new_child_real_data(message->tvb, bytes, length, (int)(length + cut)));
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static void add_header(tvbuff_t *tvb, proto_tree *parent)
{
    const struct {
        int hf, offset, length;
    } items[] = {
        { godot_mp_hf.exported_version, AT_VERSION, 1 },
        { godot_mp_hf.exported_transport, AT_TRANSPORT, 1 },
        { godot_mp_hf.exported_generation, AT_GENERATION, 1 },
        { godot_mp_hf.exported_client_known, AT_FLAGS, 1 },
        { godot_mp_hf.exported_from_client, AT_FLAGS, 1 },
        { godot_mp_hf.exported_has_connect_data, AT_FLAGS, 1 },
        { godot_mp_hf.exported_repeated, AT_FLAGS, 1 },
        { godot_mp_hf.exported_connection, AT_CONNECTION, 4 },
        { godot_mp_hf.exported_connect_data, AT_CONNECT_DATA, 4 },
        { godot_mp_hf.exported_channel, AT_CHANNEL, 1 },
    };
    proto_item *item = proto_tree_add_protocol_format(parent, proto_godot_mp, tvb, 0, GODOT_MP_EXPORT_HEADER,
                                                      "Godot Multiplayer, exported message");
    proto_tree *tree = proto_item_add_subtree(item, godot_mp_ett_protocol);
    for (size_t i = 0; i < array_length(items); i++)
        proto_tree_add_item(tree, items[i].hf, tvb, items[i].offset, items[i].length, ENC_BIG_ENDIAN);
}

bool godot_mp_read_exported(tvbuff_t *tvb, proto_tree *tree, godot_mp_carrier *carrier, enet_message *enet,
                            godot_mp_channel *channel)
{
    if (tvb_captured_length(tvb) <= GODOT_MP_EXPORT_HEADER || tvb_get_uint8(tvb, AT_VERSION) != GODOT_MP_EXPORT_VERSION)
        return false;
    uint8_t transport = tvb_get_uint8(tvb, AT_TRANSPORT), flags = tvb_get_uint8(tvb, AT_FLAGS);
    *enet = (enet_message){
        .connection = tvb_get_ntohl(tvb, AT_CONNECTION),
        .channel = tvb_get_uint8(tvb, AT_CHANNEL),
        .client_known = flags & GODOT_MP_EXPORT_CLIENT,
        .from_client = flags & GODOT_MP_EXPORT_FROM_IT,
        .has_connect_data = flags & GODOT_MP_EXPORT_CONNECTED,
        .connect_data = tvb_get_ntohl(tvb, AT_CONNECT_DATA),
        .repeated = flags & GODOT_MP_EXPORT_REPEATED,
        .wire_length = tvb_reported_length(tvb) - GODOT_MP_EXPORT_HEADER,
    };
    *channel = (godot_mp_channel){ .is_usual = true };
    uint8_t generation = tvb_get_uint8(tvb, AT_GENERATION);
    if (generation == GW_GODOT_3 || generation == GW_GODOT_4)
        carrier->generation = generation;
    carrier->enet = transport == GODOT_MP_ENET ? enet : NULL;
    carrier->channel = transport == GODOT_MP_WEBRTC ? channel : NULL;
    carrier->is_websocket = transport == GODOT_MP_WEBSOCKET;
    carrier->connection = enet->connection;
    add_header(tvb, tree);
    return true;
}
