/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Reads a datagram field by field, as the tables say: packet, messages, components.
 */
#include "tables.h"

_Static_assert(sizeof(gw_leviathan_reader) <= 2048, "the reader is on its caller's stack");

/* The index of the packet in reader->scopes. */
#define PACKET_DEPTH 1

static const uint8_t no_fields[] = { GW_LEVIATHAN_ROLE_NONE };

/* Starts to read a datagram. An input that is too long, or shorter than options->offset, is a fault that the first
 * gw_leviathan_next() returns. */
void gw_leviathan_init(gw_leviathan_reader *reader, const uint8_t *bytes, size_t length,
                       const gw_leviathan_options *options)
{
    *reader = (gw_leviathan_reader){ .bytes = bytes, .length = (uint32_t)length, .end = (uint32_t)length };
    if (options) {
        reader->revision = (uint8_t)options->revision;
        reader->start = reader->offset = options->offset;
    }
    reader->scopes[0].fields = no_fields; /* the datagram itself: it has only packets */
    if (length > GW_LONGEST_INPUT)
        gw_set_fault(&reader->fault, &gw_leviathan_faults, GW_LEVIATHAN_FAULT_TOO_LONG, 0, 0);
    else if (reader->start > length)
        gw_set_fault(&reader->fault, &gw_leviathan_faults, GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, reader->start,
                     (uint64_t)reader->start - length + 2); /* 2: the packet type */
}

/* Sets the fault, at the current position. `needed`: bytes beyond the end, of a truncated input. */
static gw_next fail(gw_leviathan_reader *reader, gw_leviathan_fault code, uint32_t needed)
{
    gw_set_fault(&reader->fault, &gw_leviathan_faults, code, reader->offset, needed);
    return GW_NEXT_FAULT;
}

/* The innermost open item; at depth 0 the datagram. */
static gw_leviathan_scope *innermost(gw_leviathan_reader *reader)
{
    return &reader->scopes[reader->depth];
}

/* Begins an event at the current position, in the innermost item, whose parts it counts. `header` and `payload` are
 * lengths in bytes, which are in the input. */
static void begin_event(gw_leviathan_reader *reader, gw_leviathan_event *event, gw_kind kind, uint8_t role,
                        uint32_t header, uint32_t payload)
{
    event->kind = (uint8_t)kind;
    event->role = role;
    event->type = GW_LEVIATHAN_NO_TYPE;
    event->depth = reader->depth;
    event->index = innermost(reader)->index++;
    event->odd = 0;
    event->header = (gw_span){ reader->offset, header };
    event->payload = (gw_span){ reader->offset + header, payload };
    event->number = 0;
}

/* The number of bytes from the current position to the end of the nested packet or, outside of one, of the input. */
static uint32_t bytes_left(const gw_leviathan_reader *reader)
{
    return reader->end - reader->offset;
}

/* Opens an item at the current position. Its length is not known yet: its payload extends to the end. `fields`: the
 * list that it begins with; `left`: the number of parts after those. */
static gw_next open_item(gw_leviathan_reader *reader, gw_leviathan_event *event, uint8_t role, const uint8_t *fields,
                         uint32_t left)
{
    begin_event(reader, event, GW_OPEN, role, 0, bytes_left(reader));
    reader->depth++;
    *innermost(reader) = (gw_leviathan_scope){ fields, reader->offset, 0, left, role };
    return GW_NEXT_EVENT;
}

/* Closes the innermost item, from its start to the current position; its index is the one that its GW_OPEN had. */
static gw_next close_item(gw_leviathan_reader *reader, gw_leviathan_event *event)
{
    gw_leviathan_scope scope = *innermost(reader);
    *event = (gw_leviathan_event){
        .kind = GW_CLOSE,
        .role = scope.role,
        .type = gw_leviathan_fields[scope.role].type,
        .depth = (uint8_t)(reader->depth - 1),
        .index = reader->scopes[reader->depth - 1].index - 1,
        .header = { scope.start, 0 },
        .payload = { scope.start, reader->offset - scope.start },
    };
    reader->depth--;
    return GW_NEXT_EVENT;
}

/* Makes one event of all bytes left, because they cannot be split: `odd` is the reason. */
static gw_next opaque_rest(gw_leviathan_reader *reader, gw_leviathan_event *event, uint8_t role, gw_leviathan_odd odd)
{
    begin_event(reader, event, GW_OPAQUE, role, 0, bytes_left(reader));
    event->odd = (uint32_t)odd;
    reader->offset = reader->end;
    return GW_NEXT_EVENT;
}

/* ---- lengths ------------------------------------------------------------------------------------------- */

/* The length of a payload, and the fault that is set if it exceeds the bytes left. */
struct size {
    uint64_t bytes;
    gw_leviathan_fault fault;
};

/* The length of the payload of a field of this type that begins at `at`, where `left` bytes are left, and the fault if
 * it is longer than those. The byte before packed acks (in bytes) and before ids (in ids) is their count, a field that
 * was read before them; the first four bytes of strings and nested packets are their length: measure() has found those
 * to be in the input. */
static struct size payload_size(const uint8_t *at, uint32_t left, uint8_t type)
{
    switch (type) {
    case GW_LEVIATHAN_BITS:
        return (struct size){ at[-1], GW_LEVIATHAN_FAULT_ACKS_TRUNCATED };
    case GW_LEVIATHAN_IDS:
        return (struct size){ 4 * (uint64_t)at[-1], GW_LEVIATHAN_FAULT_IDS_TRUNCATED };
    case GW_LEVIATHAN_REST:
        return (struct size){ left, GW_LEVIATHAN_FAULT_NONE };
    case GW_LEVIATHAN_STRING:
        return (struct size){ gw_be32(at), GW_LEVIATHAN_FAULT_STRING_TRUNCATED };
    case GW_LEVIATHAN_NESTED:
    case GW_LEVIATHAN_STATES:
    case GW_LEVIATHAN_COMPONENTS:
        return (struct size){ gw_be32(at), GW_LEVIATHAN_FAULT_NESTED_TRUNCATED };
    default:
        return (struct size){ gw_leviathan_fixed_sizes[type], GW_LEVIATHAN_FAULT_FIELD_TRUNCATED };
    }
}

/* Sets `header` and `payload` to the lengths in bytes of the two parts of a field that begins at the reader's offset.
 * False, with a fault, if it extends beyond reader->end. The offset of the fault is that of the field; in an array of
 * ids, that of the first id that is truncated: read_whole_ids() makes an event of those before it. */
static bool measure(gw_leviathan_reader *reader, uint8_t type, uint32_t *header, uint32_t *payload)
{
    /* The header of strings and nested packets is their length. */
    *header = type >= GW_LEVIATHAN_STRING && type <= GW_LEVIATHAN_COMPONENTS ? 4 : 0;
    uint32_t offset = reader->offset, left = bytes_left(reader);
    if (*header > left) {
        gw_set_fault(&reader->fault, &gw_leviathan_faults, GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, offset, *header - left);
        return false;
    }
    struct size size = payload_size(reader->bytes + offset, left, type);
    left -= *header;
    if (size.bytes > left) {
        /* There are complete ids before the truncated one. */
        uint32_t whole = type == GW_LEVIATHAN_IDS ? left / 4 * 4 : 0;
        gw_set_fault(&reader->fault, &gw_leviathan_faults, size.fault, offset + whole, size.bytes - left);
        return false;
    }
    *payload = (uint32_t)size.bytes;
    return true;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* The number of a field whose bytes are in the input; 0 for types that are not numbers. */
static int64_t number_of(const uint8_t *bytes, uint8_t type)
{
    switch (type) {
    case GW_LEVIATHAN_U8:
    case GW_LEVIATHAN_BOOL:
        return bytes[0];
    case GW_LEVIATHAN_U16:
        return gw_be16(bytes);
    case GW_LEVIATHAN_U32:
        return gw_be32(bytes);
    case GW_LEVIATHAN_I32:
        return (int32_t)gw_be32(bytes);
    case GW_LEVIATHAN_U64:
        return (int64_t)gw_be64(bytes);
    default:
        return 0;
    }
}

/* The oddity of an ack-only packet's ids that do not ascend from at least 1; 0: they do. `length`: a multiple of 4. */
static uint32_t odd_ids(const uint8_t *bytes, uint32_t length)
{
    uint32_t before = 0;
    for (uint32_t at = 0; at < length; at += 4) {
        uint32_t id = gw_be32(bytes + at);
        if (id <= before)
            return GW_LEVIATHAN_ODD_ACK_ONLY_IDS;
        before = id;
    }
    return 0;
}

/* Numbers outside these ranges are odd; a field with odd 0 has no range. */
static const struct {
    int64_t least, most;
    uint32_t odd;
} ranges[GW_LEVIATHAN_ROLES] = {
    [GW_LEVIATHAN_ROLE_PACKET_ID] = { 1, UINT32_MAX, GW_LEVIATHAN_ODD_PACKET_ID },
    [GW_LEVIATHAN_ROLE_ACK_COUNT] = { 1, GW_LEVIATHAN_MOST_ACK_BYTES, GW_LEVIATHAN_ODD_ACK_COUNT },
    [GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT] = { 1, GW_LEVIATHAN_MOST_ACK_ONLY_IDS, GW_LEVIATHAN_ODD_ACK_ONLY_COUNT },
    [GW_LEVIATHAN_ROLE_MESSAGE_NUMBER] = { 1, UINT32_MAX, GW_LEVIATHAN_ODD_MESSAGE_NUMBER },
    [GW_LEVIATHAN_ROLE_CHECK] = { GW_LEVIATHAN_CHECK_VALUE, GW_LEVIATHAN_CHECK_VALUE, GW_LEVIATHAN_ODD_CHECK },
    [GW_LEVIATHAN_ROLE_COMPONENT_COUNT] = { 0, GW_LEVIATHAN_MOST_COMPONENTS, GW_LEVIATHAN_ODD_COMPONENT_COUNT },
};

/* The oddities of a field's value, whose payload is at `bytes`: a value that a closed enumeration does not have, a
 * number outside the field's range, and those of its type. apply_value() adds those that depend on other fields. */
static uint32_t odd_of_value(const uint8_t *bytes, const gw_leviathan_event *event)
{
    const gw_leviathan_field_type *field = &gw_leviathan_fields[event->role];
    uint32_t length = event->payload.length, odd = 0;
    if (field->closed && !gw_leviathan_name_of(field->names, event->number))
        odd |= GW_LEVIATHAN_ODD_ENUMERATION;
    else if (event->number < ranges[event->role].least || event->number > ranges[event->role].most)
        odd |= ranges[event->role].odd;
    switch (event->type) {
    case GW_LEVIATHAN_BOOL:
        return odd | (event->number > 1 ? GW_LEVIATHAN_ODD_BOOL : 0U);
    case GW_LEVIATHAN_STRING:
        if (gw_utf8_prefix(bytes, length) != length)
            odd |= GW_LEVIATHAN_ODD_UTF8;
        if (length && memchr(bytes, 0, length))
            odd |= GW_LEVIATHAN_ODD_NUL;
        return odd;
    case GW_LEVIATHAN_BITS:
        /* The engine starts at the first id and ends with the byte of the last one: bit 0 is set, and the last byte is
         * not 0. Without ack bytes only the count is odd. */
        if (length && (!(bytes[0] & 1) || !bytes[length - 1]))
            odd |= GW_LEVIATHAN_ODD_ACK_BITS;
        return odd;
    case GW_LEVIATHAN_IDS:
        return odd | odd_ids(bytes, length);
    default:
        return odd;
    }
}

/* Sets the fields that follow the type of a component. For a type that is unknown, or never sent in this kind of nested
 * packet, there are none, and the odd bit for this is returned; else 0. */
static uint32_t set_component_type(gw_leviathan_reader *reader, uint32_t wire_type)
{
    const gw_leviathan_component_type *type = gw_leviathan_component_of(wire_type);
    /* Updates contain the state of a component, creations its initial data: two lists of fields. */
    uint8_t container_role = reader->scopes[reader->depth - 1].role;
    const uint8_t *fields = NULL;
    if (type)
        fields = container_role == GW_LEVIATHAN_ROLE_UPDATE_DATA ? type->state : type->initial;
    innermost(reader)->fields = fields ? fields : no_fields;
    /* 1: the bytes of an unknown component still follow, as one event, see gw_leviathan_next(). */
    innermost(reader)->left = fields ? 0 : 1;
    if (fields)
        return 0;
    return wire_type >= GW_LEVIATHAN_FIRST_CUSTOM_COMPONENT ? GW_LEVIATHAN_ODD_COMPONENT_CUSTOM
                                                            : GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN;
}

/* Sets the state that depends on a field's value: which fields follow, how many messages or components, which message
 * this is. Returns the oddities that depend on other fields. read_field() calls it for each field that it reads, and
 * skip_fixed_fields() for those that it skips; inline, as a step of both. */
static inline uint32_t apply_value(gw_leviathan_reader *reader, uint8_t role, int64_t number)
{
    gw_leviathan_scope *scope = innermost(reader);
    gw_leviathan_message *message = &reader->message;
    uint32_t messages_left; /* of the packet */
    switch (role) {
    case GW_LEVIATHAN_ROLE_START_ACK:
        /* Start ack 0: the packet has no acks, and their fields are absent. */
        if (!number)
            scope->fields += GW_LEVIATHAN_ACK_FIELDS;
        return 0;
    case GW_LEVIATHAN_ROLE_MESSAGE_COUNT:
        reader->messages = (uint8_t)number;
        scope->left = (uint32_t)number; /* `scope` is the packet */
        return 0;
    case GW_LEVIATHAN_ROLE_MESSAGE_NUMBER:
        message->number = (uint32_t)number;
        return 0;
    case GW_LEVIATHAN_ROLE_REQUEST_TYPE:
    case GW_LEVIATHAN_ROLE_RESPONSE_TYPE:
        message->wire_type = (uint16_t)number;
        message->type =
            gw_leviathan_message_of_wire((gw_leviathan_revision)reader->revision, message->kind, message->wire_type);
        return message->type && !message->type->loadable ? GW_LEVIATHAN_ODD_NOT_LOADABLE : 0;
    case GW_LEVIATHAN_ROLE_RESPONSE_TO:
        message->response_to = (uint32_t)number;
        return 0;
    case GW_LEVIATHAN_ROLE_COMPONENT_COUNT:
        reader->component_count = (uint32_t)number;
        return 0;
    case GW_LEVIATHAN_ROLE_COMPONENT_TYPE:
        return set_component_type(reader, (uint32_t)number);
    case GW_LEVIATHAN_ROLE_APPLICATION_DATA:
        /* These bytes extend to the end of the datagram, and contain the packet's further messages. */
        messages_left = reader->scopes[PACKET_DEPTH].left;
        reader->scopes[PACKET_DEPTH].left = 0;
        return messages_left ? GW_LEVIATHAN_ODD_NOT_SPLIT : 0;
    default:
        return 0;
    }
}

/* After a failed measure() in a component. A component that is longer than its nested packet ends only that nested
 * packet, whose end is known, so the fault is removed. No more fields of the component (the innermost item) and no more
 * components of the nested packet (the one around it) are expected. The remaining bytes are one event with the oddity;
 * if there are none, the component's GW_CLOSE has it. */
static gw_next abandon_component(gw_leviathan_reader *reader, gw_leviathan_event *event)
{
    reader->fault = (gw_fault){ 0 };
    innermost(reader)->fields = no_fields;
    reader->scopes[reader->depth - 1].left = 0;
    if (reader->offset == reader->end) {
        gw_next next = close_item(reader, event);
        event->odd = GW_LEVIATHAN_ODD_COMPONENT_TRUNCATED;
        return next;
    }
    return opaque_rest(reader, event, GW_LEVIATHAN_ROLE_BLOB_REST, GW_LEVIATHAN_ODD_COMPONENT_TRUNCATED);
}

/* After a failed measure(): one event of the complete ids before its fault, if there are any; the next call of
 * gw_leviathan_next() returns the fault. A field of another type has no such bytes, since its fault is at the current
 * position: the fault is returned at once. */
static gw_next read_whole_ids(gw_leviathan_reader *reader, gw_leviathan_event *event)
{
    uint32_t length = reader->fault.offset - reader->offset;
    if (!length)
        return GW_NEXT_FAULT;
    begin_event(reader, event, GW_PACKED, GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, 0, length);
    event->type = GW_LEVIATHAN_IDS;
    event->odd = odd_ids(reader->bytes + reader->offset, length);
    reader->offset += length;
    return GW_NEXT_EVENT;
}

/* Reads the next field of the innermost item, which has one. A nested packet is opened: its components follow. A field
 * that does not fit is a fault, except in a component; the complete ids before it are an event. */
static gw_next read_field(gw_leviathan_reader *reader, gw_leviathan_event *event)
{
    gw_leviathan_scope *scope = innermost(reader);
    uint8_t role = *scope->fields, type = gw_leviathan_fields[role].type;
    uint32_t header = 0, payload = gw_leviathan_fixed_sizes[type];
    /* Most fields have a fixed length and fit; the others are measured. */
    if ((!payload || payload > bytes_left(reader)) && !measure(reader, type, &header, &payload))
        return scope->role == GW_LEVIATHAN_ROLE_COMPONENT ? abandon_component(reader, event)
                                                          : read_whole_ids(reader, event);
    scope->fields++;
    begin_event(reader, event, type >= GW_LEVIATHAN_FLOAT3 && type <= GW_LEVIATHAN_IDS ? GW_PACKED : GW_VALUE, role,
                header, payload);
    event->type = type;
    if (type == GW_LEVIATHAN_STATES || type == GW_LEVIATHAN_COMPONENTS) {
        /* GW_LEVIATHAN_COMPONENTS have a count, a field before this one; GW_LEVIATHAN_STATES fill the nested packet. */
        uint32_t count = type == GW_LEVIATHAN_COMPONENTS ? reader->component_count : 0;
        event->kind = GW_OPEN;
        reader->depth++;
        *innermost(reader) = (gw_leviathan_scope){ no_fields, event->header.offset, 0, count, role };
        reader->offset = event->payload.offset;
        reader->end = gw_span_end(event->payload);
        return GW_NEXT_EVENT;
    }
    const uint8_t *bytes = reader->bytes + reader->offset + header;
    event->number = number_of(bytes, type);
    event->odd = odd_of_value(bytes, event) | apply_value(reader, role, event->number);
    reader->offset += header + payload;
    return GW_NEXT_EVENT;
}

/* ---- after an item's fields ---------------------------------------------------------------------------- */

/* Opens the packet that begins here, by its type. Both types have two bytes. */
static gw_next next_packet(gw_leviathan_reader *reader, gw_leviathan_event *event)
{
    uint32_t left = reader->length - reader->offset;
    if (left < 2)
        return fail(reader, GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, 2 - left);
    switch (gw_be16(reader->bytes + reader->offset)) {
    case GW_LEVIATHAN_NORMAL_PACKET:
        return open_item(reader, event, GW_LEVIATHAN_ROLE_PACKET, gw_leviathan_packet_fields, 0);
    case GW_LEVIATHAN_ACK_ONLY_PACKET:
        return open_item(reader, event, GW_LEVIATHAN_ROLE_ACK_ONLY, gw_leviathan_ack_only_fields, 0);
    default:
        return fail(reader, GW_LEVIATHAN_FAULT_PACKET_UNKNOWN, 0);
    }
}

/* After the first packet: the ack-only blocks, which the engine's sender leaves after a packet, and at last other
 * bytes, as one event. */
static gw_next next_in_datagram(gw_leviathan_reader *reader, gw_leviathan_event *event)
{
    uint32_t left = reader->length - reader->offset;
    /* The index counts the items of the datagram so far: the first one is a packet. */
    if (!reader->scopes[0].index)
        return next_packet(reader, event);
    if (!left) {
        reader->ended = true;
        return GW_NEXT_END;
    }
    if (left >= 2 && gw_be16(reader->bytes + reader->offset) == GW_LEVIATHAN_ACK_ONLY_PACKET) {
        gw_next next = next_packet(reader, event);
        event->odd = GW_LEVIATHAN_ODD_IGNORED;
        return next;
    }
    /* Bytes after a packet that declares no messages have an oddity of their own. The type of the first packet is at
     * the start of the datagram: an ack-only packet never has messages. */
    bool without_messages = gw_be16(reader->bytes + reader->start) == GW_LEVIATHAN_NORMAL_PACKET && !reader->messages;
    return opaque_rest(reader, event, GW_LEVIATHAN_ROLE_TRAILING,
                       without_messages ? GW_LEVIATHAN_ODD_NO_MESSAGES : GW_LEVIATHAN_ODD_TRAILING);
}

/* After the packet's header: opens the next message, or closes the packet after the declared number of messages, which
 * scope->left counts down. In an ack-only packet it is 0 from the beginning. */
static gw_next next_in_packet(gw_leviathan_reader *reader, gw_leviathan_event *event)
{
    gw_leviathan_scope *scope = innermost(reader);
    if (!scope->left)
        return close_item(reader, event);
    if (reader->offset == reader->length)
        return fail(reader, GW_LEVIATHAN_FAULT_MESSAGES_MISSING, 1); /* at least the byte of the message's kind */
    uint8_t kind = reader->bytes[reader->offset];
    if (kind != GW_LEVIATHAN_REQUEST && kind != GW_LEVIATHAN_RESPONSE)
        return fail(reader, GW_LEVIATHAN_FAULT_MESSAGE_UNKNOWN, 0);
    scope->left--;
    reader->message = (gw_leviathan_message){ .kind = kind };
    bool request = kind == GW_LEVIATHAN_REQUEST;
    /* 1: after the header, the list of the type's fields, see next_in_message(). */
    return open_item(reader, event, GW_LEVIATHAN_ROLE_MESSAGE,
                     request ? gw_leviathan_request_fields : gw_leviathan_response_fields, 1);
}

/* After the message's header: sets the fields of its type and reads the first one. scope->left is 1 before that and 0
 * after it: if it is 0 all fields were read, and the message is closed. */
static gw_next next_in_message(gw_leviathan_reader *reader, gw_leviathan_event *event)
{
    const gw_leviathan_message *message = &reader->message;
    gw_leviathan_scope *scope = innermost(reader);
    if (!scope->left)
        return close_item(reader, event);
    /* Fields have no common length: the bytes of an unknown message cannot be skipped. */
    if (!message->type)
        return fail(reader,
                    message->kind == GW_LEVIATHAN_REQUEST ? GW_LEVIATHAN_FAULT_REQUEST_UNKNOWN
                                                          : GW_LEVIATHAN_FAULT_RESPONSE_UNKNOWN,
                    0);
    scope->left = 0;
    scope->fields = message->type->fields;
    return *scope->fields ? read_field(reader, event) : close_item(reader, event);
}

/* In a nested packet of components: closes it at its end, else opens the next component. GW_LEVIATHAN_STATES fill it up
 * to its end. GW_LEVIATHAN_COMPONENTS have a count, of which scope->left is the rest: components that are missing at
 * the end are an oddity of the GW_CLOSE, bytes after the last component are one event. */
static gw_next next_in_nested(gw_leviathan_reader *reader, gw_leviathan_event *event)
{
    gw_leviathan_scope *scope = innermost(reader);
    bool counted = gw_leviathan_fields[scope->role].type == GW_LEVIATHAN_COMPONENTS;
    if (reader->offset == reader->end) {
        uint32_t missing = scope->left;
        reader->end = reader->length; /* nested packets are not in each other */
        close_item(reader, event);
        event->odd = missing ? GW_LEVIATHAN_ODD_COMPONENTS : 0;
        return GW_NEXT_EVENT;
    }
    if (counted && !scope->left)
        return opaque_rest(reader, event, GW_LEVIATHAN_ROLE_BLOB_REST, GW_LEVIATHAN_ODD_COMPONENT_REST);
    if (counted)
        scope->left--;
    return open_item(reader, event, GW_LEVIATHAN_ROLE_COMPONENT, gw_leviathan_component_fields, 0);
}

/* Sets `event` to the next item, from the innermost item that is open. Returns GW_NEXT_EVENT, or the end or a fault,
 * which later calls return again. */
gw_next gw_leviathan_next(gw_leviathan_reader *reader, gw_leviathan_event *event)
{
    if (reader->fault.fault_class != GW_FAULT_NONE)
        return GW_NEXT_FAULT;
    if (reader->ended)
        return GW_NEXT_END;
    gw_leviathan_scope *scope = innermost(reader);
    /* First the fields of the innermost item, then, by its depth (datagram, packet, message, nested packet, component),
     * the items in it. */
    if (*scope->fields)
        return read_field(reader, event);
    switch (reader->depth) {
    case 0:
        return next_in_datagram(reader, event);
    case 1:
        return next_in_packet(reader, event);
    case 2:
        return next_in_message(reader, event);
    case 3:
        return next_in_nested(reader, event);
    default:
        /* In a component of unknown type all bytes follow. They have no odd bit (0): the event of the type has it. */
        if (scope->left && reader->offset < reader->end)
            return opaque_rest(reader, event, GW_LEVIATHAN_ROLE_BLOB_REST, (gw_leviathan_odd)0);
        /* They extended to the end of the nested packet (scope[-1]): no further component is expected in it. */
        if (scope->left)
            scope[-1].left = 0;
        return close_item(reader, event);
    }
}

/* ---- parts of an event --------------------------------------------------------------------------------- */

/* Number `index` of a vector: four bytes, little-endian. */
float gw_leviathan_float_at(const uint8_t *bytes, const gw_leviathan_event *event, uint32_t index)
{
    return gw_le_float(bytes + event->payload.offset + 4 * (size_t)index);
}

/* ---- acks ---------------------------------------------------------------------------------------------- */

/* Starts at bit 0, whose id is the start ack in the engine's reading, and one more in the documented one. */
void gw_leviathan_acks_init(gw_leviathan_acks *acks, uint32_t start_ack, const uint8_t *bytes, uint32_t count,
                            gw_leviathan_ack_reading reading)
{
    /* The number of the reading is the distance from start ack to the id of bit 0. */
    *acks = (gw_leviathan_acks){ bytes, count, start_ack + (uint32_t)reading, 0 };
}

/* Finds the next bit that is set; its id is as far from `start` as the bit from bit 0. */
bool gw_leviathan_acks_next(gw_leviathan_acks *acks, uint32_t *id)
{
    while (acks->bit < 8 * acks->count) {
        uint32_t bit = acks->bit++;
        if (acks->bytes[bit / 8] >> bit % 8 & 1) {
            *id = acks->start + bit;
            return true;
        }
    }
    return false;
}

/* ---- validating ---------------------------------------------------------------------------------------- */

/* Reads the fields of fixed length that follow and are in the input, without events: their values cannot be faults. */
static void skip_fixed_fields(gw_leviathan_reader *reader)
{
    gw_leviathan_scope *scope = innermost(reader);
    while (*scope->fields) {
        uint8_t role = *scope->fields, type = gw_leviathan_fields[role].type;
        uint32_t size = gw_leviathan_fixed_sizes[type];
        if (!size || size > bytes_left(reader))
            return;
        scope->fields++;
        apply_value(reader, role, number_of(reader->bytes + reader->offset, type));
        reader->offset += size;
    }
}

/* Reads to the end or to the first fault; true at the end. Fields of fixed length that fit are skipped without events,
 * since the summary does not need them and this costs less. summary->length does not include the trailing bytes. */
bool gw_leviathan_validate(const uint8_t *bytes, size_t length, const gw_leviathan_options *options,
                           gw_leviathan_summary *summary)
{
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    gw_next next;
    *summary = (gw_leviathan_summary){ 0 };
    gw_leviathan_init(&reader, bytes, length, options);
    while ((next = gw_leviathan_next(&reader, &event)) == GW_NEXT_EVENT) {
        skip_fixed_fields(&reader);
        if (event.kind == GW_CLOSE) {
            summary->messages += event.role == GW_LEVIATHAN_ROLE_MESSAGE;
            /* Ack-only blocks after the packet: index 0 is the packet itself. */
            summary->blocks += event.role == GW_LEVIATHAN_ROLE_ACK_ONLY && event.index;
        } else if (event.role == GW_LEVIATHAN_ROLE_TRAILING) {
            summary->trailing = event.payload.length;
        }
    }
    summary->fault = reader.fault;
    summary->length = reader.offset - reader.start - summary->trailing;
    return next == GW_NEXT_END;
}
