/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "godot-multiplayer-statistics.h"

#include <epan/proto_data.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "protocols.h"

/* Of the packet's data: the first message's facts, the others follow. */
#define FACTS_KEY UINT32_C(0x66616374)

static int proto_multiplayer = -1;

void godot_multiplayer_register_statistics(int protocol)
{
    proto_multiplayer = protocol;
}

void godot_multiplayer_count(packet_info *pinfo, godot_multiplayer_facts *facts)
{
    facts->next = p_get_proto_data(pinfo->pool, pinfo, proto_multiplayer, FACTS_KEY);
    if (facts->next)
        p_remove_proto_data(pinfo->pool, pinfo, proto_multiplayer, FACTS_KEY);
    p_add_proto_data(pinfo->pool, pinfo, proto_multiplayer, FACTS_KEY, facts);
}
