/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes packets of Godot's multiplayer as the engines do, for tests of their reader.
 */
#ifndef GAMEWIRE_TESTS_GODOT_MP_WRITER_H
#define GAMEWIRE_TESTS_GODOT_MP_WRITER_H

#include <gamewire/godot_mp.h>
#include <gamewire/output.h>

/* Godot 4. The beginning of a call; the caller then writes the values and, for a call by path, the path. */
typedef struct gw_godot_mp_call {
    uint32_t node;    /* path id; not used if `path` is set */
    const char *path; /* NULL: by id */
    uint16_t method;
    uint32_t values_length; /* bytes of all values, for the path's offset */
    uint8_t values;
    bool bytes_only;
} gw_godot_mp_call;

void gw_godot_mp_write_call(gw_output *output, const gw_godot_mp_call *call);
/* Text and NUL: the end of a call by path. */
void gw_godot_mp_write_path(gw_output *output, const char *path);
/* A value from the bytes of an ordinary Godot 4 Variant: bools and ints are compressed, others are not changed. */
void gw_godot_mp_write_value(gw_output *output, const uint8_t *variant, size_t length);
void gw_godot_mp_write_simplify_path(gw_output *output, const char checksum[GW_GODOT_MP_CHECKSUM], uint32_t id,
                                     const char *path);
void gw_godot_mp_write_confirm_path(gw_output *output, bool same, uint32_t id);
/* As 4.0 to 4.2 write it. */
void gw_godot_mp_write_old_confirm_path(gw_output *output, bool same, const char *path);
void gw_godot_mp_write_raw(gw_output *output, const uint8_t *bytes, size_t length);

typedef struct gw_godot_mp_spawn {
    uint8_t scene; /* GW_GODOT_MP_CUSTOM_SCENE: `custom` follows, a whole value */
    uint32_t spawner;
    uint32_t net_id;
    const uint32_t *sync_ids;
    uint32_t sync_count;
    const char *name;
    const uint8_t *custom; /* an ordinary Variant */
    size_t custom_length;
} gw_godot_mp_spawn;

/* The caller then writes the values of the state. */
void gw_godot_mp_write_spawn(gw_output *output, const gw_godot_mp_spawn *spawn);
void gw_godot_mp_write_despawn(gw_output *output, uint32_t net_id);
void gw_godot_mp_write_sync(gw_output *output, uint16_t time);
void gw_godot_mp_write_delta(gw_output *output);
/* The head of an update; the caller then writes `size` bytes of values. `indexes` is NULL except in a delta. */
void gw_godot_mp_write_update(gw_output *output, uint32_t net_id, const uint64_t *indexes, uint32_t size);
/* ADD_PEER, DELETE_PEER: the whole packet. The caller then writes the bytes of AUTH, or the packet in a RELAY. */
void gw_godot_mp_write_system(gw_output *output, gw_godot_mp_system system, int32_t peer);

/* Godot 3. Writes nothing unless `form` is that of ENet or WebSocket. */
void gw_godot_mp_write_head(gw_output *output, gw_godot_mp_form form, int32_t source, int32_t target);
/* The beginning of a call or, if `set`, of a set. The caller then writes the values (one for a set) and, for a call by
 * path, the path. */
void gw_godot_mp_write_call_3(gw_output *output, const char *name, bool set, const gw_godot_mp_call *call);
void gw_godot_mp_write_simplify_path_3(gw_output *output, uint32_t id, const char *path);
void gw_godot_mp_write_confirm_path_3(gw_output *output, const char *path);
void gw_godot_mp_write_raw_3(gw_output *output, const uint8_t *bytes, size_t length);

#endif
