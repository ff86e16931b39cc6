/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's reader, validator, recognizer, printer and writer on the same bytes, as a datagram, as one with a checksum,
 * and as decompressed commands.
 */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <gamewire/bytes.h>
#include <gamewire/enet.h>

#define LONGEST_PREFIX 63 /* of a datagram of which a capture has only the beginning */

struct input {
    const uint8_t *bytes;
    size_t length;
    gw_enet_options options;
};

struct walk {
    gw_fault fault;
    gw_next last;
    uint32_t odd;
    uint32_t commands; /* that are whole */
    uint32_t after;    /* end of what the events explain */
};

/* ---- events ---------------------------------------------------------------------------------------------- */

/* The parts of a header or command follow one another, up to its end or to the fault, and their oddities are those of the
 * event, which has one of its own. */
static void check_parts(const gw_enet_reader *reader, const gw_enet_event *event)
{
    gw_enet_part part = { 0 };
    uint32_t after = event->header.offset, odd = 0;
    while (gw_enet_next_part(reader, event, &part)) {
        CHECK(part.field->role > GW_ENET_ROLE_PADDING && part.field->role < GW_ENET_ROLES);
        CHECK(part.span.offset == after);
        CHECK(part.span.length || part.field->role == GW_ENET_ROLE_PAYLOAD);
        after = gw_span_end(part.span);
        odd |= part.odd;
    }
    CHECK(after == (event->is_cut ? reader->fault.offset : gw_span_end(event->payload)));
    CHECK(odd == (event->odd & ~(uint32_t)GW_ENET_ODD_COMMAND_COUNT));
}

/* The command as it was read, written once more. */
static void check_writer(const struct input *input, const gw_enet_event *event)
{
    const gw_span whole = gw_enet_span_of(event);
    uint8_t *bytes = allocate(whole.length);
    gw_output output;
    gw_output_init(&output, bytes, whole.length);
    gw_enet_write_command(&output, &event->command, input->bytes + event->payload.offset);
    CHECK(output.length == whole.length);
    CHECK(!memcmp(bytes, input->bytes + whole.offset, output.length));
    free(bytes);
}

/* Nothing is left out and nothing is shown twice: events follow one another. */
static void check_event(const struct input *input, const gw_enet_reader *reader, const gw_enet_event *event,
                        struct walk *walk)
{
    const gw_span whole = gw_enet_span_of(event);
    bool is_command = event->role == GW_ENET_ROLE_COMMAND, is_header = event->role == GW_ENET_ROLE_HEADER;
    CHECK(event->role > GW_ENET_ROLE_NONE && event->role <= GW_ENET_ROLE_PADDING);
    CHECK(event->kind == (is_command || is_header ? GW_VALUE : GW_OPAQUE));
    CHECK(event->odd >> GW_ENET_ODDS == 0);
    CHECK(whole.length && whole.offset == walk->after && span_is_inside(whole, input->length));
    CHECK(event->payload.offset == gw_span_end(event->header));
    CHECK(event->is_cut == (reader->fault.fault_class != GW_FAULT_NONE));
    CHECK(event->index == (is_command ? walk->commands : 0));
    if (is_command || is_header)
        check_parts(reader, event);
    if (is_command && !event->is_cut) {
        walk->commands++;
        check_writer(input, event);
    }
    walk->after = event->is_cut ? reader->fault.offset : gw_span_end(whole);
    walk->odd |= event->odd;
}

static void read_events(const struct input *input, struct walk *walk)
{
    gw_enet_reader reader;
    gw_enet_event event;
    size_t events = 0;
    memset(walk, 0, sizeof *walk);
    gw_enet_init(&reader, input->bytes, input->length, &input->options);
    while ((walk->last = gw_enet_next(&reader, &event)) == GW_NEXT_EVENT) {
        check_event(input, &reader, &event, walk);
        CHECK(walk->after == reader.offset);
        CHECK(++events <= input->length);
    }
    CHECK(gw_enet_next(&reader, &event) == walk->last);
    CHECK(walk->last == GW_NEXT_FAULT || walk->after == input->length);
    walk->fault = reader.fault;
}

/* ---- agreement ------------------------------------------------------------------------------------------- */

static gw_fault find_fault(const uint8_t *bytes, size_t length, const void *options)
{
    gw_enet_summary summary;
    gw_enet_validate(bytes, length, options, &summary);
    return summary.fault;
}

static void check_validator(const struct input *input, const struct walk *walk)
{
    gw_enet_summary summary;
    bool valid = gw_enet_validate(input->bytes, input->length, &input->options, &summary);
    CHECK(valid == (walk->last == GW_NEXT_END));
    CHECK(faults_are_equal(&summary.fault, &walk->fault));
    CHECK(summary.odd == walk->odd);
    CHECK(!valid || (summary.commands == walk->commands && summary.length == input->length));
}

static void check_printer(const struct input *input)
{
    char buffer[512];
    gw_text text;
    for (size_t size = 16; size <= sizeof buffer; size *= 32) {
        gw_text_init(&text, buffer, size);
        gw_enet_print(&text, input->bytes, input->length, &input->options);
        check_text(&text);
    }
}

/* What has proof can be read, and breaks no rule. */
static void check_recognition(const struct input *input, const struct walk *walk)
{
    gw_recognition recognition;
    bool possible = gw_enet_recognize(input->bytes, input->length, input->length, &input->options, &recognition);
    CHECK(possible == recognition.possible);
    CHECK(possible ? recognition.readings != 0 : !recognition.bits);
    bool with_checksum = recognition.readings == GW_ENET_READING_CHECKSUM;
    bool this_reading = input->options.checksum == with_checksum;
    if (recognition.bits && this_reading)
        CHECK(walk->last == GW_NEXT_END && !walk->odd);
    /* Each prefix at the end of the same memory, so that a sanitizer sees each byte read beyond. */
    uint8_t *memory = allocate(LONGEST_PREFIX);
    for (size_t captured = 0; captured < input->length && captured <= LONGEST_PREFIX; captured++) {
        uint8_t *part = memory + LONGEST_PREFIX - captured;
        memcpy(part, input->bytes, captured);
        (void)gw_enet_recognize(part, captured, input->length, &input->options, &recognition);
        (void)gw_enet_is_photon(part, captured, input->length);
    }
    free(memory);
}

static void check_checksum(const struct input *input, gw_enet_checksum_kind kind)
{
    if (input->length < 6)
        return;
    uint32_t id = gw_be32(input->bytes + 2), found;
    const gw_enet_covered covered = { input->bytes, input->bytes + 6, 2, input->length - 6 };
    uint64_t checksum = gw_enet_checksum(kind, &covered, id);
    CHECK(gw_enet_connect_id_of(kind, &covered, checksum, &found) && found == id);
}

/* A CONNECT of another format can be read as such, without oddities. */
static void check_connect(const struct input *input)
{
    gw_enet_options options;
    gw_enet_summary summary;
    const gw_enet_format *format = gw_enet_format_of_connect(input->bytes, input->length, 0, &options);
    if (!format)
        return;
    CHECK(format == options.format);
    CHECK(gw_enet_validate(input->bytes, input->length, &options, &summary));
    CHECK(summary.commands == 1 && !summary.odd);
}

static void check_reading(const struct input *input)
{
    struct walk walk;
    read_events(input, &walk);
    check_validator(input, &walk);
    check_printer(input);
    check_recognition(input, &walk);
    check_needed(input->bytes, input->length, &walk.fault, 0x85, find_fault, &input->options);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    for (int format = 0; format < GW_ENET_FORMATS; format++)
        for (int checksum = 0; checksum < 2; checksum++) {
            const struct input input = { bytes,
                                         length,
                                         { .format = &gw_enet_formats[format], .checksum = checksum, .port = 40500 } };
            check_reading(&input);
        }
    const struct input unpacked = {
        bytes, length, { .commands_only = true, .header = gw_enet_header_of(NULL, 0xC001), .padded = true }
    };
    check_reading(&unpacked);
    check_checksum(&unpacked, GW_ENET_CRC_32);
    check_checksum(&unpacked, GW_ENET_CRC_64);
    check_connect(&unpacked);
    return 0;
}
