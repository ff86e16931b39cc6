/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a session's bytes are spent on. Every frame of the capture is counted, with all its bytes, so that the parts add
 * up to the whole: those of a message are its own and those that carried it, an equal share of the frame's.
 */
#include "godot-multiplayer-statistics.h"

#include <epan/proto_data.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "protocols.h"

/* Of the packet's data: the last message's facts, the others follow. */
#define FACTS_KEY UINT32_C(0x66616374)
#define NAME_SIZE 200

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

/* ---- the tree ------------------------------------------------------------------------------------------ */

enum { MESSAGES, BYTES, CALLS, CALL_BYTES, PROPERTY_BYTES, SPAWNS, PEERS, NODES };

static const char *const titles[NODES] = {
    [MESSAGES] = "Messages",
    [BYTES] = "Bytes of the capture",
    [CALLS] = "Calls",
    [CALL_BYTES] = "Bytes of calls",
    [PROPERTY_BYTES] = "Bytes of synchronised properties",
    [SPAWNS] = "Spawned nodes",
    [PEERS] = "Bytes by sender",
};
static int nodes[NODES];

static void init_tree(stats_tree *tree)
{
    for (unsigned i = 0; i < NODES; i++)
        nodes[i] = stats_tree_create_node(tree, titles[i], 0, STAT_DT_INT, TRUE);
}

static void count_in(stats_tree *tree, unsigned node, const char *name, uint32_t amount)
{
    increase_stat_node(tree, titles[node], 0, TRUE, (int)amount);
    increase_stat_node(tree, name, nodes[node], FALSE, (int)amount);
}

static const char *command_of(const godot_multiplayer_facts *facts)
{
    if (facts->command == GW_GODOT_MULTIPLAYER_UNKNOWN)
        return "Peers joining and leaving";
    return gw_godot_multiplayer_command_name((gw_godot_multiplayer_command)facts->command);
}

static void count_call(stats_tree *tree, const godot_multiplayer_facts *facts, uint32_t bytes)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s on %s", facts->name ? facts->name : "unknown",
             facts->path ? facts->path : "an unknown path");
    count_in(tree, CALLS, name, 1);
    count_in(tree, CALL_BYTES, name, bytes);
}

static void count_message(stats_tree *tree, const godot_multiplayer_facts *facts, uint32_t bytes)
{
    char sender[NAME_SIZE] = "Unknown peer";
    if (facts->has_source)
        snprintf(sender, sizeof sender, "Peer %d", facts->source);
    count_in(tree, MESSAGES, command_of(facts), 1);
    count_in(tree, BYTES, command_of(facts), bytes);
    count_in(tree, PEERS, sender, bytes);
    if (facts->command == GW_GODOT_MULTIPLAYER_CALL || facts->command == GW_GODOT_MULTIPLAYER_SET)
        count_call(tree, facts, bytes);
    if (facts->command == GW_GODOT_MULTIPLAYER_SPAWN && facts->name)
        count_in(tree, SPAWNS, facts->name, 1);
    for (uint32_t i = 0; i < facts->update_count; i++)
        count_in(tree, PROPERTY_BYTES, facts->updates[i].path ? facts->updates[i].path : "unknown",
                 facts->updates[i].bytes);
}

static uint32_t messages_of(const godot_multiplayer_facts *facts)
{
    uint32_t count = 0;
    for (; facts; facts = facts->next)
        count++;
    return count;
}

static uint64_t own_bytes(const godot_multiplayer_facts *facts)
{
    uint64_t bytes = 0;
    for (; facts; facts = facts->next)
        bytes += facts->bytes;
    return bytes;
}

static tap_packet_status count_frame(stats_tree *tree, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                     const void *data _U_, tap_flags_t flags _U_)
{
    const godot_multiplayer_facts *facts = p_get_proto_data(pinfo->pool, pinfo, proto_multiplayer, FACTS_KEY);
    uint32_t left = pinfo->fd->pkt_len;
    uint64_t own = own_bytes(facts);
    /* What was compressed, or began in earlier frames, is larger than its frame: then all is shared. */
    bool fits = own <= left;
    uint32_t shared = fits ? left - (uint32_t)own : left;
    if (!facts)
        count_in(tree, BYTES, "Frames without a message", left);
    for (uint32_t count = messages_of(facts); facts; facts = facts->next, count--) {
        uint32_t share = shared / count;
        shared -= share;
        count_message(tree, facts, share + (fits ? facts->bytes : 0));
    }
    return TAP_PACKET_REDRAW;
}

void register_tap_listener_godot_multiplayer(void)
{
    stats_tree_register_plugin("frame", "godot", "Godot" STATS_TREE_MENU_SEPARATOR "Multiplayer", 0, count_frame,
                               init_tree, NULL);
}
