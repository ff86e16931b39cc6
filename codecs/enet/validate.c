/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The reader's walk without events.
 */
#include "tables.h"

bool gw_enet_validate(const uint8_t *bytes, size_t length, const gw_enet_options *options, gw_enet_summary *summary)
{
    gw_enet_reader reader;
    gw_enet_event event;
    gw_next next;
    *summary = (gw_enet_summary){ 0 };
    gw_enet_init(&reader, bytes, length, options);
    while ((next = gw_enet_next(&reader, &event)) == GW_NEXT_EVENT) {
        summary->odd |= event.odd;
        summary->compressed |= event.role == GW_ENET_ROLE_COMPRESSED || event.role == GW_ENET_ROLE_ENCRYPTED;
    }
    summary->fault = reader.fault;
    summary->commands = reader.commands;
    summary->length = reader.offset;
    return next == GW_NEXT_END;
}
