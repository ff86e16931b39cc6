/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the commands of a datagram: in each mode that its first bytes allow, of which the one with the most evidence is
 * returned.
 */
#include "internal.h"

#include "common/spans.h"

#include <gamewire/bytes.h>
#include <zlib.h>
#include <zstd.h>

/* Added to the evidence of the commands if decompression ends cleanly. */
#define RANGE_CODER_BITS 6
#define FASTLZ_BITS      2
#define LIBRARY_BITS     8 /* zlib, with its checksum; Zstandard, with its magic number */

/* Of a datagram in a format that is not known for the conversation: one command with its end. */
#define OTHER_FORMAT_BITS 12

#define LABEL_SIZE   160
#define FIRST_EVENTS 32U

#define FASTLZ_LEVELS 2U
#define ZLIB_FIRST    0x78 /* deflate, a window of 32 KiB */

/* Dissection has one thread. */
static gw_enet_range_model model;
static uint8_t unpacked[GW_ENET_LARGEST_UNPACKED];

/* ---- events that are shown ------------------------------------------------------------------------------ */

/* Of the commands that are not shown, the OPEN of the first one becomes the item for all of them. */
static bool is_hidden(const enet_reading *reading, const gw_enet_event *event)
{
    bool is_of_command = event->depth || event->role == GW_ENET_ROLE_COMMAND;
    return is_of_command && reading->reader.commands > ENET_MOST_SHOWN &&
           !(event->kind == GW_OPEN && event->index == ENET_MOST_SHOWN);
}

static void keep_event(enet_reading *reading, packet_info *pinfo, const gw_enet_event *event)
{
    if (reading->event_count == reading->event_room) {
        reading->event_room = MAX(2 * reading->event_room, FIRST_EVENTS);
        reading->events =
            (gw_enet_event *)wmem_realloc(pinfo->pool, reading->events, reading->event_room * sizeof *reading->events);
    }
    reading->events[reading->event_count++] = *event;
}

/* ---- the commands' text --------------------------------------------------------------------------------- */

static const char *label_of(const enet_reading *reading, packet_info *pinfo)
{
    gw_text text;
    gw_text_init(&text, (char *)wmem_alloc(pinfo->pool, LABEL_SIZE), LABEL_SIZE);
    gw_enet_print_command(&text, &reading->reader.command);
    return text.buffer;
}

static void print_command(enet_reading *reading, const enet_source *source)
{
    enet_facts *facts = &reading->facts;
    if (source->demand->visible)
        facts->commands[facts->count - 1].label = label_of(reading, source->pinfo);
    if (!reading->line.buffer)
        return;
    gw_text_string(&reading->line, facts->count > 1 ? ", " : "");
    gw_enet_print_command(&reading->line, &reading->reader.command);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static enet_reading *begin_reading(const enet_source *source)
{
    enet_reading *reading = wmem_new0(source->pinfo->pool, enet_reading);
    if (source->demand->line)
        gw_text_init(&reading->line, (char *)wmem_alloc(source->pinfo->pool, ENET_LINE_SIZE), ENET_LINE_SIZE);
    return reading;
}

/* The numbers of a command count although the capture has not all of its payload. */
static void end_reading(enet_reading *reading, const enet_source *source)
{
    const gw_fault *fault = &reading->reader.fault;
    if (fault->code != GW_ENET_FAULT_PAYLOAD_TRUNCATED || !gw_fault_is_cut(source->pinfo, source->tvb, fault))
        return;
    enet_facts_add_cut(&reading->facts, source->pinfo, &reading->reader);
    print_command(reading, source);
    reading->is_cut = true;
}

enet_reading *enet_read(const enet_source *source, const uint8_t *bytes, uint32_t length,
                        const gw_enet_options *options)
{
    enet_reading *reading = begin_reading(source);
    gw_enet_reader *reader = &reading->reader;
    gw_enet_event event;
    gw_enet_init(reader, bytes, length, options);
    while (gw_enet_next(reader, &event) == GW_NEXT_EVENT) {
        gw_enet_weigh(&reading->evidence, reader, &event);
        enet_facts_add(&reading->facts, source->pinfo, reader, &event);
        if (event.kind == GW_CLOSE)
            print_command(reading, source);
        if ((source->demand->items || event.odd) && !is_hidden(reading, &event))
            keep_event(reading, source->pinfo, &event);
    }
    end_reading(reading, source);
    return reading;
}

/* ---- modes ---------------------------------------------------------------------------------------------- */

/* True if this may be a stream of this mode with ENet commands. Most payloads of other protocols fail at their first
 * bytes. */
static bool may_be_range_coder(bool sent_time, const uint8_t *bytes, uint32_t length)
{
    int first = gw_enet_range_first(bytes, length);
    return first >= 0 && first <= UINT8_MAX && gw_enet_may_begin_with(sent_time, (uint8_t)first) &&
           gw_enet_range_may_begin(&model, bytes, length);
}

static size_t unpack_range_coder(const uint8_t *bytes, uint32_t length)
{
    gw_enet_unpacked result;
    if (!gw_enet_range_decode(&model, bytes, length, unpacked, sizeof unpacked, &result) || result.consumed != length)
        return 0;
    return result.length;
}

/* A stream begins with a literal run. */
static bool may_be_fastlz(bool sent_time, const uint8_t *bytes, uint32_t length)
{
    if (length < 2 || bytes[0] >= FASTLZ_LEVELS << 5 || !gw_enet_may_begin_with(sent_time, bytes[1]))
        return false;
    return gw_enet_may_begin_commands(bytes + 1, MIN((bytes[0] & 31U) + 1, length - 1));
}

static size_t unpack_fastlz(const uint8_t *bytes, uint32_t length)
{
    gw_enet_unpacked result;
    return gw_enet_fastlz_decode(bytes, length, unpacked, sizeof unpacked, &result) ? result.length : 0;
}

/* RFC 1950: a window of 32 KiB, no dictionary, and a check of both bytes. */
static bool may_be_zlib(bool sent_time _U_, const uint8_t *bytes, uint32_t length)
{
    return length >= 2 && bytes[0] == ZLIB_FIRST && !(bytes[1] & 0x20) && gw_be16(bytes) % 31 == 0;
}

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

static bool may_be_zstandard(bool sent_time _U_, const uint8_t *bytes, uint32_t length)
{
    return length >= 4 && gw_le32(bytes) == ZSTD_MAGICNUMBER;
}

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

/* ---- readings ------------------------------------------------------------------------------------------- */

#define ALL_MODES (UINT32_C(1) << ENET_COMPRESSIONS)

static uint32_t reading_of(enet_compression mode, bool checksum)
{
    uint32_t readings = mode == ENET_NOT_COMPRESSED ? ALL_MODES - 1 : UINT32_C(1) << mode;
    return checksum ? readings << ENET_COMPRESSIONS : readings;
}

/* For modes that are neither known for the conversation nor set by a preference. */
static bool may_be(enet_compression mode, const uint8_t *bytes, uint32_t length, const enet_choice *choice,
                   const enet_commands *commands)
{
    return !(choice->failed & reading_of(mode, commands->checksum)) &&
           modes[mode].may_be(commands->header.has_sent_time, bytes, length);
}

static bool try_mode(const enet_source *source, const uint8_t *bytes, uint32_t length, enet_compression mode,
                     enet_commands *commands)
{
    const gw_enet_options options = {
        .format = commands->format,
        .commands_only = true,
        .padded = mode == ENET_FASTLZ,
        .checksum = commands->checksum,
        .header = commands->header,
    };
    uint32_t count = (uint32_t)modes[mode].unpack(bytes, length);
    enet_reading *reading = count ? enet_read(source, unpacked, count, &options) : NULL;
    if (!reading || !gw_enet_weigh_end(&reading->evidence, &reading->reader, count, &commands->recognition)) {
        commands->failed |= reading_of(mode, commands->checksum);
        return false;
    }
    commands->bytes = (const uint8_t *)wmem_memdup(source->pinfo->pool, unpacked, count);
    commands->length = count;
    commands->mode = mode;
    commands->reading = reading;
    reading->reader.bytes = commands->bytes;
    if (commands->recognition.bits)
        commands->recognition.bits += modes[mode].bits;
    commands->recognition.readings = reading_of(mode, commands->checksum);
    return true;
}

static bool try_modes(const enet_source *source, const uint8_t *bytes, uint32_t length, const enet_choice *choice,
                      enet_commands *commands)
{
    if (choice->compression > ENET_NOT_COMPRESSED && try_mode(source, bytes, length, choice->compression, commands))
        return true;
    if (choice->only)
        return false;
    for (int mode = ENET_RANGE_CODER; mode < ENET_COMPRESSIONS; mode++)
        if (mode != (int)choice->compression && may_be((enet_compression)mode, bytes, length, choice, commands) &&
            try_mode(source, bytes, length, (enet_compression)mode, commands))
            return true;
    return false;
}

static bool try_compressed(const enet_source *source, const enet_choice *choice, enet_commands *commands)
{
    uint32_t captured = tvb_captured_length(source->tvb);
    uint32_t before = commands->header.length;
    if (captured <= before || captured < tvb_reported_length(source->tvb))
        return false;
    return try_modes(source, gw_bytes_of(source->tvb) + before, captured - before, choice, commands);
}

static bool try_plain(const enet_source *source, const gw_enet_options *options, enet_commands *commands)
{
    uint32_t captured = tvb_captured_length(source->tvb);
    enet_reading *reading = enet_read(source, gw_bytes_of(source->tvb), captured, options);
    commands->reading = reading;
    commands->mode = ENET_NOT_COMPRESSED;
    if (!gw_enet_weigh_end(&reading->evidence, &reading->reader, tvb_reported_length(source->tvb),
                           &commands->recognition))
        return false;
    commands->recognition.readings = reading_of(ENET_NOT_COMPRESSED, commands->checksum);
    return true;
}

/* `commands` has the format. False if the datagram cannot be read so: then it has the header and, if it is not
 * compressed, the reading. */
static bool try_reading(const enet_source *source, const enet_choice *choice, bool checksum, enet_commands *commands)
{
    const gw_enet_options options = { .format = commands->format,
                                      .checksum = checksum,
                                      .port = enet_port_of(source->pinfo) };
    commands->checksum = checksum;
    gw_enet_read_header(gw_bytes_of(source->tvb), tvb_captured_length(source->tvb), &options, &commands->header);
    if (commands->header.is_compressed)
        return try_compressed(source, choice, commands);
    return try_plain(source, &options, commands);
}

/* Formats other than ENet 1.3 have readings of their own. */
static uint32_t reading_of_format(uint32_t format, uint32_t readings)
{
    return format == GW_ENET_1_3 ? readings : UINT32_C(1) << (2 * ENET_COMPRESSIONS + format);
}

static bool try_format(const enet_source *source, const enet_choice *choice, uint32_t number, enet_commands *commands)
{
    bool first = choice->checksum == ENET_CHECKSUM_ALWAYS;
    const gw_enet_format *format = &gw_enet_formats[number];
    bool is_optional = format->checksum != GW_ENET_CHECKSUM_NONE && !format->checksum_always;
    if (!is_optional)
        first = format->checksum_always;
    *commands = (enet_commands){ .mode = ENET_AUTOMATIC, .format = format };
    bool possible = try_reading(source, choice, first, commands);
    if (!possible && is_optional && !choice->checksum_only) {
        enet_commands second = { .mode = ENET_AUTOMATIC, .format = format, .failed = commands->failed };
        possible = try_reading(source, choice, !first, &second);
        if (possible)
            *commands = second;
        else
            commands->failed = second.failed;
    }
    if (possible)
        commands->recognition.readings = reading_of_format(number, commands->recognition.readings);
    return possible;
}

uint8_t enet_first_bytes[2][UINT8_MAX + 1];

/* The first byte that the range coder yields is near the stream's own first byte: equal to it, or one less (see
 * gw_enet_range_first). */
static enet_first_byte first_byte_of(bool sent_time, uint8_t byte)
{
    if (gw_enet_may_begin_with(sent_time, byte) || gw_enet_may_begin_with(sent_time, (uint8_t)(byte - 1)) ||
        byte == ZLIB_FIRST || byte == (ZSTD_MAGICNUMBER & UINT8_MAX))
        return ENET_FIRST_OF_SOME;
    return byte < FASTLZ_LEVELS << 5 ? ENET_FIRST_OF_FASTLZ : ENET_FIRST_OF_NONE;
}

void enet_decompression_init(void)
{
    for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
        enet_first_bytes[false][byte] = (uint8_t)first_byte_of(false, (uint8_t)byte);
        enet_first_bytes[true][byte] = (uint8_t)first_byte_of(true, (uint8_t)byte);
    }
}

static bool may_be_stream(bool sent_time, const uint8_t *bytes, uint32_t length, uint32_t at)
{
    if (!enet_may_begin_stream(bytes, length, at))
        return false;
    bytes += at;
    length -= at;
    return may_be_range_coder(sent_time, bytes, length) || may_be_fastlz(sent_time, bytes, length) ||
           may_be_zlib(sent_time, bytes, length) || may_be_zstandard(sent_time, bytes, length);
}

bool enet_may_be_streams(const uint8_t *bytes, uint32_t length)
{
    bool sent_time = bytes[0] & GW_ENET_SENT_TIME_BIT >> 8;
    uint32_t at = sent_time ? 4 : 2;
    return may_be_stream(sent_time, bytes, length, at) ||
           may_be_stream(sent_time, bytes, length, at + GW_ENET_CHECKSUM_SIZE);
}

/* `before` is NULL if the datagram cannot be read in the formats before. */
static bool is_better(const enet_commands *other, const enet_commands *before, bool is_chosen)
{
    uint32_t bits = other->recognition.bits;
    if (!before && is_chosen)
        return true;
    return bits >= OTHER_FORMAT_BITS && (!before || bits > before->recognition.bits);
}

bool enet_open_commands(const enet_source *source, const enet_choice *choice, enet_commands *commands)
{
    const enet_formats *formats = &choice->formats;
    bool possible = false;
    *commands = (enet_commands){ .mode = ENET_AUTOMATIC, .format = &gw_enet_formats[formats->first] };
    if (tvb_captured_length(source->tvb) < 2)
        return false;
    possible = try_format(source, choice, formats->first, commands);
    if (possible && (commands->recognition.bits || !commands->checksum))
        return true;
    for (uint32_t number = 0; number < GW_ENET_FORMATS; number++) {
        enet_commands other;
        if (number == formats->first || !(formats->others >> number & 1U) ||
            !try_format(source, choice, number, &other) ||
            !is_better(&other, possible ? commands : NULL, formats->is_chosen))
            continue;
        *commands = other;
        possible = true;
    }
    return possible;
}
