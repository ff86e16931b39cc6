/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The pull reader: an interpreter of the lists of fields in tables.c.
 */
#include <gamewire/bytes.h>

#include <string.h>

#include "internal.h"

_Static_assert(sizeof(gw_godot_mp_reader) <= 2048, "the reader lies on its caller's stack");

/* Offsets in a spawn, after u8 command, u8 scene, u32 spawner and u32 net id. */
#define SYNC_COUNT_AT  10U
#define NAME_LENGTH_AT 14U

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
    memset(reader, 0, offsetof(gw_godot_mp_reader, fields)); /* fields and scopes are set before they are used */
    reader->bytes = bytes;
    reader->length = too_long ? 0 : (uint32_t)length;
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
    reader->scopes[0] = (gw_godot_mp_scope){ .start = reader->offset, .end = reader->length };
    if (too_long)
        fail(reader, GW_GODOT_MP_FAULT_TOO_LONG, 0, 0);
    else if (reader->offset == reader->length)
        fail(reader, GW_GODOT_MP_FAULT_EMPTY, reader->offset, 1);
    else
        reader->scopes[0].fields =
            gw_godot_mp_head(options->form, bytes + reader->offset, reader->length - reader->offset, &reader->pending);
}

/* ---- the fields of a head ------------------------------------------------------------------------------ */

/* The exponent of the size of a node id, 1 << exponent bytes, in a command byte of Godot 4. */
static uint32_t node_id_shift(uint8_t byte)
{
    return (byte & GW_GODOT_MP_NODE_MASK) >> GW_GODOT_MP_NODE_SHIFT;
}

/* The size of the field at `offset`, of which there are bytes up to `end`; `head`: the offset of its head, from whose first
 * fields some sizes follow. It may be more than these bytes: of a text without a NUL by one. */
static uint64_t size_of(const gw_godot_mp_reader *reader, uint32_t role, uint32_t head, uint32_t offset, uint32_t end)
{
    const gw_godot_mp_row *row = &gw_godot_mp_rows[role];
    const uint8_t *bytes = reader->bytes + head, *text = reader->bytes + offset, *nul;
    if (row->size)
        return row->size;
    switch (row->shape) {
    case SHAPE_NODE_ID:
        return reader->generation == GW_GODOT_4 ? 1U << node_id_shift(*bytes) : 4;
    case SHAPE_METHOD_ID:
        return *bytes & GW_GODOT_MP_METHOD_WIDE ? 2 : 1;
    case SHAPE_IDS:
        return (uint64_t)4 * gw_le32(bytes + SYNC_COUNT_AT);
    case SHAPE_NAME:
        return gw_le32(bytes + NAME_LENGTH_AT);
    default: /* SHAPE_STRING */
        nul = offset < end ? memchr(text, 0, end - offset) : NULL;
        return nul ? (uint64_t)(nul - text) + 1 : (uint64_t)(end - offset) + 1;
    }
}

/* The fault of a field that is longer than the `left` bytes. */
static gw_godot_mp_fault fault_of_field(const gw_godot_mp_reader *reader, uint32_t role, uint32_t left)
{
    uint32_t both;
    switch (gw_godot_mp_rows[role].shape) {
    case SHAPE_STRING:
        return GW_GODOT_MP_FAULT_TEXT_TRUNCATED;
    case SHAPE_CHECKSUM:
        return GW_GODOT_MP_FAULT_CHECKSUM_TRUNCATED;
    case SHAPE_NAME:
        return GW_GODOT_MP_FAULT_NAME_TRUNCATED;
    case SHAPE_IDS:
        /* The engine compares the sum of both lengths, in 32 bits, with the bytes that are left
         * (modules/multiplayer/scene_replication_interface.cpp, on_spawn_receive): a count from 2^30 on may pass. A
         * Godot 4.6.3 that received such a count ended with a segmentation fault. */
        both = (uint32_t)reader->fields[GW_GODOT_MP_ROLE_NAME_LENGTH].number +
               (uint32_t)reader->fields[GW_GODOT_MP_ROLE_SYNC_COUNT].number * 4U;
        return both > left ? GW_GODOT_MP_FAULT_IDS_TRUNCATED : GW_GODOT_MP_FAULT_IDS_OVERFLOW;
    default:
        return GW_GODOT_MP_FAULT_FIELD_TRUNCATED;
    }
}

/* The field in these bytes, all of which the input has. The span of a text is without its NUL, which a name may lack. */
static inline gw_godot_mp_field field_at(const gw_godot_mp_reader *reader, uint32_t role, uint32_t offset,
                                         uint32_t size)
{
    const uint32_t shape = gw_godot_mp_rows[role].shape;
    const uint8_t *bytes = reader->bytes + offset;
    bool has_nul = shape == SHAPE_STRING || shape == SHAPE_CHECKSUM;
    if (shape <= SHAPE_METHOD_ID) {
        int64_t number = size == 4   ? gw_le32(bytes)
                         : size == 1 ? *bytes
                         : size == 2 ? gw_le16(bytes)
                                     : (int64_t)gw_le64(bytes);
        return (gw_godot_mp_field){ { offset, size }, shape == SHAPE_SIGNED ? (int32_t)number : number };
    }
    if (shape == SHAPE_NAME)
        has_nul = size && !bytes[size - 1];
    return (gw_godot_mp_field){ { offset, size - has_nul }, shape == SHAPE_IDS ? size / 4 : 0 };
}

/* ---- their oddities ------------------------------------------------------------------------------------ */

/* The oddities of a command byte: bits that have no meaning for the command; a system command in a relay (`depth` of the
 * packet), which engines do not send. */
static uint32_t odd_command(const gw_godot_mp_reader *reader, uint8_t byte, uint8_t depth)
{
    gw_godot_mp_command command = gw_godot_mp_command_of((gw_godot_generation)reader->generation, byte);
    uint32_t known = GW_GODOT_MP_COMMAND_MASK, odd = 0;
    if (command == GW_GODOT_MP_CALL)
        known = ~GW_GODOT_MP_UNUSED_BITS;
    else if (command == GW_GODOT_MP_SYNC)
        known |= GW_GODOT_MP_DELTA;
    if (reader->generation == GW_GODOT_4 && byte & ~known)
        odd |= GW_GODOT_MP_ODD_FLAGS;
    if (command == GW_GODOT_MP_SYSTEM && depth)
        odd |= GW_GODOT_MP_ODD_RELAY;
    return odd;
}

/* The oddities of a text: not UTF-8; a checksum of other characters than 32 digits; a name that is not one character or
 * more and one NUL, at the end, as engines write it. The NUL is the byte after the text. */
static uint32_t odd_text(uint32_t role, const uint8_t *text, uint32_t length)
{
    uint32_t odd = gw_utf8_prefix(text, length) == length ? 0 : GW_GODOT_MP_ODD_UTF8;
    if (role == GW_GODOT_MP_ROLE_CHECKSUM_TEXT) {
        bool is_digest = !text[length];
        for (uint32_t i = 0; is_digest && i < length; i++)
            is_digest = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
        odd |= is_digest ? 0 : GW_GODOT_MP_ODD_CHECKSUM;
    }
    return odd;
}

/* The oddities of a field in the head of an event. */
static uint32_t odd_field(const gw_godot_mp_reader *reader, const gw_godot_mp_event *head, uint32_t role,
                          const gw_godot_mp_field *field)
{
    const uint8_t *bytes = reader->bytes + field->span.offset;
    const uint32_t length = field->span.length;
    uint32_t odd = 0;
    switch (role) {
    case GW_GODOT_MP_ROLE_COMMAND:
        return odd_command(reader, *bytes, head->depth);
    case GW_GODOT_MP_ROLE_NODE_ID:
        /* Four bytes are not odd: the engine also uses them for small ids if the call is sent to several peers and some
         * of them need the path (observed). */
    case GW_GODOT_MP_ROLE_METHOD_ID:
        return length == 2 && field->number < 0x100 ? GW_GODOT_MP_ODD_WIDE : 0;
    case GW_GODOT_MP_ROLE_CONFIRMED:
        odd = head->fields == gw_godot_mp_old_confirmation ? GW_GODOT_MP_ODD_OLD_CONFIRM : 0;
        return odd | (field->number > 1 ? (uint32_t)GW_GODOT_MP_ODD_CONFIRMED : 0);
    case GW_GODOT_MP_ROLE_SOURCE:
    case GW_GODOT_MP_ROLE_PEER:
    case GW_GODOT_MP_ROLE_ASSIGNED: /* ids of peers are positive */
        return field->number > 0 ? 0 : GW_GODOT_MP_ODD_PEER;
    case GW_GODOT_MP_ROLE_NAME: {
        /* One character or more, and one NUL, at the end. */
        const uint32_t size = gw_le32(reader->bytes + head->header.offset + NAME_LENGTH_AT);
        bool is_usual = size > 1 && memchr(bytes, 0, size) == bytes + size - 1;
        return odd_text(role, bytes, length) | (is_usual ? 0 : (uint32_t)GW_GODOT_MP_ODD_NAME);
    }
    case GW_GODOT_MP_ROLE_METHOD:
    case GW_GODOT_MP_ROLE_PROPERTY:
    case GW_GODOT_MP_ROLE_PATH:
    case GW_GODOT_MP_ROLE_CHECKSUM_TEXT:
        return odd_text(role, bytes, length);
    default:
        return 0;
    }
}

/* ---- heads --------------------------------------------------------------------------------------------- */

/* Applies the node id of a call, which is the last field that was read. With the bit GW_GODOT_MP_BY_OFFSET it is the
 * offset of a path, from the command byte, at which the arguments end. */
static void apply_node_id(gw_godot_mp_reader *reader, const gw_godot_mp_field *field)
{
    gw_godot_mp_packet *packet = &reader->packet;
    uint32_t id = (uint32_t)field->number;
    if (field->span.length < 4 || !(id & GW_GODOT_MP_BY_OFFSET))
        return;
    packet->has_path = true;
    innermost(reader)->has_path = true;
    packet->arguments_end = packet->start + (id & ~GW_GODOT_MP_BY_OFFSET);
    /* The sum does not overflow: both numbers have 31 bits. */
    if (packet->arguments_end < reader->offset)
        fail(reader, GW_GODOT_MP_FAULT_OFFSET_INVALID, reader->offset, 0);
}

/* Applies the field that was read last to what follows: counts and sizes, and where the open item ends. */
static void apply_field(gw_godot_mp_reader *reader, uint32_t role, const gw_godot_mp_field *field)
{
    gw_godot_mp_scope *scope = innermost(reader);
    const uint32_t number = (uint32_t)field->number, left = scope->end - reader->offset;
    switch (role) {
    case GW_GODOT_MP_ROLE_HEAD_TYPE:
        reader->head_type = (uint8_t)number;
        break;
    case GW_GODOT_MP_ROLE_SUB_COMMAND:
        reader->packet.system = (uint8_t)number;
        break;
    case GW_GODOT_MP_ROLE_NODE_ID:
        apply_node_id(reader, field);
        break;
    case GW_GODOT_MP_ROLE_ARGUMENT_COUNT:
        scope->left = number;
        break;
    default: /* GW_GODOT_MP_ROLE_SIZE: the values, and the update with them, end after this number of bytes */
        if (number > left)
            fail(reader, GW_GODOT_MP_FAULT_UPDATE_TRUNCATED, reader->offset, (uint64_t)number - left);
        else
            scope->end = reader->offset + number;
        break;
    }
}

/* Reads the head of an event: the fields at the beginning of the innermost item that have no events of their own. If one
 * of them cannot be read, or the fields after the head, the event has those before it, and the fault is set. */
static void read_head(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    gw_godot_mp_scope *scope = innermost(reader);
    const uint32_t head = reader->offset;
    const uint8_t *fields = scope->fields;
    event->fields = fields;
    event->header.offset = head;
    for (; gw_godot_mp_rows[*fields].shape >= SHAPE_NUMBER && reader->fault.fault_class == GW_FAULT_NONE; fields++) {
        const gw_godot_mp_row *row = &gw_godot_mp_rows[*fields];
        const uint32_t offset = reader->offset, left = scope->end - offset;
        const uint64_t size = row->size ? row->size : size_of(reader, *fields, head, offset, scope->end);
        if (size > left) {
            fail(reader, fault_of_field(reader, *fields, left), offset, size - left);
            break;
        }
        gw_godot_mp_field *field = &reader->fields[*fields];
        *field = field_at(reader, *fields, offset, (uint32_t)size);
        if (row->uses & GW_GODOT_MP_MAY_BE_ODD)
            event->odd |= odd_field(reader, event, *fields, field);
        reader->offset = offset + (uint32_t)size;
        if (row->uses & GW_GODOT_MP_IS_APPLIED)
            apply_field(reader, *fields, field);
    }
    event->field_count = (uint8_t)(fields - scope->fields);
    event->header.length = reader->offset - head;
    scope->fields = fields;
    if (reader->pending && reader->fault.fault_class == GW_FAULT_NONE)
        fail(reader, reader->pending, reader->offset, 0);
    reader->pending = GW_GODOT_MP_FAULT_NONE;
}

/* Replaces `part` by the field after it, or by the first one of the event's head if it is zero. Each field begins at the
 * end of the one before, and its size follows from the head's bytes. */
bool gw_godot_mp_next_part(const gw_godot_mp_reader *reader, const gw_godot_mp_event *event, gw_godot_mp_event *part)
{
    const uint32_t head = event->header.offset;
    const uint32_t index = part->role ? part->index + 1 : 0;
    const uint32_t offset = part->role ? gw_span_end(part->padding) : head;
    if (index == event->field_count)
        return false;
    const uint32_t role = event->fields[index];
    const uint32_t size = (uint32_t)size_of(reader, role, head, offset, gw_span_end(event->header));
    const gw_godot_mp_field field = field_at(reader, role, offset, size);
    *part = (gw_godot_mp_event){
        .kind = role == GW_GODOT_MP_ROLE_SYNC_IDS ? GW_PACKED : GW_VALUE,
        .role = (uint8_t)role,
        .type = GW_GODOT_TYPES,
        .depth = (uint8_t)(event->depth + (event->kind == GW_OPEN)),
        .index = index,
        .odd = event->odd ? odd_field(reader, event, role, &field) : 0,
        .header = { offset, 0 },
        .payload = field.span,
        .padding = { gw_span_end(field.span), size - field.span.length },
        .number = field.number,
    };
    return true;
}

/* ---- items with children ------------------------------------------------------------------------------- */

/* Opens an item from the reader's offset to the end of the open one; `fields`: the list of its fields. */
static void open_item(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t role, const uint8_t *fields)
{
    gw_godot_mp_scope *parent = innermost(reader);
    begin_event(reader, event, GW_OPEN, role, parent->end - reader->offset);
    event->index = parent->index++;
    reader->depth++;
    *innermost(reader) =
        (gw_godot_mp_scope){ .fields = fields, .start = reader->offset, .end = parent->end, .role = (uint8_t)role };
}

/* Opens a packet, the message itself or one in a relay, and reads its head. A sync of Godot 4 above the engine's default
 * limit of bytes is odd. */
static gw_next open_packet(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    const gw_godot_generation generation = (gw_godot_generation)reader->generation;
    const uint8_t *bytes = reader->bytes + reader->offset;
    const uint32_t length = innermost(reader)->end - reader->offset;
    if (!length)
        return fail(reader, GW_GODOT_MP_FAULT_FIELD_TRUNCATED, reader->offset, 1);
    /* Each open packet is a relay around this one. */
    if (reader->depth > GW_GODOT_MP_RELAYS)
        return fail(reader, GW_GODOT_MP_FAULT_RELAY_TOO_DEEP, reader->offset, 0);
    innermost(reader)->fields++;
    open_item(reader, event, GW_GODOT_MP_ROLE_PACKET, gw_godot_mp_layout(generation, bytes, length, &reader->pending));
    const gw_godot_mp_command command = gw_godot_mp_command_of(generation, *bytes);
    gw_godot_mp_scope *scope = innermost(reader);
    bool is_delta = command == GW_GODOT_MP_SYNC && *bytes & GW_GODOT_MP_DELTA;
    event->number = scope->number = command;
    scope->left = command == GW_GODOT_MP_SET; /* it has exactly one value, which is read as a list with a count */
    if (command == GW_GODOT_MP_SYNC && length > (is_delta ? GW_GODOT_MP_DELTA_BYTES : GW_GODOT_MP_SYNC_BYTES))
        event->odd = GW_GODOT_MP_ODD_TOO_LARGE;
    reader->packet = (gw_godot_mp_packet){ .start = scope->start,
                                           .end = scope->end,
                                           .arguments_end = scope->end,
                                           .command = (uint8_t)command,
                                           .byte = *bytes,
                                           .delta = is_delta };
    read_head(reader, event);
    return GW_NEXT_EVENT;
}

/* Opens an update of a sync, the values of one synchronizer, and reads its head. */
static gw_next open_update(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t left = innermost(reader)->end - reader->offset;
    open_item(reader, event, GW_GODOT_MP_ROLE_UPDATE,
              reader->packet.delta ? gw_godot_mp_delta_fields : gw_godot_mp_update_fields);
    /* The event's range ends where its size says, if the header was captured and the size fits. */
    uint32_t head = reader->packet.delta ? 16 : 8; /* net id, in a delta the index bits (u64), and size */
    uint32_t size = left < head ? 0 : gw_le32(bytes + head - 4);
    event->payload.length = left < head || size > left - head ? left : head + size;
    event->padding.offset = gw_span_end(event->payload);
    event->number = innermost(reader)->number = left < 4 ? 0 : gw_le32(bytes);
    read_head(reader, event);
    return GW_NEXT_EVENT;
}

/* Closes the innermost item. In a delta, the number of its values must be the number of index bits. */
static gw_next close_item(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    const gw_godot_mp_scope *scope = innermost(reader); /* its members are not changed before the next item opens */
    bool is_delta = scope->role == GW_GODOT_MP_ROLE_UPDATE && reader->packet.delta;
    uint64_t bits = is_delta ? (uint64_t)reader->fields[GW_GODOT_MP_ROLE_INDEXES].number : 0;
    uint32_t index_bits = 0;
    reader->depth--;
    begin_event(reader, event, GW_CLOSE, scope->role, 0);
    event->header.offset = scope->start;
    event->payload = (gw_span){ scope->start, reader->offset - scope->start };
    event->index = innermost(reader)->index - 1; /* open_item() has counted it */
    event->number = scope->number;
    for (; bits; bits &= bits - 1)
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

/* Reads the path after the arguments of a call, which ends the packet's fields. */
static gw_next read_path_of_call(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    gw_godot_mp_scope *scope = innermost(reader);
    const uint32_t role = GW_GODOT_MP_ROLE_PATH, left = scope->end - reader->offset;
    const uint64_t size = size_of(reader, role, reader->offset, reader->offset, scope->end);
    scope->has_path = false;
    if (size > left)
        return fail(reader, GW_GODOT_MP_FAULT_TEXT_TRUNCATED, reader->offset, size - left);
    begin_event(reader, event, GW_VALUE, role, (uint32_t)size - 1);
    event->padding.length = 1;
    event->odd = odd_text(role, reader->bytes + reader->offset, event->payload.length);
    reader->offset += (uint32_t)size;
    return GW_NEXT_EVENT;
}

/* ---- reading fields ------------------------------------------------------------------------------------ */

/* True if there are no bytes for the next field, so that it has no event: a list of values or updates that is
 * complete or empty, or the rest of the item. All other fields are required: if there are no bytes for them, reading
 * them returns a fault. */
static bool is_over(const gw_godot_mp_reader *reader, const gw_godot_mp_scope *scope)
{
    uint32_t field = *scope->fields;
    switch (gw_godot_mp_rows[field].shape) {
    case SHAPE_COUNTED:
        return !scope->left;
    case SHAPE_VALUES:
        /* The value of SET is required: without bytes, reading it returns a fault. */
        return reader->packet.command != GW_GODOT_MP_SET && reader->offset >= values_end(reader, scope);
    case SHAPE_REST:
    case SHAPE_UPDATES:
        return reader->offset >= values_end(reader, scope);
    default:
        return false;
    }
}

/* Reads the next field of the innermost item; is_over() is false for it. */
static gw_next read_field(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    gw_godot_mp_scope *scope = innermost(reader);
    uint32_t field = *scope->fields, end;
    switch (gw_godot_mp_rows[field].shape) {
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
    default: /* a head before a packet, or of a message without one */
        begin_event(reader, event, GW_VALUE, GW_GODOT_MP_ROLE_HEAD, 0);
        read_head(reader, event);
        event->payload = event->header;
        event->padding.offset = reader->offset;
        return event->field_count ? GW_NEXT_EVENT : GW_NEXT_FAULT;
    }
}

/* Reads the next head or field, or closes the innermost item at its end; fields that have no bytes are skipped. After the
 * fields of a call the path of its node may follow. Bytes after the last field are an event of their own. */
gw_next gw_godot_mp_next(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    if (reader->fault.fault_class != GW_FAULT_NONE)
        return GW_NEXT_FAULT;
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
        return read_path_of_call(reader, event);
    }
    if (reader->offset < scope->end)
        return read_trailing(reader, event, scope->end);
    return reader->depth ? close_item(reader, event) : GW_NEXT_END;
}
