/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The pull reader: an interpreter of the lists of fields in tables.c.
 */
#include "internal.h"

#include <string.h>

_Static_assert(sizeof(gw_godot_mp_reader) <= 2048, "the reader lies on its caller's stack");

static const uint8_t no_fields[] = { GW_GODOT_MP_ROLE_NONE };
static const uint8_t path_alone[] = { GW_GODOT_MP_ROLE_PATH, GW_GODOT_MP_ROLE_NONE };

/* Values of half floats that are tried in a message, besides one for each byte. */
#define LEAST_TRIES 256U

/* ---- starting ------------------------------------------------------------------------------------------ */

/* Starts reading at options->offset, with the first fields of the form; NULL options: a packet of Godot 4, from the
 * first byte. An input that is empty or too long is a fault, which the first call of gw_godot_mp_next() returns.
 * `half_tries` limits the search for half floats in this message, which may be attempted for many combinations of
 * values. */
void gw_godot_mp_init(gw_godot_mp_reader *reader, const uint8_t *bytes, size_t length,
                      const gw_godot_mp_options *options)
{
    static const gw_godot_mp_options defaults = { .form = GW_GODOT_MP_4 };
    options = options ? options : &defaults;
    bool too_long = length > GW_LONGEST_INPUT;
    *reader = (gw_godot_mp_reader){ .bytes = bytes, .length = too_long ? 0 : (uint32_t)length };
    reader->offset = options->offset < reader->length ? options->offset : reader->length;
    reader->form = (uint8_t)options->form;
    reader->generation = (uint8_t)gw_godot_mp_generation(options->form);
    reader->levels = options->levels;
    reader->level_count = options->level_count;
    reader->find_duplicates = options->find_duplicates;
    reader->is_cut = options->is_cut;
    reader->half_tries = LEAST_TRIES + reader->length;
    reader->transport = options->transport;
    reader->packet.command = GW_GODOT_MP_UNKNOWN;
    /* Godot 3 over ENet: a message about a peer, which has no packet, is eight bytes long, a command and a peer id; one
     * with a packet has nine or more. */
    bool is_peer_message = options->form == GW_GODOT_MP_3_ENET && reader->length - reader->offset == 8;
    reader->scopes[0] =
        (gw_godot_mp_scope){ .fields = is_peer_message ? gw_godot_mp_peer_message : gw_godot_mp_head(options->form),
                             .start = reader->offset,
                             .end = reader->length };
    if (too_long)
        fail(reader, GW_GODOT_MP_FAULT_TOO_LONG, 0, 0);
    else if (reader->offset == reader->length)
        fail(reader, GW_GODOT_MP_FAULT_EMPTY, reader->offset, 1);
}

/* ---- items with children ------------------------------------------------------------------------------- */

/* Opens an item from the reader's offset to the end of the open one; `fields`: the list of its fields. */
static void open_item(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field, const uint8_t *fields)
{
    gw_godot_mp_scope *parent = innermost(reader);
    begin_event(reader, event, GW_OPEN, field, parent->end - reader->offset);
    event->index = parent->index++;
    reader->depth++;
    *innermost(reader) =
        (gw_godot_mp_scope){ .fields = fields, .start = reader->offset, .end = parent->end, .role = (uint8_t)field };
}

/* Opens a packet: the message itself, or one in a relay. Its command byte is read again as the first field. A sync of
 * Godot 4 above the engine's default limit of bytes is odd. */
static gw_next open_packet(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    if (reader->offset == innermost(reader)->end)
        return fail(reader, GW_GODOT_MP_FAULT_FIELD_TRUNCATED, reader->offset, 1);
    /* Each open packet is a relay around this one. */
    if (reader->depth > GW_GODOT_MP_RELAYS)
        return fail(reader, GW_GODOT_MP_FAULT_RELAY_TOO_DEEP, reader->offset, 0);
    innermost(reader)->fields++;
    open_item(reader, event, GW_GODOT_MP_ROLE_PACKET, gw_godot_mp_command_field);
    gw_godot_mp_scope *scope = innermost(reader);
    uint8_t byte = reader->bytes[reader->offset];
    scope->number = gw_godot_mp_command_of((gw_godot_generation)reader->generation, byte);
    event->number = scope->number;
    if (reader->generation == GW_GODOT_4 && scope->number == GW_GODOT_MP_SYNC &&
        scope->end - scope->start > (byte & GW_GODOT_MP_DELTA ? GW_GODOT_MP_DELTA_BYTES : GW_GODOT_MP_SYNC_BYTES))
        event->odd = GW_GODOT_MP_ODD_TOO_LARGE;
    reader->packet = (gw_godot_mp_packet){ .start = scope->start,
                                           .end = scope->end,
                                           .arguments_end = scope->end,
                                           .command = (uint8_t)scope->number,
                                           .byte = byte };
    return GW_NEXT_EVENT;
}

/* Opens an update of a sync: the values of one synchronizer. Its fields are read again by the next calls. */
static gw_next open_update(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    uint32_t left = innermost(reader)->end - reader->offset;
    open_item(reader, event, GW_GODOT_MP_ROLE_UPDATE,
              reader->packet.delta ? gw_godot_mp_delta_fields : gw_godot_mp_update_fields);
    /* The event's range ends where its size says, if the header was captured and the size fits. */
    uint32_t head = reader->packet.delta ? 16 : 8; /* net id, in a delta the index bits (u64), and size */
    uint32_t size = left < head ? 0 : gw_le32(reader->bytes + reader->offset + head - 4);
    event->payload.length = left < head || size > left - head ? left : head + size;
    event->padding.offset = gw_span_end(event->payload);
    event->number = left < 4 ? 0 : gw_le32(reader->bytes + reader->offset);
    return GW_NEXT_EVENT;
}

/* Closes the innermost item. In a delta, the number of its values must be the number of index bits. */
static gw_next close_item(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    const gw_godot_mp_scope *scope = innermost(reader); /* its members are not changed before the next item opens */
    bool is_delta = scope->role == GW_GODOT_MP_ROLE_UPDATE && reader->packet.delta;
    uint32_t index_bits = 0;
    reader->depth--;
    begin_event(reader, event, GW_CLOSE, scope->role, 0);
    event->header.offset = scope->start;
    event->payload = (gw_span){ scope->start, reader->offset - scope->start };
    event->index = innermost(reader)->index - 1; /* open_item() has counted it */
    event->number = scope->number;
    for (uint64_t bits = scope->indexes; is_delta && bits; bits &= bits - 1)
        index_bits++;
    if (is_delta && index_bits != scope->index) /* scope->index: the number of values */
        event->odd = GW_GODOT_MP_ODD_INDEXES;
    return GW_NEXT_EVENT;
}

/* Reads the bytes up to `end`, which are not part of any field. */
static gw_next read_trailing(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t end)
{
    begin_event(reader, event, GW_OPAQUE, GW_GODOT_MP_ROLE_TRAILING, end - reader->offset);
    event->odd = GW_GODOT_MP_ODD_TRAILING;
    reader->offset = end;
    return GW_NEXT_EVENT;
}

/* ---- effects of numbers -------------------------------------------------------------------------------- */

/* The number in the command byte from which the size of a node id follows in Godot 4: 1 << number bytes. */
static uint32_t node_id_shift(const gw_godot_mp_packet *packet)
{
    return (packet->byte & GW_GODOT_MP_NODE_MASK) >> GW_GODOT_MP_NODE_SHIFT;
}

/* Selects the fields after the command byte. A pending fault is returned by the next call, after this event. */
static void read_command(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    gw_godot_mp_packet *packet = &reader->packet;
    gw_godot_mp_command command = (gw_godot_mp_command)packet->command;
    bool is_godot_4 = reader->generation == GW_GODOT_4;
    const uint8_t *fields = gw_godot_mp_layout((gw_godot_generation)reader->generation, command, packet->byte);
    packet->delta = command == GW_GODOT_MP_SYNC && packet->byte & GW_GODOT_MP_DELTA;
    innermost(reader)->fields = fields ? fields : no_fields;
    /* SET has exactly one value, which is read as a list with a count. */
    innermost(reader)->left = command == GW_GODOT_MP_SET ? 1 : 0;
    if (!fields)
        reader->pending = GW_GODOT_MP_FAULT_COMMAND_UNKNOWN;
    else if (is_godot_4 && command == GW_GODOT_MP_CALL && node_id_shift(packet) == 3)
        reader->pending = GW_GODOT_MP_FAULT_ID_SIZE_UNKNOWN; /* ids have 1, 2 or 4 bytes */
    /* The bits of the byte that have a meaning for the command. */
    uint32_t known = GW_GODOT_MP_COMMAND_MASK;
    if (command == GW_GODOT_MP_CALL)
        known = ~GW_GODOT_MP_UNUSED_BITS;
    else if (command == GW_GODOT_MP_SYNC)
        known |= GW_GODOT_MP_DELTA;
    if (is_godot_4 && packet->byte & ~known)
        event->odd |= GW_GODOT_MP_ODD_FLAGS;
    if (command == GW_GODOT_MP_SYSTEM && reader->depth > 1) /* in a relay: engines do not relay system commands */
        event->odd |= GW_GODOT_MP_ODD_RELAY;
}

/* Applies the node id of a call. With the bit GW_GODOT_MP_BY_OFFSET it is the offset of a path, from the command byte,
 * at which the arguments end. */
static void read_node_id(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    gw_godot_mp_packet *packet = &reader->packet;
    uint32_t id = (uint32_t)event->number;
    if (event->payload.length < 4 || !(id & GW_GODOT_MP_BY_OFFSET)) {
        /* Four bytes are not odd: the engine also uses them for small ids if the call is sent to several peers and some
         * of them need the path (observed). */
        if (event->payload.length == 2 && id < 0x100)
            event->odd |= GW_GODOT_MP_ODD_WIDE;
        return;
    }
    packet->has_path = true;
    innermost(reader)->has_path = true;
    packet->arguments_end = packet->start + (id & ~GW_GODOT_MP_BY_OFFSET);
    /* The sum does not overflow: both numbers have 31 bits. */
    if (packet->arguments_end < gw_span_end(event->payload))
        reader->pending = GW_GODOT_MP_FAULT_OFFSET_INVALID;
}

/* True for a byte of a path: not a control character. */
static bool is_printable(uint8_t byte)
{
    return byte >= 0x20 && byte != 0x7F;
}

/* Applies the flag of a CONFIRM_PATH of Godot 4, after which Godot 4.0 to 4.2 send a path, and 4.3 and later an id.
 * Four bytes are a path only if they are three characters and a NUL: as an id, this would need six million paths. Fewer
 * bytes are no id, and a path if they end in a NUL; more than four are a path by their first character. */
static void read_confirmed(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    gw_godot_mp_scope *scope = innermost(reader);
    const uint8_t *rest = reader->bytes + reader->offset;
    const uint32_t length = scope->end - reader->offset;
    if (event->number > 1)
        event->odd |= GW_GODOT_MP_ODD_CONFIRMED;
    bool is_path = length && is_printable(rest[0]);
    if (length == 4)
        is_path = is_path && is_printable(rest[1]) && is_printable(rest[2]) && !rest[3];
    else if (length < 4)
        is_path = is_path && !rest[length - 1];
    if (!is_path)
        return;
    reader->packet.old_confirm = true;
    event->odd |= GW_GODOT_MP_ODD_OLD_CONFIRM;
    scope->fields = path_alone;
}

/* Applies a number of a head, the fields before the packet in Godot 3, or of a message about peers to the fields that
 * follow it. A type or peer command that is unknown sets a fault for the next call. Ids of peers are positive: others
 * are odd. */
static void read_head(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    uint32_t number = (uint32_t)event->number;
    switch (event->role) {
    case GW_GODOT_MP_ROLE_HEAD_TYPE:
        reader->head_type = (uint8_t)number;
        if (!gw_godot_mp_websocket_layout(number))
            reader->pending = GW_GODOT_MP_FAULT_HEAD_UNKNOWN;
        break;
    case GW_GODOT_MP_ROLE_PEER_COMMAND:
        if (number > 1)
            reader->pending = GW_GODOT_MP_FAULT_HEAD_UNKNOWN;
        break;
    case GW_GODOT_MP_ROLE_TARGET:
        /* The last field of the head; the type, its first one, selects what follows. */
        if (reader->form == GW_GODOT_MP_3_WEBSOCKET)
            innermost(reader)->fields = gw_godot_mp_websocket_layout(reader->head_type);
        break;
    case GW_GODOT_MP_ROLE_SOURCE:
    case GW_GODOT_MP_ROLE_PEER:
    case GW_GODOT_MP_ROLE_ASSIGNED:
        event->odd |= event->number > 0 ? 0 : (uint32_t)GW_GODOT_MP_ODD_PEER;
        break;
    default:
        break;
    }
}

/* Applies a number to the fields that follow it: their layout, counts and sizes, and where the open item ends. */
static void apply_number(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    gw_godot_mp_scope *scope = innermost(reader);
    uint32_t number = (uint32_t)event->number;
    switch (event->role) {
    case GW_GODOT_MP_ROLE_COMMAND:
        read_command(reader, event);
        break;
    case GW_GODOT_MP_ROLE_NODE_ID:
        read_node_id(reader, event);
        break;
    case GW_GODOT_MP_ROLE_METHOD_ID:
        event->odd |= event->payload.length == 2 && number < 0x100 ? (uint32_t)GW_GODOT_MP_ODD_WIDE : 0;
        break;
    case GW_GODOT_MP_ROLE_ARGUMENT_COUNT:
        scope->left = number;
        break;
    case GW_GODOT_MP_ROLE_CONFIRMED:
        read_confirmed(reader, event);
        break;
    case GW_GODOT_MP_ROLE_SCENE:
        reader->packet.scene = (uint8_t)number;
        break;
    case GW_GODOT_MP_ROLE_SYNC_COUNT:
        reader->packet.sync_count = number;
        break;
    case GW_GODOT_MP_ROLE_NAME_LENGTH:
        reader->packet.name_length = number;
        break;
    case GW_GODOT_MP_ROLE_CUSTOM_SIZE:
        reader->packet.custom_size = number;
        break;
    case GW_GODOT_MP_ROLE_NET_ID:
        if (scope->role == GW_GODOT_MP_ROLE_UPDATE) /* the number of the update's CLOSE event */
            scope->number = number;
        break;
    case GW_GODOT_MP_ROLE_INDEXES:
        scope->indexes = (uint64_t)event->number;
        break;
    case GW_GODOT_MP_ROLE_SIZE:
        /* The values, and the update with them, end after this number of bytes. */
        if (number > scope->end - reader->offset)
            fail(reader, GW_GODOT_MP_FAULT_UPDATE_TRUNCATED, reader->offset,
                 (uint64_t)number - (scope->end - reader->offset));
        else
            scope->end = reader->offset + number;
        break;
    case GW_GODOT_MP_ROLE_SUB_COMMAND:
        reader->packet.system = (uint8_t)number;
        scope->fields = gw_godot_mp_system_layout(number);
        if (!scope->fields) {
            scope->fields = no_fields;
            reader->pending = GW_GODOT_MP_FAULT_SYSTEM_UNKNOWN;
        }
        break;
    default:
        read_head(reader, event);
        break;
    }
}

/* ---- numbers and texts --------------------------------------------------------------------------------- */

/* Reads a number and applies it. It has four bytes unless its shape has another size; node ids of Godot 3 have four. */
static gw_next read_number(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field)
{
    gw_godot_mp_scope *scope = innermost(reader);
    uint32_t shape = gw_godot_mp_shapes[field];
    uint32_t left = scope->end - reader->offset, size = 4;
    if (shape == SHAPE_U8)
        size = 1;
    else if (shape == SHAPE_U16)
        size = 2;
    else if (shape == SHAPE_U64)
        size = 8;
    else if (shape == SHAPE_NODE_ID && reader->generation == GW_GODOT_4)
        size = 1U << node_id_shift(&reader->packet);
    else if (shape == SHAPE_METHOD_ID)
        size = reader->packet.byte & GW_GODOT_MP_METHOD_WIDE ? 2 : 1;
    if (left < size)
        return fail(reader, GW_GODOT_MP_FAULT_FIELD_TRUNCATED, reader->offset, size - left);
    const uint8_t *bytes = reader->bytes + reader->offset;
    begin_event(reader, event, GW_VALUE, field, size);
    event->number = size == 8   ? (int64_t)gw_le64(bytes)
                    : size == 4 ? gw_le32(bytes)
                    : size == 2 ? gw_le16(bytes)
                                : *bytes;
    if (shape == SHAPE_I32)
        event->number = (int32_t)event->number;
    scope->fields++;
    reader->offset += size;
    apply_number(reader, event);
    return GW_NEXT_EVENT;
}

/* The oddity of a text that is not UTF-8; else 0. */
static uint32_t odd_text(const uint8_t *text, uint32_t length)
{
    return gw_utf8_prefix(text, length) == length ? 0 : GW_GODOT_MP_ODD_UTF8;
}

/* Completes the event of a text of `length` bytes and a NUL, which the caller has found in the open item. */
static gw_next finish_text(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field, uint32_t length)
{
    innermost(reader)->fields++;
    begin_event(reader, event, GW_VALUE, field, length);
    event->padding.length = 1;
    event->odd = odd_text(reader->bytes + reader->offset, length);
    reader->offset += length + 1;
    return GW_NEXT_EVENT;
}

/* Reads a text that ends with a NUL within the open item. */
static gw_next read_string(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field)
{
    const uint8_t *text = reader->bytes + reader->offset;
    uint32_t left = innermost(reader)->end - reader->offset;
    const uint8_t *nul = left ? memchr(text, 0, left) : NULL;
    if (!nul)
        return fail(reader, GW_GODOT_MP_FAULT_TEXT_TRUNCATED, reader->offset, 1);
    return finish_text(reader, event, field, (uint32_t)(nul - text));
}

/* Reads a checksum of 32 digits and a NUL; other characters are an oddity. */
static gw_next read_checksum(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    uint32_t size = GW_GODOT_MP_CHECKSUM + 1;
    uint32_t left = innermost(reader)->end - reader->offset;
    if (left < size)
        return fail(reader, GW_GODOT_MP_FAULT_CHECKSUM_TRUNCATED, reader->offset, size - left);
    const uint8_t *text = reader->bytes + reader->offset;
    bool is_digest = !text[GW_GODOT_MP_CHECKSUM];
    for (uint32_t i = 0; is_digest && i < GW_GODOT_MP_CHECKSUM; i++)
        is_digest = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    finish_text(reader, event, GW_GODOT_MP_ROLE_CHECKSUM_TEXT, size - 1);
    event->odd |= is_digest ? 0 : GW_GODOT_MP_ODD_CHECKSUM;
    return GW_NEXT_EVENT;
}

/* Reads the name of a spawned node, whose length is in NAME_LENGTH and includes the NUL. */
static gw_next read_name(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    uint32_t length = reader->packet.name_length;
    const uint8_t *name = reader->bytes + reader->offset;
    uint32_t left = innermost(reader)->end - reader->offset;
    if (length > left)
        return fail(reader, GW_GODOT_MP_FAULT_NAME_TRUNCATED, reader->offset, (uint64_t)length - left);
    /* Engines write one character or more, and one NUL, at the end. */
    bool is_usual = length > 1 && memchr(name, 0, length) == name + length - 1;
    bool has_nul = length && !name[length - 1];
    begin_event(reader, event, GW_VALUE, GW_GODOT_MP_ROLE_NAME, length - has_nul);
    event->padding.length = has_nul;
    event->odd = odd_text(name, length - has_nul) | (is_usual ? 0 : (uint32_t)GW_GODOT_MP_ODD_NAME);
    reader->offset += length;
    /* The next fields are CUSTOM_SIZE and CUSTOM, which only a custom scene has. */
    innermost(reader)->fields += reader->packet.scene == GW_GODOT_MP_CUSTOM_SCENE ? 1 : 3;
    return GW_NEXT_EVENT;
}

/* Reads the net ids of a spawn, whose number is in SYNC_COUNT, as one packed event. */
static gw_next read_ids(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    uint32_t count = reader->packet.sync_count;
    uint32_t left = innermost(reader)->end - reader->offset;
    if (count > left / 4) {
        /* The engine compares the sum of both lengths, in 32 bits, with the bytes that are left
         * (modules/multiplayer/scene_replication_interface.cpp, on_spawn_receive): a count from 2^30 on may pass. A
         * Godot 4.6.3 that received such a count ended with a segmentation fault. */
        bool is_rejected = reader->packet.name_length + count * 4U > left;
        return fail(reader, is_rejected ? GW_GODOT_MP_FAULT_IDS_TRUNCATED : GW_GODOT_MP_FAULT_IDS_OVERFLOW,
                    reader->offset, (uint64_t)count * 4 - left);
    }
    begin_event(reader, event, GW_PACKED, GW_GODOT_MP_ROLE_SYNC_IDS, count * 4);
    event->number = count;
    innermost(reader)->fields++;
    reader->offset += count * 4;
    return GW_NEXT_EVENT;
}

/* ---- reading fields ------------------------------------------------------------------------------------ */

/* True if there are no bytes for the next field, so that it has no event: a list of values, updates or ids that is
 * complete or empty, or the rest of the item. All other fields are required: if there are no bytes for them, reading
 * them returns a fault. */
static bool is_over(const gw_godot_mp_reader *reader, const gw_godot_mp_scope *scope)
{
    uint32_t field = *scope->fields;
    switch (gw_godot_mp_shapes[field]) {
    case SHAPE_COUNTED:
        return !scope->left;
    case SHAPE_VALUES:
        /* The value of SET is required: without bytes, reading it returns a fault. */
        return reader->packet.command != GW_GODOT_MP_SET && reader->offset >= values_end(reader, scope);
    case SHAPE_REST:
    case SHAPE_UPDATES:
        return reader->offset >= values_end(reader, scope);
    case SHAPE_IDS:
        return !reader->packet.sync_count;
    default:
        return false;
    }
}

/* Reads the next field of the innermost item; is_over() is false for it. */
static gw_next read_field(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    gw_godot_mp_scope *scope = innermost(reader);
    uint32_t field = *scope->fields, end;
    switch (gw_godot_mp_shapes[field]) {
    case SHAPE_STRING:
        return read_string(reader, event, field);
    case SHAPE_CHECKSUM:
        return read_checksum(reader, event);
    case SHAPE_NAME:
        return read_name(reader, event);
    case SHAPE_IDS:
        return read_ids(reader, event);
    case SHAPE_VALUE: /* CUSTOM: no other field in the lists has this shape */
        return gw_godot_mp_read_custom(reader, event);
    case SHAPE_COUNTED:
        return gw_godot_mp_read_counted(reader, event, field);
    case SHAPE_VALUES:
        if (reader->packet.command == GW_GODOT_MP_SET)
            return gw_godot_mp_read_counted(reader, event, field);
        return gw_godot_mp_read_value(reader, event, field);
    case SHAPE_REST:
        scope->fields++;
        end = values_end(reader, scope);
        begin_event(reader, event, GW_VALUE, field, end - reader->offset);
        reader->offset = end;
        return GW_NEXT_EVENT;
    case SHAPE_PACKET:
        if (!gw_godot_mp_is_variant(reader))
            return open_packet(reader, event);
        scope->fields++;
        return gw_godot_mp_read_value(reader, event, GW_GODOT_MP_ROLE_VARIANT);
    case SHAPE_UPDATES:
        return open_update(reader, event);
    default:
        return read_number(reader, event, field);
    }
}

/* Reads the next field, or closes the innermost item at its end; fields that have no bytes are skipped. After the
 * fields of a call the path of its node may follow. Bytes after the last field are an event of their own. */
gw_next gw_godot_mp_next(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    if (reader->fault.fault_class != GW_FAULT_NONE)
        return GW_NEXT_FAULT;
    if (reader->pending) /* because of a number in an earlier event */
        return fail(reader, reader->pending, reader->offset, 0);
    gw_godot_mp_scope *scope = innermost(reader);
    while (*scope->fields && is_over(reader, scope))
        scope->fields++;
    if (*scope->fields)
        return read_field(reader, event);
    if (scope->has_path) {
        /* The path of a call is at the offset in its node id, regardless of the length of the arguments. */
        uint32_t start = reader->packet.arguments_end;
        if (start >= scope->end)
            return fail(reader, GW_GODOT_MP_FAULT_TEXT_TRUNCATED, reader->offset, (uint64_t)start + 1 - scope->end);
        if (reader->offset > start)
            return fail(reader, GW_GODOT_MP_FAULT_OFFSET_INVALID, start, 0);
        if (reader->offset < start)
            return read_trailing(reader, event, start);
        scope->fields = path_alone;
        scope->has_path = false;
        return read_string(reader, event, GW_GODOT_MP_ROLE_PATH);
    }
    if (reader->offset < scope->end)
        return read_trailing(reader, event, scope->end);
    return reader->depth ? close_item(reader, event) : GW_NEXT_END;
}
