/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes packets as the engine does, with the smallest sizes that hold their numbers.
 */
#include "godot_mp_writer.h"

#include <string.h>

#include <gamewire/bytes.h>

#define COMMAND_CALL          0
#define COMMAND_SIMPLIFY_PATH 1
#define COMMAND_CONFIRM_PATH  2
#define COMMAND_RAW           3
#define COMMAND_SPAWN         4
#define COMMAND_DESPAWN       5
#define COMMAND_SYNC          6
#define COMMAND_SYSTEM        7

void gw_godot_mp_write_path(gw_output *output, const char *path)
{
    gw_put_bytes(output, path, strlen(path) + 1);
}

/* ---- Godot 4 ------------------------------------------------------------------------------------------- */

/* Flag bits of the node id's size: a path requires the widest, for bit 31. */
static uint32_t node_size_bits(const gw_godot_mp_call *call)
{
    if (call->path || call->node > UINT16_MAX)
        return 2;
    return call->node > UINT8_MAX ? 1 : 0;
}

static void put_node(gw_output *output, uint32_t size_bits, uint32_t node)
{
    if (size_bits == 0)
        gw_put_u8(output, (uint8_t)node);
    else if (size_bits == 1)
        gw_put_le16(output, (uint16_t)node);
    else
        gw_put_le32(output, node);
}

void gw_godot_mp_write_call(gw_output *output, const gw_godot_mp_call *call)
{
    bool wide = call->method > UINT8_MAX;
    uint32_t size_bits = node_size_bits(call);
    uint32_t flags = size_bits << GW_GODOT_MP_NODE_SHIFT | (wide ? GW_GODOT_MP_METHOD_WIDE : 0) |
                     (call->bytes_only ? GW_GODOT_MP_BYTES_ONLY : 0);
    uint32_t head = 1 + 4 + (wide ? 2U : 1U) + (call->bytes_only ? 0U : 1U);
    gw_put_u8(output, (uint8_t)(COMMAND_CALL | flags));
    put_node(output, size_bits, call->path ? GW_GODOT_MP_BY_OFFSET | (head + call->values_length) : call->node);
    if (wide)
        gw_put_le16(output, call->method);
    else
        gw_put_u8(output, (uint8_t)call->method);
    if (!call->bytes_only)
        gw_put_u8(output, call->values);
}

static void put_compressed_int(gw_output *output, int64_t number)
{
    unsigned mode = number == (int8_t)number ? 0 : number == (int16_t)number ? 1 : number == (int32_t)number ? 2 : 3;
    gw_put_u8(output, (uint8_t)(GW_GODOT_INT | mode << 6));
    for (unsigned i = 0; i < 1U << mode; i++)
        gw_put_u8(output, (uint8_t)((uint64_t)number >> 8 * i));
}

void gw_godot_mp_write_value(gw_output *output, const uint8_t *variant, size_t length)
{
    uint32_t type = length ? variant[0] : (uint32_t)GW_GODOT_NIL;
    if (type == GW_GODOT_BOOL && length >= 8)
        gw_put_u8(output, (uint8_t)(GW_GODOT_BOOL | (gw_le32(variant + 4) ? 0x80U : 0U)));
    else if (type == GW_GODOT_INT && length >= 12)
        put_compressed_int(output, (int64_t)gw_le64(variant + 4));
    else if (type == GW_GODOT_INT && length >= 8)
        put_compressed_int(output, (int32_t)gw_le32(variant + 4));
    else
        gw_put_bytes(output, variant, length);
}

void gw_godot_mp_write_simplify_path(gw_output *output, const char checksum[GW_GODOT_MP_CHECKSUM], uint32_t id,
                                     const char *path)
{
    gw_put_u8(output, COMMAND_SIMPLIFY_PATH);
    gw_put_bytes(output, checksum, GW_GODOT_MP_CHECKSUM);
    gw_put_u8(output, 0);
    gw_put_le32(output, id);
    gw_godot_mp_write_path(output, path);
}

void gw_godot_mp_write_confirm_path(gw_output *output, bool same, uint32_t id)
{
    gw_put_u8(output, COMMAND_CONFIRM_PATH);
    gw_put_u8(output, same);
    gw_put_le32(output, id);
}

void gw_godot_mp_write_old_confirm_path(gw_output *output, bool same, const char *path)
{
    gw_put_u8(output, COMMAND_CONFIRM_PATH);
    gw_put_u8(output, same);
    gw_godot_mp_write_path(output, path);
}

void gw_godot_mp_write_raw(gw_output *output, const uint8_t *bytes, size_t length)
{
    gw_put_u8(output, COMMAND_RAW);
    gw_put_bytes(output, bytes, length);
}

/* The size of the custom data is written after the data. */
static void put_custom(gw_output *output, const gw_godot_mp_spawn *spawn)
{
    gw_output measured;
    gw_output_init(&measured, NULL, 0);
    gw_godot_mp_write_value(&measured, spawn->custom, spawn->custom_length);
    gw_put_le32(output, (uint32_t)measured.length);
    gw_godot_mp_write_value(output, spawn->custom, spawn->custom_length);
}

void gw_godot_mp_write_spawn(gw_output *output, const gw_godot_mp_spawn *spawn)
{
    gw_put_u8(output, COMMAND_SPAWN);
    gw_put_u8(output, spawn->scene);
    gw_put_le32(output, spawn->spawner);
    gw_put_le32(output, spawn->net_id);
    gw_put_le32(output, spawn->sync_count);
    gw_put_le32(output, (uint32_t)strlen(spawn->name) + 1);
    for (uint32_t i = 0; i < spawn->sync_count; i++)
        gw_put_le32(output, spawn->sync_ids[i]);
    gw_godot_mp_write_path(output, spawn->name);
    if (spawn->scene == GW_GODOT_MP_CUSTOM_SCENE)
        put_custom(output, spawn);
}

void gw_godot_mp_write_despawn(gw_output *output, uint32_t net_id)
{
    gw_put_u8(output, COMMAND_DESPAWN);
    gw_put_le32(output, net_id);
}

void gw_godot_mp_write_sync(gw_output *output, uint16_t time)
{
    gw_put_u8(output, COMMAND_SYNC);
    gw_put_le16(output, time);
}

void gw_godot_mp_write_delta(gw_output *output)
{
    gw_put_u8(output, COMMAND_SYNC | GW_GODOT_MP_DELTA);
}

void gw_godot_mp_write_update(gw_output *output, uint32_t net_id, const uint64_t *indexes, uint32_t size)
{
    gw_put_le32(output, net_id);
    if (indexes)
        gw_put_le64(output, *indexes);
    gw_put_le32(output, size);
}

void gw_godot_mp_write_system(gw_output *output, gw_godot_mp_system system, int32_t peer)
{
    gw_put_u8(output, COMMAND_SYSTEM);
    gw_put_u8(output, (uint8_t)system);
    if (system != GW_GODOT_MP_AUTH)
        gw_put_le32(output, (uint32_t)peer);
}

/* ---- Godot 3 ------------------------------------------------------------------------------------------- */

#define COMMAND_3_CALL          0
#define COMMAND_3_SET           1
#define COMMAND_3_SIMPLIFY_PATH 2
#define COMMAND_3_CONFIRM_PATH  3
#define COMMAND_3_RAW           4

void gw_godot_mp_write_head(gw_output *output, gw_godot_mp_form form, int32_t source, int32_t target)
{
    if (form != GW_GODOT_MP_3_ENET && form != GW_GODOT_MP_3_WEBSOCKET)
        return;
    if (form == GW_GODOT_MP_3_WEBSOCKET)
        gw_put_u8(output, GW_GODOT_MP_WEBSOCKET_NONE);
    gw_put_le32(output, (uint32_t)source);
    gw_put_le32(output, (uint32_t)target);
}

void gw_godot_mp_write_call_3(gw_output *output, const char *name, bool set, const gw_godot_mp_call *call)
{
    uint32_t head = 1 + 4 + (uint32_t)strlen(name) + 1 + (set ? 0U : 1U);
    gw_put_u8(output, set ? COMMAND_3_SET : COMMAND_3_CALL);
    gw_put_le32(output, call->path ? GW_GODOT_MP_BY_OFFSET | (head + call->values_length) : call->node);
    gw_godot_mp_write_path(output, name);
    if (!set)
        gw_put_u8(output, call->values);
}

void gw_godot_mp_write_simplify_path_3(gw_output *output, uint32_t id, const char *path)
{
    gw_put_u8(output, COMMAND_3_SIMPLIFY_PATH);
    gw_put_le32(output, id);
    gw_godot_mp_write_path(output, path);
}

void gw_godot_mp_write_confirm_path_3(gw_output *output, const char *path)
{
    gw_put_u8(output, COMMAND_3_CONFIRM_PATH);
    gw_godot_mp_write_path(output, path);
}

void gw_godot_mp_write_raw_3(gw_output *output, const uint8_t *bytes, size_t length)
{
    gw_put_u8(output, COMMAND_3_RAW);
    gw_put_bytes(output, bytes, length);
}
