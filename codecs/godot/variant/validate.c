/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The validator: the reader without events.
 */
#include "step.h"

/* Only an input of a quarter of a gigabyte has more proof than 32 bits can count. */
static uint32_t proof_of(const gw_godot_summary *summary)
{
    uint32_t members = summary->values ? summary->values - 1 : 0;
    uint32_t telling = members > summary->nils ? members - summary->nils : 0;
    uint64_t proof = 8 + UINT64_C(16) * telling + UINT64_C(8) * summary->counts + UINT64_C(16) * summary->texts +
                     UINT64_C(8) * summary->text_bytes;
    return proof > UINT32_MAX ? UINT32_MAX : (uint32_t)proof;
}

bool gw_godot_validate(const uint8_t *bytes, size_t length, const gw_godot_options *options, gw_godot_summary *summary)
{
    gw_godot_reader reader;
    gw_godot_init(&reader, bytes, length, options);
    *summary = (gw_godot_summary){ .length = reader.offset };
    gw_godot_sum(&reader, summary);
    summary->length = reader.offset - summary->length;
    summary->fault = reader.fault;
    summary->proof = proof_of(summary);
    return reader.fault.fault_class == GW_FAULT_NONE;
}
