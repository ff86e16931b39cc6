/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Commands about the connection, and messages that no dissector describes, as JSON.
 */
#include "internal.h"

#include "common/items.h"
#include "common/json.h"

static const char *kind_of(const enet_command *command)
{
    return command->number == GW_ENET_CONNECT          ? "connect"
           : command->number == GW_ENET_VERIFY_CONNECT ? "verify_connect"
           : command->number == GW_ENET_DISCONNECT     ? "disconnect"
                                                       : NULL;
}

void enet_json_add_connections(const enet_items *items, const enet_facts *facts, const enet_findings *findings)
{
    if (!gw_json_is_wanted(items->pinfo, items->protocol, enet_hf.json))
        return;
    for (uint32_t i = 0; i < MIN(facts->count, ENET_MOST_SHOWN); i++) {
        const enet_command *command = &facts->commands[i];
        const gw_json_head head = { .protocol = "enet",
                                    .kind = kind_of(command),
                                    .connection = findings ? &findings->connection->number : NULL };
        gw_json json;
        if (!head.kind)
            continue;
        gw_json_begin(&json, items->pinfo, &head);
        if (command->has_data)
            gw_json_add_uint(&json, "data_number", command->data);
        gw_json_end(&json, items->protocol, enet_hf.json);
    }
}

void enet_json_add_message(const enet_items *items, const gw_json_carrier *carrier, tvbuff_t *tvb)
{
    const gw_json_head head = { .protocol = "enet", .kind = "message", .carrier = carrier };
    gw_json json;
    if (!gw_json_is_wanted(items->pinfo, items->protocol, enet_hf.json))
        return;
    gw_json_begin(&json, items->pinfo, &head);
    gw_json_add_hex(&json, "data", tvb, (gw_span){ 0, tvb ? tvb_captured_length(tvb) : 0 });
    gw_json_end(&json, items->protocol, enet_hf.json);
}
