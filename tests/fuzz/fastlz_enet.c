/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * FastLZ: whatever comes in, nothing is read or written outside, and output and fault agree for every size of the
 * output.
 */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <gamewire/enet.h>

static bool unpack(const uint8_t *bytes, size_t length, size_t size, gw_enet_unpacked *unpacked)
{
    uint8_t *output = allocate(size);
    bool whole = gw_enet_fastlz_decode(bytes, length, output, size, unpacked);
    CHECK(unpacked->length <= size && unpacked->consumed <= length);
    CHECK(whole == (unpacked->fault.fault_class == GW_FAULT_NONE));
    CHECK(unpacked->fault.fault_class == gw_fault_class_of(&gw_enet_faults, unpacked->fault.code));
    CHECK(unpacked->fault.offset <= length);
    free(output);
    return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    gw_enet_unpacked all, part;
    bool whole = unpack(bytes, length, GW_ENET_LARGEST_UNPACKED, &all);
    CHECK(!whole || all.consumed == length);
    if (!all.length)
        return 0;
    CHECK(unpack(bytes, length, all.length, &part) == whole && part.length == all.length);
    CHECK(!unpack(bytes, length, all.length - 1, &part) && part.length < all.length);
    return 0;
}
