/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Packets as one line: types of messages, and acks as ranges.
 */
#include "tables.h"

/* Prints the header of a message: "Response Connect #2 → #1" is response number 2, which answers request number 1. A
 * type that the revision does not have is printed as the engine prints it: "Custom(+3)". */
void gw_leviathan_print_message(gw_text *text, const gw_leviathan_message *message, gw_leviathan_revision revision)
{
    gw_text_string(text, message->kind == GW_LEVIATHAN_REQUEST ? "Request " : "Response ");
    if (message->type) {
        gw_text_string(text, message->type->name);
    } else {
        /* An unknown number is written relative to Custom, which is the last type of both enumerations, or the last but
         * one before None. Only Custom begins with a TypeIDNumber. */
        uint32_t custom = gw_leviathan_wire_types(revision, message->kind) - 1;
        while (gw_leviathan_message_of_wire(revision, message->kind, custom)->fields[0] !=
               GW_LEVIATHAN_ROLE_TYPE_ID_NUMBER)
            custom--;
        gw_text_string(text, "Custom(+");
        gw_text_unsigned(text, message->wire_type - custom);
        gw_text_char(text, ')');
    }
    gw_text_string(text, " #");
    gw_text_unsigned(text, message->number);
    if (!message->response_to)
        return;
    gw_text_string(text, " \xE2\x86\x92 #");
    gw_text_unsigned(text, message->response_to);
}

/* "7", or "7-9". */
static void print_range(gw_text *text, uint32_t first, uint32_t last)
{
    gw_text_unsigned(text, first);
    if (last == first)
        return;
    gw_text_char(text, '-');
    gw_text_unsigned(text, last);
}

/* Ascending ids, combined to ranges: first to last is the current one, which is printed when the next one begins. */
struct ranges {
    gw_text *text;
    uint32_t first, last;
    bool any;
};

/* Adds the next id: to the current range if it follows that, else as the beginning of a new one, before which the
 * current range and a comma are printed. end_ranges() prints the last range. */
static void add_id(struct ranges *ranges, uint32_t id)
{
    if (ranges->any && id == ranges->last + 1) {
        ranges->last = id;
        return;
    }
    if (ranges->any) {
        print_range(ranges->text, ranges->first, ranges->last);
        gw_text_string(ranges->text, ", ");
    }
    ranges->any = true;
    ranges->first = ranges->last = id;
}

/* Prints the last range; "none" if there were no ids. */
static void end_ranges(const struct ranges *ranges)
{
    if (ranges->any)
        print_range(ranges->text, ranges->first, ranges->last);
    else
        gw_text_string(ranges->text, "none");
}

/* Prints packed acks as ranges of ids. */
void gw_leviathan_print_acks(gw_text *text, gw_leviathan_acks acks)
{
    struct ranges ranges = { text, 0, 0, false };
    uint32_t id;
    while (gw_leviathan_acks_next(&acks, &id))
        add_id(&ranges, id);
    end_ranges(&ranges);
}

/* Prints the ids of an ack-only packet as ranges; each has four bytes, big-endian. */
void gw_leviathan_print_ids(gw_text *text, const uint8_t *ids, uint32_t count)
{
    struct ranges ranges = { text, 0, 0, false };
    for (uint32_t i = 0; i < count; i++)
        add_id(&ranges, gw_be32(ids + 4 * (size_t)i));
    end_ranges(&ranges);
}

/* ---- a datagram ---------------------------------------------------------------------------------------- */

/* Starts a line: nothing is printed before the first event. */
void gw_leviathan_printer_init(gw_leviathan_printer *printer, gw_text *text, const gw_leviathan_options *options)
{
    *printer = (gw_leviathan_printer){ .text = text, .separator = "" };
    if (options)
        printer->reading = options->acks;
}

/* Prints the next part of the line, after a separator from the part before it. */
static void print_next(gw_leviathan_printer *printer, const char *string)
{
    gw_text_string(printer->text, printer->separator);
    gw_text_string(printer->text, string);
    printer->separator = ", ";
}

/* Prints the part of the line for one event: the packet id, the header of a message, or the ids of an ack-only packet
 * that begins the datagram. Start ack and packed acks are stored for gw_leviathan_print_end(), which prints them after
 * the messages. The other fields are not in the line. */
void gw_leviathan_print_event(gw_leviathan_printer *printer, const gw_leviathan_reader *reader,
                              const gw_leviathan_event *event)
{
    switch (event->role) {
    case GW_LEVIATHAN_ROLE_ACK_ONLY:
        /* Blocks after the packet, which the engine's receiver ignores: only their GW_OPEN has this bit. */
        printer->blocks += (event->odd & GW_LEVIATHAN_ODD_IGNORED) != 0;
        break;
    case GW_LEVIATHAN_ROLE_ACK_ONLY_IDS:
        /* Ack-only blocks after the packet are counted, not listed. */
        if (printer->blocks)
            break;
        print_next(printer, "Ack only, acks ");
        gw_leviathan_print_ids(printer->text, reader->bytes + event->payload.offset, event->payload.length / 4);
        break;
    case GW_LEVIATHAN_ROLE_PACKET_ID:
        gw_text_unsigned(printer->text, (uint32_t)event->number);
        printer->separator = "  ";
        break;
    case GW_LEVIATHAN_ROLE_START_ACK:
        printer->start_ack = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_ROLE_PACKED_ACKS:
        printer->acks = event->payload;
        break;
    case GW_LEVIATHAN_ROLE_MESSAGE_COUNT:
        if (!event->number)
            print_next(printer, "No messages");
        break;
    case GW_LEVIATHAN_ROLE_REQUEST_TYPE:
    case GW_LEVIATHAN_ROLE_RESPONSE_TO:
        /* The last field of a request's or response's header: all of reader->message is set. */
        if (printer->any_message)
            printer->separator = "; ";
        printer->any_message = true;
        print_next(printer, "");
        gw_leviathan_print_message(printer->text, &reader->message, (gw_leviathan_revision)reader->revision);
        break;
    default:
        break;
    }
}

/* Completes the line of a datagram after its last event: prints the packet ids that the packet acknowledges, numbered
 * by printer->reading (how acks are numbered), and the number of ack-only blocks after the packet. */
void gw_leviathan_print_end(gw_leviathan_printer *printer, const gw_leviathan_reader *reader)
{
    if (printer->acks.length) {
        gw_leviathan_acks acks;
        gw_leviathan_acks_init(&acks, printer->start_ack, reader->bytes + printer->acks.offset, printer->acks.length,
                               printer->reading);
        print_next(printer, "acks ");
        gw_leviathan_print_acks(printer->text, acks);
    }
    if (!printer->blocks)
        return;
    print_next(printer, "");
    gw_text_unsigned(printer->text, printer->blocks);
    gw_text_string(printer->text, printer->blocks == 1 ? " ignored ack block" : " ignored ack blocks");
}

/* A whole datagram; a fault is in brackets at the end. */
void gw_leviathan_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_leviathan_options *options)
{
    gw_leviathan_reader reader;
    gw_leviathan_printer printer;
    gw_leviathan_event event;
    gw_next next;
    gw_leviathan_init(&reader, bytes, length, options);
    gw_leviathan_printer_init(&printer, text, options);
    while ((next = gw_leviathan_next(&reader, &event)) == GW_NEXT_EVENT)
        gw_leviathan_print_event(&printer, &reader, &event);
    gw_leviathan_print_end(&printer, &reader);
    if (next != GW_NEXT_FAULT)
        return;
    gw_text_string(text, text->length ? " [" : "[");
    gw_text_string(text, gw_fault_text(&gw_leviathan_faults, reader.fault.code));
    gw_text_char(text, ']');
}
