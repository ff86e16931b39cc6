/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tap "godot_mp" with its flow graph and Follow Stream, and the messages of -z godot,tree. That tree counts every
 * frame of the capture with all its bytes, which bytes.c divides.
 */
#include "internal.h"

#include "godot/multiplayer/names/internal.h"

#include <epan/proto_data.h>
#include <epan/tap.h>
#include <epan/to_str.h>

#include "common/conversation.h"
#include "common/flow_graph.h"
#include "common/follow.h"
#include "common/keys.h"
#include "common/statistics.h"
#include "godot/variant/variants.h"

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
    if (gw_is_quoted(pinfo))
        return;
    count->line = line;
    count->next = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_COUNTS);
    p_set_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_COUNTS, count);
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
static const char *node_of(packet_info *pinfo, const godot_mp_count *facts, int32_t id, const char *name)
{
    if (!id)
        return NULL;
    if (name && id != GW_GODOT_MP_SERVER)
        return wmem_strdup_printf(pinfo->pool, "%s (%d)", name, id);
    if (id != GW_GODOT_MP_SERVER || !(facts->server_sends || facts->server_receives))
        return wmem_strdup_printf(pinfo->pool, "Peer %d", id);
    return wmem_strdup_printf(pinfo->pool, "Peer 1 at %s:%u",
                              address_to_str(pinfo->pool, facts->server_sends ? &pinfo->src : &pinfo->dst),
                              facts->server_sends ? pinfo->srcport : pinfo->destport);
}

/* Label of an arrow: "hit(12)" of "Relay to 7: RPC hit(12) on Main". The nodes show the relaying peer. */
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
    arrow.source = node_of(pinfo, facts, facts->has_source ? facts->source : 0, facts->source_name);
    /* Sent to all peers, or to all but one: this packet is for one of them. */
    if (facts->has_target && facts->target > 0)
        arrow.target = node_of(pinfo, facts, facts->target, facts->target_name);
    else
        arrow.target = node_of(pinfo, facts, facts->receiver, facts->receiver_name);
    gw_flow_graph_add(graph, pinfo, &arrow);
    return TAP_PACKET_REDRAW;
}

void godot_mp_register_statistics(int protocol)
{
    tap = register_tap("godot_mp");
    follow_tap = register_tap("godot_mp_follow");
    gw_register_follow(protocol, "godot_mp_follow",
                       &(gw_follow){ find_stream, filter_stream, godot_mp_connection_count });
    gw_register_flow_graph("godot", "Godot", protocol, "godot_mp", add_arrow);
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

/* The average, minimum and maximum of a row are those of the messages' own lengths. A copy is not counted, the receiver drops
 * it; bytes.c has its bytes. */
static void count_message(stats_tree *tree, packet_info *pinfo, const godot_mp_count *count)
{
    if (count->repeated)
        return;

    godot_mp_rows rows;
    godot_mp_rows_of(&rows, pinfo->pool, count);
    gw_stat_average(tree, godot_mp_groups[GODOT_MP_MESSAGES], rows.command, count->bytes);
    gw_stat_average(tree, godot_mp_groups[GODOT_MP_SENDERS], rows.sender, count->bytes);
    if (*rows.method)
        gw_stat_average_part(tree, godot_mp_groups[GODOT_MP_CALLS], rows.method, rows.node, count->bytes);
    if (rows.spawned)
        gw_stat_add(tree, godot_mp_groups[GODOT_MP_SPAWNS], rows.spawned, 1);
    for (uint32_t i = 0; i < count->update_count; i++)
        gw_stat_average(tree, godot_mp_groups[GODOT_MP_PROPERTIES], godot_mp_row(pinfo->pool, count->updates[i].path),
                        count->updates[i].bytes);
}

static tap_packet_status count_frame(stats_tree *tree, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                     const void *data _U_, tap_flags_t flags _U_)
{
    const godot_mp_count *counts = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_COUNTS);
    uint32_t documents = godot_count_frame(tree, pinfo);
    for (const godot_mp_count *count = counts; count; count = count->next)
        count_message(tree, pinfo, count);
    godot_mp_bytes_add(tree, pinfo, counts, documents);
    return TAP_PACKET_REDRAW;
}

static void init_tree(stats_tree *tree)
{
    godot_init_tree(tree);
    godot_mp_bytes_begin(tree);
}

static void close_tree(stats_tree *tree)
{
    godot_close_tree(tree);
    godot_mp_bytes_end(tree);
}

/* Not in plugin.c's tap listeners: sharkd does not call those, but shows the tree as well. It requires a protocol tree:
 * which segments were not dissected by themselves is not known without one (bytes.c). */
void godot_mp_register_tree(void)
{
    stats_tree_register_plugin("frame", "godot", "Godot" STATS_TREE_MENU_SEPARATOR "Messages and Values",
                               TL_REQUIRES_PROTO_TREE, count_frame, init_tree, close_tree);
}

/* ---- the data of a message ------------------------------------------------------------------------------ */

static void count_updates(const godot_mp_tree *tree, godot_mp_count *count)
{
    const godot_mp_facts *facts = &tree->message->facts;
    for (uint32_t i = 0; i < facts->update_count && count->update_count < GODOT_MP_COUNTED_UPDATES; i++) {
        if (!facts->updates[i].is_whole)
            continue;
        const char *path = godot_printable(tree->pinfo, godot_mp_path_of_update(tree, godot_mp_update_at(tree, i)));
        if (!path)
            path = wmem_strdup_printf(tree->pinfo->pool, "net id %u", facts->updates[i].net_id);
        count->updates[count->update_count++] = (godot_mp_update_count){ path, facts->updates[i].length };
    }
}

/* The method, property or node. */
static const char *counted_name(const godot_mp_tree *tree)
{
    const godot_mp_facts *facts = &tree->message->facts;
    if (facts->command == GW_GODOT_MP_SPAWN)
        return facts->spawns ? facts->name : NULL;
    if (facts->command != GW_GODOT_MP_CALL && facts->command != GW_GODOT_MP_SET)
        return NULL;
    if (tree->method || tree->message->reader.generation != GW_GODOT_4)
        return tree->method;
    return wmem_strdup_printf(tree->pinfo->pool, "method %u", facts->method_id);
}

/* Methods of different scripts have the same numbers. Nodes whose methods have the same checksum are counted together,
 * by the path of the first of them. */
static const char *counted_script(const godot_mp_tree *tree)
{
    const godot_mp_path *entry = tree->message->findings->path.entry;
    if (tree->message->facts.command != GW_GODOT_MP_CALL || tree->method ||
        tree->message->reader.generation != GW_GODOT_4)
        return NULL;
    if (entry && entry->first_of_script)
        return entry->first_of_script;
    if (tree->message->facts.path)
        return tree->message->facts.path;
    return wmem_strdup_printf(tree->pinfo->pool, "#%u", tree->message->facts.path_id);
}

static const char *counted_path(const godot_mp_tree *tree)
{
    const godot_mp_path *entry = tree->message->findings->path.entry;
    return tree->message->facts.path || !entry ? tree->message->facts.path : entry->path;
}

static const char *counted_player(const godot_mp_tree *tree, int32_t id)
{
    return id > 0 ? godot_printable(tree->pinfo, godot_mp_player(tree->message, id)) : NULL;
}

godot_mp_count *godot_mp_count_of(const godot_mp_tree *tree)
{
    const godot_mp_message *message = tree->message;
    const godot_mp_findings *findings = message->findings;
    const enet_message *enet = message->carrier->enet;
    godot_mp_count *count = wmem_new0(tree->pinfo->pool, godot_mp_count);
    count->command = message->facts.command;
    count->bytes = message->reader.length;
    count->is_in_enet = enet != NULL;
    count->ordinal = message->position.ordinal;
    count->name = godot_printable(tree->pinfo, counted_name(tree));
    count->path = godot_printable(tree->pinfo, counted_path(tree));
    count->script = godot_printable(tree->pinfo, counted_script(tree));
    count->has_source = findings->has_source;
    count->has_target = findings->has_target;
    count->source = findings->source;
    count->target = findings->target;
    count->receiver = findings->receiver.id;
    count->source_name = count->has_source ? counted_player(tree, count->source) : NULL;
    count->target_name = count->has_target ? counted_player(tree, count->target) : NULL;
    count->receiver_name = counted_player(tree, count->receiver);
    count->server_sends = findings->sender.id == GW_GODOT_MP_SERVER;
    count->server_receives = findings->receiver.id == GW_GODOT_MP_SERVER;
    count->repeated = message->position.repeated;
    count_updates(tree, count);
    return count;
}
