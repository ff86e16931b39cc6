/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Counts what the reader finds.
 */
#include <gamewire/leviathan.h>

bool gw_leviathan_validate(const uint8_t *bytes, size_t length, const gw_leviathan_options *options,
                           gw_leviathan_summary *summary)
{
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    gw_next next;
    *summary = (gw_leviathan_summary){ 0 };
    gw_leviathan_init(&reader, bytes, length, options);
    while ((next = gw_leviathan_next(&reader, &event)) == GW_NEXT_EVENT) {
        summary->messages += event.kind == GW_CLOSE && event.role == GW_LEVIATHAN_ROLE_MESSAGE;
        summary->blocks += event.kind == GW_CLOSE && event.role == GW_LEVIATHAN_ROLE_ACK_ONLY && event.index;
        if (event.role == GW_LEVIATHAN_ROLE_TRAILING)
            summary->trailing = event.payload.length;
    }
    summary->fault = reader.fault;
    summary->length = reader.offset - reader.start - summary->trailing;
    return next == GW_NEXT_END;
}
