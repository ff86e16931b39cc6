/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the commands of a datagram: in each mode that its first bytes allow, of which the one with the most evidence is
 * returned.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/items.h"

#include <gamewire/bytes.h>
#include <zlib.h>
#include <zstd.h>

/* Added to the evidence of the commands if decompression ends cleanly. */
#define RANGE_CODER_BITS 6
#define FASTLZ_BITS      2
#define LIBRARY_BITS     8 /* zlib, with its checksum; Zstandard, with its magic number */

/* Needed by a datagram in a format that is not known for the conversation: one command with its end. */
#define OTHER_FORMAT_BITS 12

#define FIRST_COMMANDS 4U
#define FIRST_EVENTS   4U

int enet_compression_choice = ENET_AUTOMATIC;
int enet_checksum_choice = ENET_CHECKSUM_AUTOMATIC;
int enet_format_choice = ENET_FORMAT_AUTOMATIC;

/* Dissection has one thread. */
static gw_enet_range_model model;
static uint8_t unpacked[GW_ENET_LARGEST_UNPACKED];

/* ---- facts ---------------------------------------------------------------------------------------------- */

/* The facts of a command that has all its fields; its payload may be cut. Commands that set up or limit the connection
 * keep all their numbers. */
static enet_command command_of(packet_info *pinfo, const gw_enet_reader *reader, const gw_enet_event *event)
{
    const gw_enet_command *read = &event->command;
    const uint32_t *values = read->values;
    const uint8_t number = read->number;
    enet_command command = {
        .number = number,
        .flags = read->flags,
        .channel = (uint8_t)values[GW_ENET_ROLE_CHANNEL],
        .odd = event->odd,
        .sequence =
            (uint16_t)values[number == GW_ENET_ACKNOWLEDGE ? GW_ENET_ROLE_ACKED_SEQUENCE : GW_ENET_ROLE_SEQUENCE],
        .acked_sent_time = (uint16_t)values[GW_ENET_ROLE_ACKED_SENT_TIME],
        .sub_sequence = (uint16_t)values[number == GW_ENET_SEND_UNRELIABLE    ? GW_ENET_ROLE_UNRELIABLE_SEQUENCE
                                         : number == GW_ENET_SEND_UNSEQUENCED ? GW_ENET_ROLE_GROUP
                                                                              : GW_ENET_ROLE_START_SEQUENCE],
        .length = (uint16_t)values[GW_ENET_ROLE_LENGTH],
        .fragment_number = values[GW_ENET_ROLE_FRAGMENT_NUMBER],
        .fragment_count = values[GW_ENET_ROLE_FRAGMENT_COUNT],
        .fragment_offset = values[GW_ENET_ROLE_FRAGMENT_OFFSET],
        .total_length = values[GW_ENET_ROLE_TOTAL_LENGTH],
        .payload = { event->payload.offset, values[GW_ENET_ROLE_LENGTH] },
        .size = read->type->size + values[GW_ENET_ROLE_LENGTH],
        .is_cut = event->is_cut,
    };
    /* By the fields of its type, as the number may be 0. */
    for (const gw_enet_field *field = read->type->fields; field->role; field++)
        command.has_data |= field->role == GW_ENET_ROLE_DATA;
    command.data = values[GW_ENET_ROLE_DATA];
    if (number == GW_ENET_CONNECT || number == GW_ENET_VERIFY_CONNECT || number == GW_ENET_BANDWIDTH_LIMIT ||
        number == GW_ENET_THROTTLE_CONFIGURE) {
        uint32_t *setup = wmem_memdup(pinfo->pool, values, sizeof read->values);
        /* In such formats VERIFY_CONNECT has no id of its own, but its header has. */
        if (reader->options.format->session_in_connect && number == GW_ENET_VERIFY_CONNECT)
            setup[GW_ENET_ROLE_CONNECT_ID] = reader->header.session;
        command.setup = setup;
    }
    return command;
}

/* Adds a command that has all its fields to the facts, and its text to the line, which has no buffer if neither a label
 * nor an Info column uses it. */
static void add_command(enet_reading *reading, const enet_source *source, const gw_enet_event *event)
{
    enet_facts *facts = &reading->facts;
    wmem_allocator_t *pool = source->pinfo->pool;
    if (facts->count == facts->room) {
        facts->room = MAX(2 * facts->room, FIRST_COMMANDS);
        facts->commands = wmem_realloc(pool, facts->commands, facts->room * sizeof *facts->commands);
    }
    facts->commands[facts->count++] = command_of(source->pinfo, &reading->reader, event);
    if (!reading->line.buffer)
        return;
    gw_text_string(&reading->line, facts->count > 1 ? ", " : "");
    gw_enet_print_command(&reading->line, &event->command);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* Reads the bytes, a datagram or decompressed commands, to the end or to a fault. Returns the evidence of all events,
 * the facts of the commands with the text of the line, and the events that become items or expert infos. */
enet_reading *enet_read(const enet_source *source, const uint8_t *bytes, uint32_t length,
                        const gw_enet_options *options)
{
    wmem_allocator_t *pool = source->pinfo->pool;
    enet_reading *reading = wmem_new0(pool, enet_reading);
    gw_enet_reader *reader = &reading->reader;
    gw_enet_event event;
    if (source->demand->line)
        gw_text_init(&reading->line, wmem_alloc(pool, ENET_LINE_SIZE), ENET_LINE_SIZE);
    gw_enet_init(reader, bytes, length, options);
    while (gw_enet_next(reader, &event) == GW_NEXT_EVENT) {
        gw_enet_weigh(&reading->evidence, reader, &event);
        /* A command counts if it is complete, or if the capture cut only its payload: its numbers are there. */
        if (event.role == GW_ENET_ROLE_COMMAND &&
            (!event.is_cut || (reader->fault.code == GW_ENET_FAULT_PAYLOAD_TRUNCATED &&
                               gw_fault_is_cut(source->pinfo, source->tvb, &reader->fault))))
            add_command(reading, source, &event);
        /* Events that become an item, or have oddities, which become expert infos. The commands after the most that are
         * shown have one item, by the event of the first of them. */
        if ((!source->demand->items && !event.odd) || event.index > ENET_MOST_SHOWN)
            continue;
        if (reading->event_count == reading->event_room) {
            reading->event_room = MAX(2 * reading->event_room, FIRST_EVENTS);
            reading->events = wmem_realloc(pool, reading->events, reading->event_room * sizeof *reading->events);
        }
        reading->events[reading->event_count++] = event;
    }
    return reading;
}

/* ---- modes ---------------------------------------------------------------------------------------------- */

/* For each mode: whether this may be a stream of it with ENet commands, and its decompression into `unpacked`, of which
 * the number of bytes is returned, 0 if it is not this mode. Most payloads of other protocols fail at their first
 * bytes. */

/* True if the bytes may be a stream of the range coder: the first byte that it yields is that of a command, and so may
 * be the bytes after it. `sent_time`: the header has one. */
static bool may_be_range_coder(bool sent_time, const uint8_t *bytes, uint32_t length)
{
    int first = gw_enet_range_first(bytes, length);
    return first >= 0 && first <= UINT8_MAX && gw_enet_may_begin_with(sent_time, (uint8_t)first) &&
           gw_enet_range_may_begin(&model, bytes, length);
}

/* Decompresses a stream of the range coder. A sender's stream ends with the datagram: bytes after its end show that it
 * is none. */
static size_t unpack_range_coder(const uint8_t *bytes, uint32_t length)
{
    gw_enet_unpacked result;
    if (!gw_enet_range_decode(&model, bytes, length, unpacked, sizeof unpacked, &result) || result.consumed != length)
        return 0;
    return result.length;
}

/* True if the bytes may be a stream of FastLZ: it begins with a level and a run of literals, which begin ENet's
 * commands. */
static bool may_be_fastlz(bool sent_time, const uint8_t *bytes, uint32_t length)
{
    if (length < 2 || bytes[0] >= ENET_FASTLZ_LEVELS << 5 || !gw_enet_may_begin_with(sent_time, bytes[1]))
        return false;
    return gw_enet_may_begin_commands(bytes + 1, MIN((bytes[0] & 31U) + 1, length - 1));
}

/* Decompresses a stream of FastLZ. */
static size_t unpack_fastlz(const uint8_t *bytes, uint32_t length)
{
    gw_enet_unpacked result;
    return gw_enet_fastlz_decode(bytes, length, unpacked, sizeof unpacked, &result) ? result.length : 0;
}

/* True if the bytes begin as a stream of zlib (RFC 1950): a window of 32 KiB, no dictionary, and a check of both
 * bytes. */
static bool may_be_zlib(bool sent_time _U_, const uint8_t *bytes, uint32_t length)
{
    return length >= 2 && bytes[0] == ENET_ZLIB_FIRST && !(bytes[1] & 0x20) && gw_be16(bytes) % 31 == 0;
}

/* Decompresses a stream of zlib, which must end with the datagram. */
static size_t unpack_zlib(const uint8_t *bytes, uint32_t length)
{
    z_stream stream = { 0 };
    if (inflateInit(&stream) != Z_OK)
        return 0;
    stream.next_in = (z_const Bytef *)bytes;
    stream.avail_in = length;
    stream.next_out = unpacked;
    stream.avail_out = sizeof unpacked;
    bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && !stream.avail_in;
    size_t count = sizeof unpacked - stream.avail_out;
    inflateEnd(&stream);
    return whole ? count : 0;
}

/* True if the bytes begin with the magic number of Zstandard. */
static bool may_be_zstandard(bool sent_time _U_, const uint8_t *bytes, uint32_t length)
{
    return length >= 4 && gw_le32(bytes) == ZSTD_MAGICNUMBER;
}

/* Decompresses a stream of Zstandard. */
static size_t unpack_zstandard(const uint8_t *bytes, uint32_t length)
{
    size_t count = ZSTD_decompress(unpacked, sizeof unpacked, bytes, length);
    return ZSTD_isError(count) ? 0 : count;
}

typedef struct mode_type {
    bool (*may_be)(bool sent_time, const uint8_t *bytes, uint32_t length);
    size_t (*unpack)(const uint8_t *bytes, uint32_t length); /* into `unpacked`; 0: not this mode */
    uint32_t bits;
} mode_type;

static const mode_type modes[ENET_COMPRESSIONS] = {
    [ENET_RANGE_CODER] = { may_be_range_coder, unpack_range_coder, RANGE_CODER_BITS },
    [ENET_FASTLZ] = { may_be_fastlz, unpack_fastlz, FASTLZ_BITS },
    [ENET_ZLIB] = { may_be_zlib, unpack_zlib, LIBRARY_BITS },
    [ENET_ZSTANDARD] = { may_be_zstandard, unpack_zstandard, LIBRARY_BITS },
};

/* True if the bytes, 2 at least, may be a stream of one of the modes with ENet's commands. `sent_time`: the header has
 * one. */
bool enet_may_be_stream(bool sent_time, const uint8_t *bytes, uint32_t length)
{
    return may_be_range_coder(sent_time, bytes, length) || may_be_fastlz(sent_time, bytes, length) ||
           may_be_zlib(sent_time, bytes, length) || may_be_zstandard(sent_time, bytes, length);
}

/* ---- readings ------------------------------------------------------------------------------------------- */

#define ALL_MODES ((UINT32_C(1) << ENET_COMPRESSIONS) - 1)

/* The bits of a reading in this mode in gw_recognition.readings: a bit for each mode, in the upper group with a
 * checksum. Plain datagrams have the bits of all modes, as a conversation in any mode may have them. */
static uint32_t readings_of(enet_compression mode, bool checksum)
{
    uint32_t readings = mode == ENET_NOT_COMPRESSED ? ALL_MODES : UINT32_C(1) << mode;
    return checksum ? readings << ENET_COMPRESSIONS : readings;
}

/* Decompresses the bytes after the header in this mode, and reads the commands. If they are ENet's, sets the members of
 * `commands` that describe them; if not, only that this reading has failed. With FastLZ, zeros may follow the commands:
 * Godot pads short ones before it compresses them. */
static bool try_mode(const enet_source *source, enet_compression mode, enet_commands *commands)
{
    const gw_enet_options options = {
        .format = commands->format,
        .commands_only = true,
        .padded = mode == ENET_FASTLZ,
        .checksum = commands->checksum,
        .header = commands->header,
    };
    uint32_t header_length = commands->header.length;
    const uint8_t *packed = gw_bytes_of(source->tvb) + header_length;
    uint32_t count = (uint32_t)modes[mode].unpack(packed, tvb_captured_length(source->tvb) - header_length);
    enet_reading *reading = count ? enet_read(source, unpacked, count, &options) : NULL;
    uint32_t readings = readings_of(mode, commands->checksum);
    if (!reading || !gw_enet_weigh_end(&reading->evidence, &reading->reader, count, &commands->recognition)) {
        commands->failed |= readings;
        return false;
    }
    /* The next datagram overwrites `unpacked`, in which the reading's events have their bytes. */
    commands->bytes = wmem_memdup(source->pinfo->pool, unpacked, count);
    commands->length = count;
    commands->mode = mode;
    commands->reading = reading;
    reading->reader.bytes = commands->bytes;
    /* A clean end of the stream adds to the evidence, but is none alone. */
    if (commands->recognition.bits)
        commands->recognition.bits += modes[mode].bits;
    commands->recognition.readings = readings;
    return true;
}

/* Decompresses and reads the commands: first in the mode that is known for the conversation or set by the preference,
 * then in the others that may be, unless the preference permits only that one. False if none succeeds. */
static bool try_modes(const enet_source *source, const enet_choice *choice, enet_commands *commands)
{
    uint32_t captured = tvb_captured_length(source->tvb);
    uint32_t header_length = commands->header.length;
    /* A stream that the capture cut cannot be decompressed to its end. */
    if (captured <= header_length || captured < tvb_reported_length(source->tvb))
        return false;
    if (choice->compression > ENET_NOT_COMPRESSED && try_mode(source, choice->compression, commands))
        return true;
    if (choice->only)
        return false;
    const uint8_t *packed = gw_bytes_of(source->tvb) + header_length;
    for (enet_compression mode = ENET_RANGE_CODER; mode < ENET_COMPRESSIONS; mode++)
        if (mode != choice->compression && !(choice->failed & readings_of(mode, commands->checksum)) &&
            modes[mode].may_be(commands->header.has_sent_time, packed, captured - header_length) &&
            try_mode(source, mode, commands))
            return true;
    return false;
}

/* Reads the datagram in the format of `commands`, and decompresses its commands if the header says that they are
 * compressed. Sets the members of `commands` that describe the reading; false if the commands cannot be read so.
 * `readings`: the bits of this reading (modes of compression, with or without a checksum), of which all datagrams of a
 * series have one in common. */
static bool try_reading(const enet_source *source, const enet_choice *choice, bool checksum, enet_commands *commands)
{
    const gw_enet_options options = { .format = commands->format,
                                      .checksum = checksum,
                                      .port = enet_port_of(source->pinfo) };
    const uint8_t *bytes = gw_bytes_of(source->tvb);
    uint32_t captured = tvb_captured_length(source->tvb);
    enet_reading *reading = enet_read(source, bytes, captured, &options);
    commands->checksum = checksum;
    commands->datagram = reading;
    commands->header = reading->reader.header;
    if (commands->header.is_compressed)
        return try_modes(source, choice, commands);
    commands->reading = reading;
    commands->mode = ENET_NOT_COMPRESSED;
    if (!gw_enet_weigh_end(&reading->evidence, &reading->reader, tvb_reported_length(source->tvb),
                           &commands->recognition))
        return false;
    commands->recognition.readings = readings_of(ENET_NOT_COMPRESSED, checksum);
    return true;
}

/* Reads the datagram in one format: first with the more likely checksum setting, then with the other one, if the format
 * leaves it to the application and no preference sets it. Sets `commands` to the reading that is possible, or to the
 * first one, with the failed readings of both. */
static bool try_format(const enet_source *source, const enet_choice *choice, uint32_t number, enet_commands *commands)
{
    const gw_enet_format *format = &gw_enet_formats[number];
    bool is_optional = format->checksum != GW_ENET_CHECKSUM_NONE && !format->checksum_always;
    bool first_checksum = is_optional ? choice->checksum == ENET_CHECKSUM_ALWAYS : format->checksum_always;
    *commands = (enet_commands){ .mode = ENET_AUTOMATIC, .format = format };
    bool possible = try_reading(source, choice, first_checksum, commands);
    if (!possible && is_optional && !choice->checksum_only) {
        enet_commands retry = { .mode = ENET_AUTOMATIC, .format = format, .failed = commands->failed };
        possible = try_reading(source, choice, !first_checksum, &retry);
        if (possible)
            *commands = retry;
        else
            commands->failed = retry.failed;
    }
    /* In `readings`, of which all datagrams of a series have one in common, each format other than ENet 1.3 has one
     * bit, above those of the modes with and without a checksum. */
    if (possible && number != GW_ENET_1_3)
        commands->recognition.readings = UINT32_C(1) << (2 * ENET_COMPRESSIONS + number);
    return possible;
}

/* The modes and formats to try: those that are known for the conversation, unless a preference sets others or the
 * datagram is a CONNECT. The preference of a format counts only while no datagram of the conversation has shown it
 * (is_known); with it, the format in which a server answers a client of this format is tried, too. */
static enet_choice choice_of(const enet_source *source, const enet_choice *known)
{
    enet_choice choice = *known;
    gw_enet_options connect;
    if (enet_compression_choice != ENET_AUTOMATIC) {
        choice.compression = (enet_compression)enet_compression_choice;
        choice.only = true;
    }
    if (enet_checksum_choice != ENET_CHECKSUM_AUTOMATIC) {
        choice.checksum = (enet_checksums)enet_checksum_choice;
        choice.checksum_only = true;
    }
    if (enet_format_choice != ENET_FORMAT_AUTOMATIC && !known->formats.is_known) {
        uint8_t reply = gw_enet_formats[enet_format_choice].reply;
        choice.formats = (enet_formats){ .first = (uint8_t)enet_format_choice,
                                         .is_chosen = true,
                                         .others = reply == enet_format_choice ? 0 : UINT32_C(1) << reply };
    }
    /* A CONNECT shows the format itself. A later pass reads the datagram as the first one did. */
    bool is_archived = gw_is_later_pass(source->pinfo) && known->formats.is_known;
    if (enet_format_choice == ENET_FORMAT_AUTOMATIC && !is_archived && !gw_is_incomplete(source->pinfo, source->tvb) &&
        gw_enet_format_of_connect(gw_bytes_of(source->tvb), tvb_captured_length(source->tvb),
                                  enet_port_of(source->pinfo), &connect))
        choice.formats = (enet_formats){ .first = (uint8_t)(connect.format - gw_enet_formats), .is_known = true };
    return choice;
}

/* Reads a datagram in the most likely format, with the modes that are known for its conversation first; in other
 * formats that `known` or the preferences name if it cannot be read, or only with a checksum and without evidence.
 * Returns the reading with the most evidence, or the first one if none is possible. */
enet_commands enet_open_commands(const enet_source *source, const enet_choice *known)
{
    const enet_choice choice = choice_of(source, known);
    const enet_formats *formats = &choice.formats;
    enet_commands commands = { .mode = ENET_AUTOMATIC, .format = &gw_enet_formats[formats->first] };
    if (tvb_captured_length(source->tvb) < 2)
        return commands;
    bool possible = try_format(source, &choice, formats->first, &commands);
    /* A reading with a checksum, and without evidence, may be the wrong one. */
    if (possible && (commands.recognition.bits || !commands.checksum))
        return commands;
    /* Another format needs OTHER_FORMAT_BITS, and more evidence than the first, if that is possible. If the first is
     * not, and is set by preference (is_chosen), the format in which a server answers it needs no evidence. */
    for (uint32_t number = 0; number < GW_ENET_FORMATS; number++) {
        enet_commands other;
        if (number == formats->first || !(formats->others >> number & 1U) ||
            !try_format(source, &choice, number, &other))
            continue;
        uint32_t bits = other.recognition.bits;
        if (possible ? bits >= OTHER_FORMAT_BITS && bits > commands.recognition.bits
                     : bits >= OTHER_FORMAT_BITS || formats->is_chosen) {
            commands = other;
            possible = true;
        }
    }
    return commands;
}
