/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -z godot,tree counts every frame of the capture with all its bytes, so that the rows add up to the size of the
 * capture. The bytes of a message include an equal share of the headers of its frame.
 */
#include "statistics.h"

#include <epan/proto_data.h>
#include <epan/tap.h>
#include <epan/to_str.h>

#include "common/flow_graph.h"
#include "common/follow.h"
#include "common/statistics.h"
#include "connection.h"
#include "fields.h"
#include "godot/variant/variant.h"

/* Data of the packet: the last message; the others are linked to it. */
#define FACTS_KEY UINT32_C(0x66616374)
#define NAME_SIZE 200

static int tap = -1;
static int follow_tap = -1;

bool godot_mp_is_tapped(void)
{
    return have_tap_listener(tap) || have_tap_listener(follow_tap);
}

bool godot_mp_is_counted(void)
{
    return godot_is_counted() || godot_mp_is_tapped();
}

void godot_mp_tap(packet_info *pinfo, godot_mp_count *count, const char *line)
{
    count->line = line;
    count->next = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, FACTS_KEY);
    p_set_proto_data(pinfo->pool, pinfo, proto_godot_mp, FACTS_KEY, count);
    tap_queue_packet(tap, pinfo, count);
}

/* ---- Follow Stream: the lines of the messages between two peers ---------------------------------------- */

/* Of the messages that the receiver had not received before. */
void godot_mp_follow(packet_info *pinfo, tvbuff_t *message, const char *line)
{
    if (!have_tap_listener(follow_tap))
        return;
    char *text = wmem_strdup_printf(pinfo->pool, "%s\n", line);
    unsigned length = (unsigned)strlen(text);
    tap_queue_packet(follow_tap, pinfo, tvb_new_child_real_data(message, (uint8_t *)text, length, (int)length));
}

static char *filter_stream(unsigned stream, unsigned sub_stream _U_)
{
    return g_strdup_printf("godot_mp.stream == %u", stream);
}

static char *find_stream(epan_dissect_t *dissect _U_, packet_info *pinfo, unsigned *stream, unsigned *sub_stream _U_)
{
    return godot_mp_find_stream(pinfo, stream) ? filter_stream(*stream, 0) : NULL;
}

/* ---- the flow graph ------------------------------------------------------------------------------------ */

/* Peers are identified by their ids, which relayed messages contain too. Each game's server is peer 1: its address
 * distinguishes it from other servers. */
static const char *node_of(packet_info *pinfo, const godot_mp_count *facts, int32_t id)
{
    if (!id)
        return NULL;
    if (id != GW_GODOT_MP_SERVER || !(facts->server_sends || facts->server_receives))
        return wmem_strdup_printf(pinfo->pool, "Peer %d", id);
    return wmem_strdup_printf(pinfo->pool, "Peer 1 at %s:%u",
                              address_to_str(pinfo->pool, facts->server_sends ? &pinfo->src : &pinfo->dst),
                              facts->server_sends ? pinfo->srcport : pinfo->destport);
}

/* Label of an arrow: "hit(12)" of "Relay 7: RPC hit(12) on Main". The nodes show the relaying peer. */
static const char *label_of(const char *line)
{
    static const char relay[] = "Relay ";
    static const char call[] = "RPC ";
    const char *relayed = strncmp(line, relay, strlen(relay)) ? NULL : strstr(line, ": ");
    if (relayed)
        line = relayed + 2;
    return strncmp(line, call, strlen(call)) ? line : line + strlen(call);
}

static tap_packet_status add_arrow(void *graph, packet_info *pinfo, epan_dissect_t *dissect _U_, const void *data,
                                   tap_flags_t flags _U_)
{
    const godot_mp_count *facts = data;
    const char *line = facts->line ? facts->line : "";
    gw_arrow arrow = { .label = label_of(line), .comment = line, .dashed = facts->repeated };
    arrow.source = node_of(pinfo, facts, facts->has_source ? facts->source : 0);
    /* Sent to all peers, or to all but one: this packet is for one of them. */
    arrow.target = node_of(pinfo, facts, facts->has_target && facts->target > 0 ? facts->target : facts->receiver);
    gw_flow_graph_add(graph, pinfo, &arrow);
    return TAP_PACKET_REDRAW;
}

void godot_mp_register_statistics(int protocol)
{
    tap = register_tap("godot_mp");
    follow_tap = register_tap("godot_mp_follow");
    gw_follow_register(protocol, "godot_mp_follow",
                       &(gw_follow){ find_stream, filter_stream, godot_mp_connection_count });
    gw_flow_graph_register("godot", "Godot", protocol, "godot_mp", add_arrow);
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

enum { FRAME_BYTES, MESSAGES, CALLS, CALL_BYTES, PROPERTIES, PROPERTY_BYTES, SPAWNS, PEERS, PEER_BYTES, GROUPS };

static const char *const groups[GROUPS] = {
    [FRAME_BYTES] = "Bytes of the capture",
    [MESSAGES] = "Messages",
    [CALLS] = "Calls",
    [CALL_BYTES] = "Bytes of calls",
    [PROPERTIES] = "Synchronized properties",
    [PROPERTY_BYTES] = "Bytes of synchronized properties",
    [SPAWNS] = "Spawned nodes",
    [PEERS] = "Messages by sender",
    [PEER_BYTES] = "Bytes by sender",
};

static const char *command_of(const godot_mp_count *facts)
{
    if (facts->command == GW_GODOT_MP_UNKNOWN)
        return "Peers joining and leaving";
    return gw_godot_mp_command_name((gw_godot_mp_command)facts->command);
}

static void count_call(stats_tree *tree, const godot_mp_count *facts, uint32_t bytes)
{
    bool is_call = facts->command == GW_GODOT_MP_CALL;
    char name[NAME_SIZE]; /* "hit()", "method 5() on Main/Hero", "set hp": different from the titles of groups */
    gw_text text;
    gw_text_init(&text, name, sizeof name);
    gw_text_string(&text, is_call ? "" : "set ");
    gw_text_string(&text, facts->name ? facts->name : "unknown");
    gw_text_string(&text, is_call ? "()" : "");
    if (facts->script) {
        gw_text_string(&text, " on ");
        gw_text_string(&text, facts->script);
    }
    gw_stat_measure_part(tree, groups[CALLS], groups[CALL_BYTES], name, facts->path ? facts->path : "an unknown path",
                         bytes);
}

static void count_message(stats_tree *tree, const godot_mp_count *facts, uint32_t bytes)
{
    char sender[NAME_SIZE] = "Unknown peer";
    if (facts->has_source)
        snprintf(sender, sizeof sender, "Peer %d", facts->source);
    gw_stat_measure(tree, groups[MESSAGES], groups[FRAME_BYTES], command_of(facts), bytes);
    gw_stat_measure(tree, groups[PEERS], groups[PEER_BYTES], sender, bytes);
    if (facts->command == GW_GODOT_MP_CALL || facts->command == GW_GODOT_MP_SET)
        count_call(tree, facts, bytes);
    if (facts->command == GW_GODOT_MP_SPAWN && facts->name)
        gw_stat_add(tree, groups[SPAWNS], facts->name, 1);
    for (uint32_t i = 0; i < facts->update_count; i++)
        gw_stat_measure(tree, groups[PROPERTIES], groups[PROPERTY_BYTES],
                        facts->updates[i].path ? facts->updates[i].path : "unknown", facts->updates[i].bytes);
}

static uint32_t messages_of(const godot_mp_count *facts)
{
    uint32_t count = 0;
    for (; facts; facts = facts->next)
        count++;
    return count;
}

static uint64_t own_bytes(const godot_mp_count *facts)
{
    uint64_t bytes = 0;
    for (; facts; facts = facts->next)
        bytes += facts->bytes;
    return bytes;
}

/* Messages that were compressed, or began in earlier frames, are larger than their frame: then its length is
 * divided. */
static void count_messages(stats_tree *tree, const godot_mp_count *facts, uint32_t left)
{
    uint64_t own = own_bytes(facts);
    bool fits = own <= left;
    uint32_t shared = fits ? left - (uint32_t)own : left;
    for (uint32_t count = messages_of(facts); facts; facts = facts->next, count--) {
        uint32_t share = shared / count;
        shared -= share;
        count_message(tree, facts, share + (fits ? facts->bytes : 0));
    }
}

static tap_packet_status count_frame(stats_tree *tree, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                     const void *data _U_, tap_flags_t flags _U_)
{
    const godot_mp_count *facts = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, FACTS_KEY);
    const char *otherwise = godot_count_frame(tree, pinfo) ? "Variants" : "Frames without a message";
    if (facts)
        count_messages(tree, facts, pinfo->fd->pkt_len);
    else
        gw_stat_add(tree, groups[FRAME_BYTES], otherwise, pinfo->fd->pkt_len);
    return TAP_PACKET_REDRAW;
}

/* Not in plugin.c's tap listeners: sharkd does not call those, but shows the tree as well. */
void godot_mp_register_tree(void)
{
    stats_tree_register_plugin("frame", "godot", "Godot" STATS_TREE_MENU_SEPARATOR "Messages and Values", 0,
                               count_frame, godot_init_tree, godot_close_tree);
}
