/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Collects facts from events. Uses no state and no other messages.
 */
#include "internal.h"

#include "common/spans.h"

#define FIRST_UPDATES 8U
/* Maximum length of a call's full path, which is extracted before the message is read to its end. */
#define PATH_LENGTH 1024U

static const char *text_at(packet_info *pinfo, tvbuff_t *tvb, gw_span span)
{
    return gw_text_of(pinfo->pool, tvb, span);
}

/* ---- updates ------------------------------------------------------------------------------------------- */

static void open_update(godot_mp_facts *facts, packet_info *pinfo, const gw_godot_mp_event *event)
{
    if (facts->update_count == facts->update_room) {
        facts->update_room = MAX(2 * facts->update_room, FIRST_UPDATES);
        facts->updates = wmem_realloc(pinfo->pool, facts->updates, facts->update_room * sizeof(godot_mp_update));
    }
    facts->updates[facts->update_count++] = (godot_mp_update){ .length = event->payload.length };
}

static void add_update(godot_mp_facts *facts, packet_info *pinfo, const gw_godot_mp_event *event)
{
    if (event->kind == GW_OPEN) {
        open_update(facts, pinfo, event);
        return;
    }
    facts->updates[facts->update_count - 1].length = event->payload.length;
    facts->updates[facts->update_count - 1].is_whole = true;
}

static void add_net_id(godot_mp_facts *facts, uint32_t id)
{
    facts->net_id = id;
    facts->despawns = facts->command == GW_GODOT_MP_DESPAWN;
    if (facts->update_count)
        facts->updates[facts->update_count - 1].net_id = id;
}

/* ---- paths --------------------------------------------------------------------------------------------- */

/* The full path of a call is after its arguments; it is extracted even if they cannot be read. */
static void add_path_of_call(godot_mp_facts *facts, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_mp_reader *reader)
{
    uint32_t offset = reader->packet.arguments_end;
    uint32_t length = reader->length;
    facts->is_by_path = true;
    const uint8_t *nul = offset < length ? memchr(reader->bytes + offset, 0, MIN(length - offset, PATH_LENGTH)) : NULL;
    if (nul)
        facts->path = text_at(pinfo, tvb, (gw_span){ offset, (uint32_t)(nul - reader->bytes) - offset });
}

static void add_path(godot_mp_facts *facts, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_mp_event *event)
{
    if (facts->is_by_path)
        return;
    facts->path = text_at(pinfo, tvb, event->payload);
    facts->defines = facts->command == GW_GODOT_MP_SIMPLIFY_PATH;
    facts->confirms = facts->command == GW_GODOT_MP_CONFIRM_PATH;
}

static void add_path_id(godot_mp_facts *facts, const gw_godot_mp_event *event)
{
    facts->has_path_id = true;
    facts->path_id = (uint32_t)event->number;
    if (event->role == GW_GODOT_MP_ROLE_PATH_ID)
        facts->confirms = facts->command == GW_GODOT_MP_CONFIRM_PATH;
}

/* ---- peers --------------------------------------------------------------------------------------------- */

static void add_assigned(godot_mp_facts *facts, const gw_godot_mp_event *event)
{
    facts->assigned = (int32_t)event->number;
    facts->is_of_server = true;
}

/* Only a server sends that a peer joined or left, in both generations, and it relays no such message. */
static void add_peer(godot_mp_facts *facts, const gw_godot_mp_reader *reader, const gw_godot_mp_event *event)
{
    facts->is_of_server = !facts->is_relayed;
    if (reader->form == GW_GODOT_MP_3_WEBSOCKET && reader->head_type == GW_GODOT_MP_WEBSOCKET_ID)
        facts->assigned = (int32_t)event->number;
}

static void add_source(godot_mp_facts *facts, int32_t source)
{
    facts->has_head = true;
    facts->source = source;
}

static void add_relay(godot_mp_facts *facts, int32_t peer)
{
    facts->is_relayed = true;
    facts->relay_peer = peer;
}

/* ---- events -------------------------------------------------------------------------------------------- */

static void add_packet(godot_mp_facts *facts, const gw_godot_mp_event *event)
{
    if (event->kind == GW_OPEN) {
        facts->command = (uint8_t)event->number;
        facts->depth = event->depth;
        facts->offset = event->payload.offset;
    } else if (event->number == GW_GODOT_MP_SPAWN) {
        facts->spawns = true;
    }
}

static void add_time(godot_mp_facts *facts, uint16_t time)
{
    facts->has_time = true;
    facts->time = time;
}

static void add_type(godot_mp_types *types, uint8_t type)
{
    if (types->count < GODOT_MP_TYPES_KEPT)
        types->types[types->count] = type;
    types->count++;
}

static void add_value(godot_mp_facts *facts, const gw_godot_mp_reader *reader, const gw_godot_mp_event *event)
{
    if (event->role == GW_GODOT_MP_ROLE_STATE)
        add_type(&facts->state.types, event->type);
    if (event->role == GW_GODOT_MP_ROLE_VALUE && facts->update_count)
        add_type(&facts->updates[facts->update_count - 1].types, event->type);
    if (event->encoding != GW_GODOT_MP_PLAIN)
        return;
    facts->values += reader->value.values;
}

/* Heads, relays and messages about peers. */
static void add_of_peers(godot_mp_facts *facts, const gw_godot_mp_reader *reader, const gw_godot_mp_event *event)
{
    switch (event->role) {
    case GW_GODOT_MP_ROLE_SOURCE:
        add_source(facts, (int32_t)event->number);
        break;
    case GW_GODOT_MP_ROLE_TARGET:
        facts->target = (int32_t)event->number;
        break;
    case GW_GODOT_MP_ROLE_RELAY_PEER:
        add_relay(facts, (int32_t)event->number);
        break;
    case GW_GODOT_MP_ROLE_ASSIGNED:
        add_assigned(facts, event);
        break;
    case GW_GODOT_MP_ROLE_PEER:
        add_peer(facts, reader, event);
        break;
    case GW_GODOT_MP_ROLE_SUB_COMMAND:
        facts->is_of_authentication = event->number == GW_GODOT_MP_AUTH && !facts->is_relayed;
        break;
    default:
        break;
    }
}

/* Spawns and syncs. */
static void add_of_nodes(godot_mp_facts *facts, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_mp_event *event)
{
    switch (event->role) {
    case GW_GODOT_MP_ROLE_UPDATE:
        add_update(facts, pinfo, event);
        break;
    case GW_GODOT_MP_ROLE_SCENE:
        facts->scene = (uint8_t)event->number;
        break;
    case GW_GODOT_MP_ROLE_NET_ID:
        add_net_id(facts, (uint32_t)event->number);
        break;
    case GW_GODOT_MP_ROLE_SYNC_IDS:
        facts->sync_ids = event->payload;
        facts->state.synchronizers = (uint32_t)(event->payload.length / 4);
        break;
    case GW_GODOT_MP_ROLE_NAME:
        facts->name = text_at(pinfo, tvb, event->payload);
        break;
    case GW_GODOT_MP_ROLE_INDEXES:
        facts->updates[facts->update_count - 1].indexes = (uint64_t)event->number;
        break;
    case GW_GODOT_MP_ROLE_TIME:
        add_time(facts, (uint16_t)event->number);
        break;
    default:
        break;
    }
}

void godot_mp_facts_add(godot_mp_facts *facts, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_mp_reader *reader,
                        const gw_godot_mp_event *event)
{
    switch (event->role) {
    case GW_GODOT_MP_ROLE_PACKET:
        add_packet(facts, event);
        break;
    case GW_GODOT_MP_ROLE_NODE_ID:
        add_path_id(facts, event);
        if (reader->packet.has_path)
            add_path_of_call(facts, pinfo, tvb, reader);
        break;
    case GW_GODOT_MP_ROLE_PATH_ID:
    case GW_GODOT_MP_ROLE_SPAWNER:
        add_path_id(facts, event);
        break;
    case GW_GODOT_MP_ROLE_PATH:
        add_path(facts, pinfo, tvb, event);
        break;
    case GW_GODOT_MP_ROLE_METHOD_ID:
        facts->method_id = (uint32_t)event->number;
        break;
    case GW_GODOT_MP_ROLE_METHOD:
    case GW_GODOT_MP_ROLE_PROPERTY:
        facts->method = text_at(pinfo, tvb, event->payload);
        break;
    case GW_GODOT_MP_ROLE_CONFIRMED:
        facts->differs = !event->number;
        break;
    case GW_GODOT_MP_ROLE_CHECKSUM_TEXT:
        facts->checksum = text_at(pinfo, tvb, event->payload);
        break;
    case GW_GODOT_MP_ROLE_ARGUMENT:
    case GW_GODOT_MP_ROLE_STATE:
    case GW_GODOT_MP_ROLE_VALUE:
    case GW_GODOT_MP_ROLE_CUSTOM:
    case GW_GODOT_MP_ROLE_VARIANT:
        add_value(facts, reader, event);
        break;
    default:
        add_of_peers(facts, reader, event);
        add_of_nodes(facts, pinfo, tvb, event);
        break;
    }
}
