/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Collects facts from events. Uses no state and no other messages.
 */
#include "internal.h"

#include "common/items.h"

#define FIRST_UPDATES 8U
/* Maximum length of a call's full path, which is extracted before the message is read to its end. */
#define PATH_LENGTH 1024U

/* The text in this range of the message, in packet scope. */
static const char *text_at(packet_info *pinfo, tvbuff_t *tvb, gw_span span)
{
    return gw_text_of(pinfo->pool, tvb, span);
}

/* Sets the full path of a call. It is after the arguments, at the offset that the node id contains, which the codec has
 * stored as arguments_end: it is extracted even if the arguments cannot be read. It is not set without a NUL within
 * PATH_LENGTH bytes: the capture may have cut it. */
static void add_path_of_call(godot_mp_facts *facts, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_mp_reader *reader)
{
    uint32_t offset = reader->packet.arguments_end;
    uint32_t length = reader->length;
    facts->is_by_path = true;
    const uint8_t *nul = offset < length ? memchr(reader->bytes + offset, 0, MIN(length - offset, PATH_LENGTH)) : NULL;
    if (nul)
        facts->path = text_at(pinfo, tvb, (gw_span){ offset, (uint32_t)(nul - reader->bytes) - offset });
}

/* Counts the type of a further value, and stores it if it is one of the first. */
static void add_type(godot_mp_types *types, uint8_t type)
{
    if (types->count < GODOT_MP_TYPES_KEPT)
        types->types[types->count] = type;
    types->count++;
}

/* Adds a field of an update, the last one; nothing outside of a sync. */
static void add_update_field(godot_mp_facts *facts, uint32_t role, int64_t number)
{
    if (!facts->update_count) /* not a sync, or before its first update */
        return;
    godot_mp_update *update = &facts->updates[facts->update_count - 1];
    update->roles |= UINT64_C(1) << role;
    if (role == GW_GODOT_MP_ROLE_NET_ID)
        update->net_id = (uint32_t)number;
    else if (role == GW_GODOT_MP_ROLE_SIZE)
        update->size = (uint32_t)number;
    else
        update->indexes = (uint64_t)number;
}

/* Adds a field of Godot 3's heads (ids of sender and target), of relays, or of messages about peers. */
static void add_peer_field(godot_mp_facts *facts, const gw_godot_mp_reader *reader, uint32_t role, int64_t number)
{
    int32_t id = (int32_t)number;
    switch (role) {
    case GW_GODOT_MP_ROLE_SOURCE:
        facts->has_head = true;
        facts->source = id;
        break;
    case GW_GODOT_MP_ROLE_TARGET:
        facts->target = id;
        break;
    case GW_GODOT_MP_ROLE_RELAY_PEER:
        facts->is_relayed = true;
        facts->relay_peer = id;
        break;
    case GW_GODOT_MP_ROLE_ASSIGNED:
        facts->assigned = id;
        facts->is_of_server = true;
        break;
    case GW_GODOT_MP_ROLE_PEER:
        facts->peer = id;
        /* Only a server sends that a peer joined or left, in both generations, and it relays no such message. */
        facts->is_of_server = !facts->is_relayed;
        /* Over WebSocket in Godot 3, this message has the id of its receiver. */
        if (reader->form == GW_GODOT_MP_3_WEBSOCKET && reader->head_type == GW_GODOT_MP_WEBSOCKET_ID)
            facts->assigned = id;
        break;
    case GW_GODOT_MP_ROLE_PEER_COMMAND:
        facts->peer_message = (uint32_t)number;
        break;
    case GW_GODOT_MP_ROLE_SUB_COMMAND:
        facts->system = (uint32_t)number;
        facts->is_of_authentication = number == GW_GODOT_MP_AUTH && !facts->is_relayed;
        break;
    default:
        break;
    }
}

/* Adds a field of a spawn or a sync; others are of heads. */
static void add_spawn_field(godot_mp_facts *facts, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_mp_reader *reader,
                            uint32_t role, const gw_godot_mp_field *field)
{
    switch (role) {
    case GW_GODOT_MP_ROLE_SCENE:
        facts->scene = (uint8_t)field->number;
        break;
    case GW_GODOT_MP_ROLE_SYNC_IDS:
        facts->sync_ids = field->span;
        facts->state.synchronizers = (uint32_t)field->number;
        break;
    case GW_GODOT_MP_ROLE_NAME:
        facts->name = text_at(pinfo, tvb, field->span);
        break;
    case GW_GODOT_MP_ROLE_TIME:
        facts->has_time = true;
        facts->time = (uint16_t)field->number;
        break;
    case GW_GODOT_MP_ROLE_NET_ID:
        facts->net_id = (uint32_t)field->number;
        facts->despawns = facts->command == GW_GODOT_MP_DESPAWN;
        add_update_field(facts, role, field->number);
        break;
    case GW_GODOT_MP_ROLE_INDEXES:
    case GW_GODOT_MP_ROLE_SIZE:
        add_update_field(facts, role, field->number);
        break;
    default:
        add_peer_field(facts, reader, role, field->number);
        break;
    }
}

/* Adds a field of a head: here those of calls and of paths with an id. */
static void add_field(godot_mp_facts *facts, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_mp_reader *reader,
                      uint32_t role, const gw_godot_mp_field *field)
{
    bool confirms = facts->command == GW_GODOT_MP_CONFIRM_PATH;
    facts->roles |= UINT64_C(1) << role;
    switch (role) {
    case GW_GODOT_MP_ROLE_NODE_ID:
    case GW_GODOT_MP_ROLE_PATH_ID:
    case GW_GODOT_MP_ROLE_SPAWNER:
        facts->has_path_id = true;
        facts->path_id = (uint32_t)field->number;
        if (role == GW_GODOT_MP_ROLE_PATH_ID)
            facts->confirms = confirms;
        if (role == GW_GODOT_MP_ROLE_NODE_ID && reader->packet.has_path)
            add_path_of_call(facts, pinfo, tvb, reader);
        break;
    case GW_GODOT_MP_ROLE_PATH: /* of a definition or confirmation */
        facts->path = text_at(pinfo, tvb, field->span);
        facts->defines = facts->command == GW_GODOT_MP_SIMPLIFY_PATH;
        facts->confirms = confirms;
        break;
    case GW_GODOT_MP_ROLE_METHOD_ID:
        facts->method_id = (uint32_t)field->number;
        break;
    case GW_GODOT_MP_ROLE_METHOD:
    case GW_GODOT_MP_ROLE_PROPERTY:
        facts->method = text_at(pinfo, tvb, field->span);
        break;
    case GW_GODOT_MP_ROLE_CONFIRMED:
        facts->differs = !field->number;
        break;
    case GW_GODOT_MP_ROLE_CHECKSUM_TEXT:
        facts->checksum = text_at(pinfo, tvb, field->span);
        break;
    default:
        add_spawn_field(facts, pinfo, tvb, reader, role, field);
        break;
    }
}

/* Adds a packet or an update, before the fields of its head. OPEN begins an update, to which all events up to its CLOSE
 * belong. The CLOSE, which has the final length, shows that it was read completely. */
static void add_item(godot_mp_facts *facts, packet_info *pinfo, const gw_godot_mp_event *event)
{
    bool is_open = event->kind == GW_OPEN;
    if (event->role == GW_GODOT_MP_ROLE_PACKET && is_open) {
        /* A relayed packet's facts replace those of the packet that relays it. */
        facts->roles = 0;
        facts->command = (uint8_t)event->number;
        facts->depth = event->depth;
        facts->offset = event->payload.offset;
    } else if (event->role == GW_GODOT_MP_ROLE_PACKET) {
        facts->spawns |= event->number == GW_GODOT_MP_SPAWN;
    } else if (is_open) {
        if (facts->update_count == facts->update_room) {
            facts->update_room = MAX(2 * facts->update_room, FIRST_UPDATES);
            facts->updates = wmem_realloc(pinfo->pool, facts->updates, facts->update_room * sizeof(godot_mp_update));
        }
        facts->updates[facts->update_count++] = (godot_mp_update){ .length = event->payload.length };
    } else {
        facts->updates[facts->update_count - 1].length = event->payload.length;
        facts->updates[facts->update_count - 1].is_whole = true;
    }
}

/* Adds the facts of an event and of the fields of its head. `reader->value` is still the summary of the event's
 * Variant. */
void godot_mp_facts_add(godot_mp_facts *facts, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_mp_reader *reader,
                        const gw_godot_mp_event *event)
{
    if (event->kind == GW_OPEN || event->kind == GW_CLOSE)
        add_item(facts, pinfo, event);
    facts->roles |= UINT64_C(1) << event->role;
    for (uint32_t i = 0; i < event->field_count; i++)
        add_field(facts, pinfo, tvb, reader, event->fields[i], &reader->fields[event->fields[i]]);
    if (event->type != GW_GODOT_TYPES && event->encoding == GW_GODOT_MP_PLAIN) /* an ordinary Variant */
        facts->values += reader->value.values;
    if (event->role == GW_GODOT_MP_ROLE_STATE)
        add_type(&facts->state.types, event->type);
    else if (event->role == GW_GODOT_MP_ROLE_VALUE && facts->update_count) /* not of a set */
        add_type(&facts->updates[facts->update_count - 1].types, event->type);
    else if (event->role == GW_GODOT_MP_ROLE_DATA)
        facts->data = event->payload;
}
