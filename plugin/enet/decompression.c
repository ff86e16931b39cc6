/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "decompression.h"

#include <gamewire/bytes.h>
#include <zlib.h>
#include <zstd.h>

/* What a clean end adds to the evidence of the commands. */
#define RANGE_CODER_BITS 6
#define FASTLZ_BITS      2
#define LIBRARY_BITS     8 /* zlib, with its checksum; Zstandard, with its magic number */

/* Dissection has one thread. */
static gw_enet_range_model model;
static uint8_t unpacked[GW_ENET_LARGEST_UNPACKED];

/* ---- modes ---------------------------------------------------------------------------------------------- */

static bool begins_with_command(uint8_t first)
{
    const gw_enet_command_type *type = gw_enet_command_of(first & GW_ENET_NUMBER_MASK);
    uint8_t flags = first & (uint8_t)~GW_ENET_NUMBER_MASK;
    return type && (flags == type->flags || flags == type->other_flags);
}

/* The first byte costs one division: most strangers end here. */
static size_t unpack_range_coder(const uint8_t *bytes, uint32_t length)
{
    gw_enet_unpacked result;
    int first = gw_enet_range_first(bytes, length);
    if (first < 0 || first > UINT8_MAX || !begins_with_command((uint8_t)first))
        return 0;
    if (!gw_enet_range_decode(&model, bytes, length, unpacked, sizeof unpacked, &result) || result.consumed != length)
        return 0;
    return result.length;
}

/* A stream begins with a literal. */
static size_t unpack_fastlz(const uint8_t *bytes, uint32_t length)
{
    gw_enet_unpacked result;
    if (length < 2 || bytes[0] >= 0x40 || !begins_with_command(bytes[1]))
        return 0;
    return gw_enet_fastlz_decode(bytes, length, unpacked, sizeof unpacked, &result) ? result.length : 0;
}

static size_t unpack_zlib(const uint8_t *bytes, uint32_t length)
{
    z_stream stream = { 0 };
    if (length < 2 || (bytes[0] & 0x0F) != Z_DEFLATED || gw_be16(bytes) % 31)
        return 0;
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

static size_t unpack_zstandard(const uint8_t *bytes, uint32_t length)
{
    if (length < 4 || gw_le32(bytes) != ZSTD_MAGICNUMBER)
        return 0;
    size_t count = ZSTD_decompress(unpacked, sizeof unpacked, bytes, length);
    return ZSTD_isError(count) ? 0 : count;
}

typedef struct mode_type {
    size_t (*unpack)(const uint8_t *bytes, uint32_t length); /* into `unpacked`; 0: not this mode */
    uint32_t bits;
} mode_type;

static const mode_type modes[ENET_COMPRESSIONS] = {
    [ENET_RANGE_CODER] = { unpack_range_coder, RANGE_CODER_BITS },
    [ENET_FASTLZ] = { unpack_fastlz, FASTLZ_BITS },
    [ENET_ZLIB] = { unpack_zlib, LIBRARY_BITS },
    [ENET_ZSTANDARD] = { unpack_zstandard, LIBRARY_BITS },
};

/* ---- readings ------------------------------------------------------------------------------------------- */

#define ALL_MODES (UINT32_C(1) << ENET_COMPRESSIONS)

static uint32_t reading_of(enet_compression mode, bool checksum)
{
    uint32_t readings = mode == ENET_NOT_COMPRESSED ? ALL_MODES - 1 : UINT32_C(1) << mode;
    return checksum ? readings << ENET_COMPRESSIONS : readings;
}

static bool try_mode(packet_info *pinfo, const uint8_t *bytes, uint32_t length, uint16_t header, enet_compression mode,
                     enet_commands *commands)
{
    const gw_enet_options options = {
        .commands_only = true,
        .padded = mode == ENET_FASTLZ,
        .checksum = commands->checksum,
        .header = header,
    };
    size_t count = modes[mode].unpack(bytes, length);
    if (!count || !gw_enet_recognise(unpacked, count, count, &options, &commands->recognition))
        return false;
    commands->bytes = wmem_memdup(pinfo->pool, unpacked, count);
    commands->length = (uint32_t)count;
    commands->mode = mode;
    if (commands->recognition.bits)
        commands->recognition.bits += modes[mode].bits;
    commands->recognition.readings = reading_of(mode, commands->checksum);
    return true;
}

static bool try_modes(packet_info *pinfo, const uint8_t *bytes, uint32_t length, uint16_t header,
                      const enet_choice *choice, enet_commands *commands)
{
    if (choice->compression > ENET_NOT_COMPRESSED &&
        try_mode(pinfo, bytes, length, header, choice->compression, commands))
        return true;
    if (choice->only)
        return false;
    for (int mode = ENET_RANGE_CODER; mode < ENET_COMPRESSIONS; mode++)
        if (mode != (int)choice->compression &&
            try_mode(pinfo, bytes, length, header, (enet_compression)mode, commands))
            return true;
    return false;
}

static bool try_compressed(tvbuff_t *tvb, packet_info *pinfo, const enet_choice *choice, bool checksum,
                           enet_commands *commands)
{
    uint32_t captured = tvb_captured_length(tvb);
    uint16_t header = tvb_get_ntohs(tvb, 0);
    uint32_t before = gw_enet_header_length(header, checksum);
    if (captured <= before || captured < tvb_reported_length(tvb))
        return false;
    commands->checksum = checksum;
    return try_modes(pinfo, tvb_get_ptr(tvb, (int)before, (int)(captured - before)), captured - before, header, choice,
                     commands);
}

static bool try_plain(tvbuff_t *tvb, bool checksum, enet_commands *commands)
{
    uint32_t captured = tvb_captured_length(tvb);
    const gw_enet_options options = { .checksum = checksum };
    if (!gw_enet_recognise(tvb_get_ptr(tvb, 0, (int)captured), captured, tvb_reported_length(tvb), &options,
                           &commands->recognition))
        return false;
    commands->checksum = commands->recognition.readings == GW_ENET_READING_CHECKSUM;
    if (commands->checksum != checksum)
        return false;
    commands->mode = ENET_NOT_COMPRESSED;
    commands->recognition.readings = reading_of(ENET_NOT_COMPRESSED, checksum);
    return true;
}

static bool try_reading(tvbuff_t *tvb, packet_info *pinfo, const enet_choice *choice, bool checksum,
                        enet_commands *commands)
{
    if (tvb_get_ntohs(tvb, 0) & GW_ENET_COMPRESSED_BIT)
        return try_compressed(tvb, pinfo, choice, checksum, commands);
    return try_plain(tvb, checksum, commands);
}

bool enet_open_commands(tvbuff_t *tvb, packet_info *pinfo, const enet_choice *choice, enet_commands *commands)
{
    bool first = choice->checksum == ENET_CHECKSUM_ALWAYS;
    *commands = (enet_commands){ .mode = ENET_AUTOMATIC, .checksum = first };
    if (tvb_captured_length(tvb) < 2)
        return false;
    if (try_reading(tvb, pinfo, choice, first, commands) ||
        (!choice->checksum_only && try_reading(tvb, pinfo, choice, !first, commands)))
        return true;
    *commands = (enet_commands){ .mode = ENET_AUTOMATIC, .checksum = first };
    if (!(tvb_get_ntohs(tvb, 0) & GW_ENET_COMPRESSED_BIT))
        commands->mode = ENET_NOT_COMPRESSED;
    return false;
}
