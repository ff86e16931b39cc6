/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tap "godot_mp" with its flow graph and Follow Stream, and the data of each message for the statistics.
 */
#include "internal.h"

#include "godot/multiplayer/names/internal.h"

#include <epan/proto_data.h>
#include <epan/tap.h>
#include <epan/to_str.h>

#include "common/conversation.h"
#include "common/flow_graph.h"
#include "common/keys.h"
#include "common/statistics.h"
#include "godot/variant/variants.h"

static int tap = -1;
static int follow_tap = -1;

bool godot_mp_is_tapped(void)
{
    return have_tap_listener(tap) || have_tap_listener(follow_tap);
}

/* ---- Follow Stream: the lines of the messages between two peers, without copies ------------------------- */

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

/* The name of the method, property or node. Methods of different scripts have the same numbers: a method without a name has
 * the path of a node whose methods have the same checksum, the first in the file. */
static void count_name(const godot_mp_tree *tree, godot_mp_count *count)
{
    const godot_mp_facts *facts = &tree->message->facts;
    const godot_mp_path *entry = tree->message->findings->path.entry;
    packet_info *pinfo = tree->pinfo;
    const char *name = NULL, *script = NULL;
    if (facts->command == GW_GODOT_MP_SPAWN && facts->spawns)
        name = facts->name;
    if (facts->command == GW_GODOT_MP_CALL || facts->command == GW_GODOT_MP_SET) {
        bool is_number = !tree->method && tree->message->reader.generation == GW_GODOT_4;
        name = is_number ? wmem_strdup_printf(pinfo->pool, "method %u", facts->method_id) : tree->method;
        if (is_number && facts->command == GW_GODOT_MP_CALL) {
            script = entry && entry->first_of_script ? entry->first_of_script : facts->path;
            if (!script)
                script = wmem_strdup_printf(pinfo->pool, "#%u", facts->path_id);
        }
    }
    count->name = godot_printable(pinfo, name);
    count->path = godot_printable(pinfo, facts->path || !entry ? facts->path : entry->path);
    count->script = godot_printable(pinfo, script);
}

static const char *counted_player(const godot_mp_tree *tree, int32_t id)
{
    return id > 0 ? godot_printable(tree->pinfo, godot_mp_player(tree->message, id)) : NULL;
}

void godot_mp_tap(const godot_mp_tree *tree, const char *line)
{
    packet_info *pinfo = tree->pinfo;
    const godot_mp_message *message = tree->message;
    const godot_mp_findings *findings = message->findings;
    const enet_message *enet = message->carrier->enet;
    if (line && !message->position.repeated && have_tap_listener(follow_tap)) {
        char *text = wmem_strdup_printf(pinfo->pool, "%s\n", line);
        unsigned length = (unsigned)strlen(text);
        tap_queue_packet(follow_tap, pinfo,
                         tvb_new_child_real_data(message->tvb, (uint8_t *)text, length, (int)length));
    }
    if (gw_is_quoted(pinfo) || !(godot_is_counted() || godot_mp_is_tapped()))
        return;
    godot_mp_count *count = wmem_new0(pinfo->pool, godot_mp_count);
    count->command = message->facts.command;
    count->bytes = message->reader.length;
    count->wire_bytes = enet ? enet->wire_length : count->bytes;
    count->in_fragments = enet && enet->reassembled;
    count->line = line;
    count_name(tree, count);
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
    count->next = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_COUNTS);
    p_set_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_COUNTS, count);
    tap_queue_packet(tap, pinfo, count);
}
