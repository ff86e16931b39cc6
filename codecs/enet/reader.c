/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * One interpreter of the tables of formats and commands: an event for the header and for each command, and the places
 * of their fields.
 */
#include "tables.h"

#include <string.h>

/* Sets the fault that ends reading; GW_NEXT_FAULT, for the caller to return. `needed`: the missing bytes. */
static gw_next fail(gw_enet_reader *reader, gw_enet_fault code, uint32_t offset, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_enet_faults, code, offset, needed);
    return GW_NEXT_FAULT;
}

/* Begins reading at options->offset. An input that is too long has a fault, which the first call of gw_enet_next()
 * returns. Commands alone, as after decompression, belong to the header of the options. */
void gw_enet_init(gw_enet_reader *reader, const uint8_t *bytes, size_t length, const gw_enet_options *options)
{
    memset(reader, 0, sizeof *reader);
    reader->bytes = bytes;
    if (options)
        reader->options = *options;
    reader->options.format = gw_enet_format_in(options);
    if (length > GW_LONGEST_INPUT) {
        gw_set_fault(&reader->fault, &gw_enet_faults, GW_ENET_FAULT_TOO_LONG, 0, 0);
        return;
    }
    reader->length = (uint32_t)length;
    reader->offset = reader->options.offset < reader->length ? reader->options.offset : reader->length;
    reader->has_read_header = reader->options.commands_only;
    if (reader->options.commands_only)
        reader->header = reader->options.header;
}

/* Sets the event, except its command, to the next `header` bytes and the `payload` bytes after them, all of which the
 * input has, and advances the reader to their end. The datagram's header and commands have fields (GW_VALUE); all other
 * roles are bytes that are not read (GW_OPAQUE). The index, 0 here, is set by the caller if it is a command. */
static void set_event(gw_enet_reader *reader, gw_enet_event *event, gw_enet_role role, uint32_t header,
                      uint32_t payload)
{
    event->kind = role == GW_ENET_ROLE_HEADER || role == GW_ENET_ROLE_COMMAND ? GW_VALUE : GW_OPAQUE;
    event->role = (uint8_t)role;
    event->is_cut = false;
    event->index = 0;
    event->odd = 0;
    event->header = (gw_span){ reader->offset, header };
    event->payload = (gw_span){ reader->offset + header, payload };
    reader->offset += header + payload;
}

/* ---- the datagram's header ------------------------------------------------------------------------------ */

/* The oddities of the header that was read and of the datagram, whose `left` bytes begin with the header. */
static uint32_t odd_datagram(const gw_enet_reader *reader, uint32_t left)
{
    const gw_enet_header *header = &reader->header;
    uint32_t odd = 0;
    if (left == header->length)
        odd |= GW_ENET_ODD_NO_COMMANDS;
    if (left > GW_ENET_LARGEST_MTU)
        odd |= GW_ENET_ODD_DATAGRAM_LENGTH;
    /* Growtopia's first four bytes are two numbers: the key XOR the masked port is the port, and the key is not above
     * it. Tested only if both numbers are in the input and the destination port is known (not 0). */
    uint32_t port = header->port_key ^ header->masked_port;
    if (reader->options.format->header->role == GW_ENET_ROLE_PORT_KEY && left >= 4 && reader->options.port &&
        (port != reader->options.port || header->port_key > port))
        odd |= GW_ENET_ODD_MASKED_PORT;
    return odd;
}

/* Reads the datagram's header. If the input ends in it, the event has the fields before the end, and the fault is that
 * of the first field that is not there as a whole; there is no event without any field. */
static gw_next read_header(gw_enet_reader *reader, gw_enet_event *event)
{
    const uint32_t left = reader->length - reader->offset;
    const uint8_t *bytes = reader->bytes + reader->offset;
    reader->has_read_header = true;
    bool is_whole = gw_enet_read_header(bytes, left, &reader->options, &reader->header);
    uint32_t length = is_whole ? reader->header.length : 0, size = 0;
    /* Up to the first field that is not in the input as a whole: there is one, as the header is longer than `left`. */
    const gw_enet_format *format = reader->options.format;
    for (const gw_enet_field *field = format->header; !is_whole; field++) {
        size = gw_enet_header_size(format, &reader->header, field);
        if (size > left - length)
            break;
        length += size;
    }
    set_event(reader, event, GW_ENET_ROLE_HEADER, 0, length);
    event->odd = odd_datagram(reader, left);
    event->is_cut = !is_whole;
    if (is_whole)
        return GW_NEXT_EVENT;
    gw_next next = fail(reader, GW_ENET_FAULT_HEADER_TRUNCATED, reader->offset, length + size - left);
    return length ? GW_NEXT_EVENT : next;
}

/* ---- commands ------------------------------------------------------------------------------------------- */

/* Returns all remaining bytes, of which there is at least one, as one event. Padding with a byte that is not zero is
 * odd. */
static gw_next read_rest(gw_enet_reader *reader, gw_enet_event *event, gw_enet_role role)
{
    set_event(reader, event, role, 0, reader->length - reader->offset);
    for (uint32_t i = 0; role == GW_ENET_ROLE_PADDING && i < event->payload.length; i++)
        if (reader->bytes[event->payload.offset + i])
            event->odd = GW_ENET_ODD_PADDING;
    return GW_NEXT_EVENT;
}

/* Reads the next command, of which one byte is left at least: the fields of its type's table, each with its oddities,
 * which compare it with the fields before it, and then its payload, whose length is one of the fields. If the input
 * ends in it, the event has the fields and the bytes before the end, and the fault is that of the first field, or of
 * the payload, that is not there as a whole. */
static gw_next read_command(gw_enet_reader *reader, gw_enet_event *event)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    const uint32_t begin = reader->offset, left = reader->length - begin;
    const uint8_t number = *bytes & GW_ENET_NUMBER_MASK;
    const gw_enet_command_type *type = gw_enet_command_in(reader->options.format, number);
    gw_enet_command *command = &event->command;
    uint32_t at = 0, odd = 0;
    if (!type)
        return fail(reader, GW_ENET_FAULT_COMMAND_UNKNOWN, begin, 0);
    *command = (gw_enet_command){ .type = type, .number = number, .flags = *bytes & (uint8_t)~GW_ENET_NUMBER_MASK };
    for (const gw_enet_field *field = type->fields; at < type->size && field->size <= left - at; field++) {
        command->values[field->role] = gw_enet_number_at(bytes + at, field->size);
        odd |= gw_enet_odd_of(reader->options.format, command, &reader->header, field->role);
        at += field->size;
    }
    /* 0 without a payload, or if its field is not there. */
    const uint32_t length = command->values[GW_ENET_ROLE_LENGTH];
    const uint32_t fields = type->size < left ? type->size : left;
    const uint32_t payload = length < left - fields ? length : left - fields;
    set_event(reader, event, GW_ENET_ROLE_COMMAND, fields, payload);
    event->index = reader->commands++;
    /* The oddity of too many commands is reported once, at the first command above the limit. */
    event->odd = odd | (reader->commands == GW_ENET_MOST_COMMANDS + 1 ? GW_ENET_ODD_COMMAND_COUNT : 0);
    event->is_cut = at < type->size || payload < length;
    if (!event->is_cut)
        return GW_NEXT_EVENT;
    reader->offset = begin + at;
    if (at < type->size) /* the missing bytes of all fields, not only of the first one that is cut */
        (void)fail(reader, GW_ENET_FAULT_COMMAND_TRUNCATED, reader->offset, type->size - left);
    else
        (void)fail(reader, GW_ENET_FAULT_PAYLOAD_TRUNCATED, reader->offset, length - payload);
    return GW_NEXT_EVENT;
}

/* ---- the loop ------------------------------------------------------------------------------------------- */

/* Returns the next event: the header first, then each command; of a datagram whose commands are encrypted, compressed
 * or followed by padding, all remaining bytes. With options->commands_only the input is the commands after
 * decompression: the header is that of the datagram, and its flags for compressed and encrypted commands are not
 * tested. */
gw_next gw_enet_next(gw_enet_reader *reader, gw_enet_event *event)
{
    const gw_enet_options *options = &reader->options;
    const gw_enet_header *header = &reader->header;
    if (reader->fault.fault_class != GW_FAULT_NONE)
        return GW_NEXT_FAULT;
    if (!reader->has_read_header)
        return read_header(reader, event);
    if (reader->offset == reader->length)
        return GW_NEXT_END;
    if (header->is_encrypted && !options->commands_only)
        return read_rest(reader, event, GW_ENET_ROLE_ENCRYPTED);
    if (header->is_compressed && !options->commands_only)
        return read_rest(reader, event, GW_ENET_ROLE_COMPRESSED);
    /* Zeros after the last command in data decompressed with FastLZ: Godot's padding. */
    if (options->padded && reader->length == GW_ENET_FASTLZ_PADDED &&
        reader->bytes[reader->offset] == GW_ENET_NO_COMMAND)
        return read_rest(reader, event, GW_ENET_ROLE_PADDING);
    return read_command(reader, event);
}

/* Reads all events: sums up their oddities, counts the commands, and sets `compressed` if the commands are compressed
 * or encrypted and so were not read. False if a fault ended reading. */
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

/* ---- fields with their places --------------------------------------------------------------------------- */

/* The oddities of the event that are about this field. For a command they are calculated again, from its numbers; those
 * of the header are about its masked port, or about the whole datagram and so its first field's. */
static uint32_t odd_part(const gw_enet_reader *reader, const gw_enet_event *event, const gw_enet_part *part)
{
    const uint32_t odd_of_datagram = GW_ENET_ODD_NO_COMMANDS | GW_ENET_ODD_DATAGRAM_LENGTH;
    if (event->role == GW_ENET_ROLE_COMMAND)
        return gw_enet_odd_of(reader->options.format, &event->command, &reader->header, part->field->role);
    if (part->field->role == GW_ENET_ROLE_MASKED_PORT)
        return event->odd & GW_ENET_ODD_MASKED_PORT;
    return part->span.offset == event->payload.offset ? event->odd & odd_of_datagram : 0;
}

/* Replaces `part`, one field of a header or a command, by the next one, or by the first one if it is zero; false after
 * the last field that is in the input as a whole. The fields of the datagram's header are in the event's payload, those
 * of a command in the event's header. Each begins at the end of the one before, and its size is in the tables. The last
 * part of a command is its payload, unless the input ends in it. */
bool gw_enet_next_part(const gw_enet_reader *reader, const gw_enet_event *event, gw_enet_part *part)
{
    const gw_enet_format *format = reader->options.format;
    bool is_header = event->role == GW_ENET_ROLE_HEADER;
    if (!is_header && event->role != GW_ENET_ROLE_COMMAND)
        return false;
    const gw_span bytes = is_header ? event->payload : event->header;
    const gw_enet_field *field = is_header ? format->header : event->command.type->fields;
    uint32_t at = bytes.offset, size;
    if (part->field) {
        field = part->field + 1;
        at = gw_span_end(part->span);
    }
    /* Skips the fields that the header lacks, by its flags and the setting for checksums. */
    while (is_header && field->role && !gw_enet_header_size(format, &reader->header, field))
        field++;
    if (field->role == GW_ENET_ROLE_PAYLOAD && !event->is_cut) {
        *part = (gw_enet_part){ .field = field, .span = event->payload };
        return true;
    }
    size = is_header ? gw_enet_header_size(format, &reader->header, field) : field->size;
    /* The end of the list, or a cut payload, both of size 0; or a field that the input has not as a whole. */
    if (!size || size > gw_span_end(bytes) - at)
        return false;
    *part = (gw_enet_part){ .field = field, .span = { at, size } };
    /* Only a checksum has eight bytes: its low half. */
    part->number = gw_enet_number_at(reader->bytes + at + (size == 8 ? 4 : 0), (uint8_t)size);
    part->odd = event->odd ? odd_part(reader, event, part) : 0;
    return true;
}
