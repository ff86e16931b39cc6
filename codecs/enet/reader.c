/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * One interpreter of the tables of formats and commands. Each call takes bytes or closes a command.
 */
#include "tables.h"

#include <string.h>

static const gw_enet_field no_fields[] = { { GW_ENET_ROLE_NONE, 0 } };

static gw_next fail(gw_enet_reader *reader, gw_enet_fault code, uint32_t offset, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_enet_faults, code, offset, needed);
    return GW_NEXT_FAULT;
}

void gw_enet_init(gw_enet_reader *reader, const uint8_t *bytes, size_t length, const gw_enet_options *options)
{
    memset(reader, 0, sizeof *reader);
    reader->bytes = bytes;
    reader->fields = no_fields;
    if (options)
        reader->options = *options;
    reader->options.format = gw_enet_format_in(options);
    if (length > GW_LONGEST_INPUT) {
        gw_set_fault(&reader->fault, &gw_enet_faults, GW_ENET_FAULT_TOO_LONG, 0, 0);
        return;
    }
    reader->length = (uint32_t)length;
    reader->offset = reader->options.offset < reader->length ? reader->options.offset : reader->length;
    if (reader->options.commands_only)
        reader->header = reader->options.header;
    reader->in_header = !reader->options.commands_only;
}

/* Sets the event to the next `length` bytes, which the caller has found in the input, as the next part of its parent.
 * The caller adds them to `offset`. */
static void begin_event(gw_enet_reader *reader, gw_enet_event *event, gw_kind kind, uint8_t role, uint32_t length)
{
    *event = (gw_enet_event){
        .kind = (uint8_t)kind,
        .role = role,
        .depth = reader->in_command,
        .index = reader->index++,
        .header = { reader->offset, 0 },
        .payload = { reader->offset, length },
        .padding = { reader->offset + length, 0 },
    };
}

/* ---- the datagram's header ------------------------------------------------------------------------------ */

/* Returns the next field of the header, of `size` bytes. */
static gw_next read_header_field(gw_enet_reader *reader, gw_enet_event *event, uint32_t size)
{
    uint8_t role = reader->fields->role;
    uint32_t left = reader->length - reader->offset;
    uint32_t odd = 0;
    if (size > left)
        return fail(reader, GW_ENET_FAULT_HEADER_TRUNCATED, reader->offset, size - left);
    /* Of a checksum with eight bytes, the low half: header.checksum has all of it. */
    uint32_t number = gw_enet_number_at(reader->bytes + reader->offset + (size == 8 ? 4 : 0), (uint8_t)size);
    /* The first field has the oddities of the datagram. */
    if (!reader->index && left == reader->header.length)
        odd |= GW_ENET_ODD_NO_COMMANDS;
    if (!reader->index && left > GW_ENET_LARGEST_MTU)
        odd |= GW_ENET_ODD_DATAGRAM_LENGTH;
    /* Growtopia: the key XOR the masked port is the port, and the key is not above it. */
    uint32_t port = reader->header.port_key ^ number;
    if (role == GW_ENET_ROLE_MASKED_PORT && reader->options.port &&
        (port != reader->options.port || reader->header.port_key > port))
        odd |= GW_ENET_ODD_MASKED_PORT;
    begin_event(reader, event, GW_VALUE, role, size);
    event->number = number;
    event->odd = odd;
    reader->offset += size;
    reader->fields++;
    return GW_NEXT_EVENT;
}

/* ---- commands ------------------------------------------------------------------------------------------- */

/* Returns all remaining bytes as one event. */
static gw_next read_rest(gw_enet_reader *reader, gw_enet_event *event, gw_enet_role role)
{
    uint32_t left = reader->length - reader->offset;
    reader->index = 0;
    begin_event(reader, event, GW_OPAQUE, (uint8_t)role, left);
    for (uint32_t i = 0; role == GW_ENET_ROLE_PADDING && i < left; i++)
        if (reader->bytes[reader->offset + i])
            event->odd = GW_ENET_ODD_PADDING;
    reader->offset = reader->length;
    reader->ended = true;
    return GW_NEXT_EVENT;
}

/* Begins the next command. One byte of it is left, at least. */
static gw_next open_command(gw_enet_reader *reader, gw_enet_event *event)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint8_t number = *bytes & GW_ENET_NUMBER_MASK;
    const gw_enet_command_type *type = gw_enet_command_in(reader->options.format, number);
    uint32_t left = reader->length - reader->offset;
    if (!type)
        return fail(reader, GW_ENET_FAULT_COMMAND_UNKNOWN, reader->offset, 0);
    /* Its fields, and its payload if the payload's length was captured and fits. */
    uint32_t whole = type->size;
    if (type->has_payload && whole <= left)
        whole += gw_be16(bytes + gw_enet_length_at(type));
    reader->command = (gw_enet_command){ .type = type,
                                         .number = number,
                                         .flags = *bytes & (uint8_t)~GW_ENET_NUMBER_MASK,
                                         .whole = { reader->offset, whole < left ? whole : left } };
    reader->index = reader->commands++;
    begin_event(reader, event, GW_OPEN, GW_ENET_ROLE_COMMAND, reader->command.whole.length);
    event->header.length = left < GW_ENET_COMMAND_HEADER ? left : GW_ENET_COMMAND_HEADER;
    event->number = number;
    event->odd = reader->commands == GW_ENET_MOST_COMMANDS + 1 ? GW_ENET_ODD_COMMAND_COUNT : 0;
    reader->in_command = true;
    reader->index = 0;
    reader->fields = gw_enet_command_header;
    return GW_NEXT_EVENT;
}

/* Ends the command after its last field, with the index and the range of its OPEN. */
static gw_next close_command(gw_enet_reader *reader, gw_enet_event *event)
{
    gw_span whole = reader->command.whole;
    reader->in_command = false;
    reader->index = reader->commands - 1;
    begin_event(reader, event, GW_CLOSE, GW_ENET_ROLE_COMMAND, 0);
    event->header = (gw_span){ whole.offset, GW_ENET_COMMAND_HEADER };
    event->payload = whole;
    event->number = reader->command.number;
    return GW_NEXT_EVENT;
}

/* Reads the next field of the command: those of its header, which ends with the sequence number, then those of its
 * type, and its payload, whose length is a field before it. */
static gw_next read_command_field(gw_enet_reader *reader, gw_enet_event *event)
{
    uint8_t role = reader->fields->role, size = reader->fields->size;
    uint32_t left = reader->length - reader->offset;
    if (role == GW_ENET_ROLE_PAYLOAD) {
        uint32_t length = reader->command.values[GW_ENET_ROLE_LENGTH];
        if (length > left)
            return fail(reader, GW_ENET_FAULT_PAYLOAD_TRUNCATED, reader->offset, length - left);
        begin_event(reader, event, GW_OPAQUE, role, length);
        reader->command.payload = event->payload;
        reader->offset += length;
        reader->fields++;
        return GW_NEXT_EVENT;
    }
    if (size > left) {
        /* For all fields, not only this one. */
        uint32_t missing = reader->command.whole.offset + reader->command.type->size - reader->length;
        return fail(reader, GW_ENET_FAULT_COMMAND_TRUNCATED, reader->offset, missing);
    }
    begin_event(reader, event, GW_VALUE, role, size);
    event->number = gw_enet_number_at(reader->bytes + reader->offset, size);
    reader->command.values[role] = event->number;
    event->odd = gw_enet_odd_of(reader->options.format, &reader->command, &reader->header, role);
    reader->offset += size;
    reader->fields++;
    if (role == GW_ENET_ROLE_SEQUENCE)
        reader->fields = reader->command.type->fields;
    return GW_NEXT_EVENT;
}

/* ---- the loop ------------------------------------------------------------------------------------------- */

gw_next gw_enet_next(gw_enet_reader *reader, gw_enet_event *event)
{
    const gw_enet_options *options = &reader->options;
    const gw_enet_header *header = &reader->header;
    if (reader->fault.fault_class != GW_FAULT_NONE)
        return GW_NEXT_FAULT;
    if (reader->ended)
        return GW_NEXT_END;
    if (reader->in_command)
        return reader->fields->role ? read_command_field(reader, event) : close_command(reader, event);

    /* Before the first field: the captured bytes of the header determine which fields it has. */
    if (reader->in_header && reader->fields == no_fields) {
        (void)gw_enet_read_header(reader->bytes + reader->offset, reader->length - reader->offset, options,
                                  &reader->header);
        reader->fields = options->format->header;
    }
    for (; reader->in_header && reader->fields->role; reader->fields++) {
        uint32_t size = gw_enet_header_size(options->format, header, reader->fields);
        if (size)
            return read_header_field(reader, event, size);
    }
    reader->in_header = false;

    if (reader->offset == reader->length) {
        reader->ended = true;
        return GW_NEXT_END;
    }
    if (header->is_encrypted && !options->commands_only)
        return read_rest(reader, event, GW_ENET_ROLE_ENCRYPTED);
    if (header->is_compressed && !options->commands_only)
        return read_rest(reader, event, GW_ENET_ROLE_COMPRESSED);
    /* Zeros after the last command in data decompressed with FastLZ: Godot's padding. */
    if (options->padded && reader->length == GW_ENET_FASTLZ_PADDED &&
        reader->bytes[reader->offset] == GW_ENET_NO_COMMAND)
        return read_rest(reader, event, GW_ENET_ROLE_PADDING);
    return open_command(reader, event);
}

bool gw_enet_validate(const uint8_t *bytes, size_t length, const gw_enet_options *options, gw_enet_summary *summary)
{
    gw_enet_reader reader;
    gw_enet_event event;
    gw_next next;
    *summary = (gw_enet_summary){ 0 };
    gw_enet_init(&reader, bytes, length, options);
    while ((next = gw_enet_next(&reader, &event)) == GW_NEXT_EVENT) {
        summary->odd |= event.odd;
        summary->compressed |= event.role == GW_ENET_ROLE_COMPRESSED || event.role == GW_ENET_ROLE_ENCRYPTED;
    }
    summary->fault = reader.fault;
    summary->commands = reader.commands;
    summary->length = reader.offset;
    return next == GW_NEXT_END;
}
