/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's range coder beside libenet's: the input as data to compress, and as a compressed stream.
 */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <enet/enet.h>
#include <gamewire/enet.h>

static gw_enet_range_model model;
static uint8_t encoded[8192], expected_bytes[8192];

static void *reference(void)
{
    static void *coder;
    if (!coder)
        coder = enet_range_coder_create();
    CHECK(coder != NULL);
    return coder;
}

static void check_encoder(const uint8_t *bytes, size_t length)
{
    gw_output output;
    gw_enet_unpacked unpacked;
    /* libenet's buffers are not const. */
    uint8_t *copy = allocate(length);
    memcpy(copy, bytes, length);
    ENetBuffer buffer = { .data = copy, .dataLength = length };
    size_t expected = enet_range_coder_compress(reference(), &buffer, 1, length, expected_bytes, sizeof expected_bytes);
    gw_output_init(&output, encoded, sizeof encoded);
    gw_enet_range_encode(&model, &output, bytes, length);
    CHECK(output.length == expected && !memcmp(encoded, expected_bytes, expected));
    CHECK(gw_enet_range_decode(&model, expected_bytes, expected, encoded, length, &unpacked));
    CHECK(unpacked.length == length && unpacked.consumed == expected && !memcmp(encoded, bytes, length));
    CHECK(gw_enet_range_first(expected_bytes, expected) == bytes[0]);
    free(copy);
}

static void check_decoder(const uint8_t *bytes, size_t length, size_t size)
{
    gw_enet_unpacked unpacked;
    uint8_t *output = allocate(size);
    bool whole = gw_enet_range_decode(&model, bytes, length, output, size, &unpacked);
    CHECK(unpacked.length <= size && unpacked.consumed <= length);
    CHECK(whole == (unpacked.fault.fault_class == GW_FAULT_NONE));
    CHECK(unpacked.fault.fault_class == gw_fault_class_of(&gw_enet_faults, unpacked.fault.code));
    if (whole && length) {
        CHECK(enet_range_coder_decompress(reference(), bytes, length, expected_bytes, size) == unpacked.length);
        CHECK(!memcmp(output, expected_bytes, unpacked.length));
    }
    free(output);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length && length <= GW_ENET_LARGEST_UNPACKED)
        check_encoder(bytes, length);
    check_decoder(bytes, length, GW_ENET_LARGEST_UNPACKED);
    check_decoder(bytes, length, 16);
    return 0;
}
