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
static uint8_t ours[8192], theirs[8192];

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
    size_t expected = enet_range_coder_compress(reference(), &buffer, 1, length, theirs, sizeof theirs);
    gw_output_init(&output, ours, sizeof ours);
    gw_enet_range_encode(&model, &output, bytes, length);
    CHECK(output.length == expected && !memcmp(ours, theirs, expected));
    CHECK(gw_enet_range_decode(&model, theirs, expected, ours, length, &unpacked));
    CHECK(unpacked.length == length && unpacked.consumed == expected && !memcmp(ours, bytes, length));
    CHECK(gw_enet_range_first(theirs, expected) == bytes[0]);
    free(copy);
}

static void check_decoder(const uint8_t *bytes, size_t length, size_t size)
{
    gw_enet_unpacked unpacked;
    uint8_t *output = allocate(size);
    bool whole = gw_enet_range_decode(&model, bytes, length, output, size, &unpacked);
    CHECK(unpacked.length <= size && unpacked.consumed <= length);
    CHECK(whole == (unpacked.fault.fault_class == GW_FAULT_NONE));
    CHECK(unpacked.fault.fault_class == gw_enet_fault_class(unpacked.fault.code));
    if (whole && length) {
        CHECK(enet_range_coder_decompress(reference(), bytes, length, theirs, size) == unpacked.length);
        CHECK(!memcmp(output, theirs, unpacked.length));
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
