/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Squirrel remote values and commands, which VC:MP's RemExec and PeerExec scripts send.
 *
 *   squirrel        by name and Decode As: all script data, which is a message, a frame or bare values
 *   (pinned)        for recognized conversations: declines packets that cannot be script data
 *   squirrel_port   for VC:MP's port: accepts packets with the structure of script data, or of RakNet
 *
 * Script data is sent inside RakNet messages, for which Wireshark has a dissector: it reassembles split messages and
 * passes them to the heuristic list "raknet", beginning with the message id:
 *
 *     u8 message id | u32 big-endian length | u32 identifier | head | content
 *
 * dissect.c reads messages and adds the items of their heads, tree.c adds the items of values, analysis.c relates messages to others
 * and reassembles them, statistics.c counts, fields.c registers the fields.
 */
#include "protocols.h"

#include <epan/prefs.h>

#include "common/conversation.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/recognition/recognition.h"
#include "internal.h"

#define DEFAULT_PORTS "8192"
/* Sufficient evidence on the port: an identifier with a consistent content. */
#define PORT_BITS 24u

static dissector_handle_t squirrel_handle;
static dissector_handle_t port_handle;
static dissector_handle_t raknet_handle;
static gw_heuristic over_udp;
static gw_heuristic over_raknet;
static range_t *ports;
static range_t *registered_ports;

/* ---- entry points -------------------------------------------------------------------------------------- */

/* Selected by a user: never declines. */
static int dissect_squirrel(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    return squirrel_dissect(tvb, pinfo, tree);
}

/* ---- recognition --------------------------------------------------------------------------------------- */

/* Sets the payload's evidence, by the tests in codecs/squirrel/recognize.c; true if it can be script data. NULL: the
 * codec needs no options, since the payload begins at offset 0. */
static bool recognize(tvbuff_t *tvb, gw_recognition *recognition)
{
    squirrel_payload all = squirrel_payload_of(tvb);
    return gw_squirrel_recognize(all.bytes, all.length, all.wire_length, NULL, recognition);
}

/* The dissector of a recognized conversation. A payload that cannot be script data is declined, so that other
 * dissectors may read it. gw_damaged_count() counts the accepted payloads: add_unread() adds a note to a declined one
 * only if nearly all were accepted before. 0: the number of the stream, since a UDP conversation has only one. */
static int dissect_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    squirrel_payload all = squirrel_payload_of(tvb);
    if (!gw_squirrel_is_possible(all.bytes, all.length, all.wire_length))
        return 0;
    gw_damaged_count(&over_udp.damaged, pinfo, 0);
    return squirrel_dissect(tvb, pinfo, tree);
}

/* For a datagram that is not script data, in a conversation of which nearly all datagrams were: offers it to the other
 * heuristics, and adds a note to it if none accepts it. True if one accepts it. */
static bool add_unread(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    bool accepted;
    if (gw_damaged_is_unread(&over_udp.damaged, tvb, pinfo, tree, data, &accepted))
        gw_add_finding_at(tree, pinfo, &squirrel_ei.unread, tvb, 0, (int)tvb_captured_length(tvb));
    return accepted;
}

/* On the first pass, for a packet with evidence: keeps its series, the consecutive packets of the conversation whose
 * evidence adds up. A frame that is not dissected now is analyzed, since the second pass accepts it if the series
 * becomes sufficient; values without a frame have no relations to analyze. `readings`: the forms of script data
 * (message, frame, values) that the payload can have. */
static void keep_series(const gw_heuristic *heuristic, tvbuff_t *tvb, packet_info *pinfo,
                        const gw_recognition *recognition, bool is_dissected)
{
    if (!gw_is_first_pass(pinfo) || !recognition->bits)
        return;
    uint32_t series = gw_heuristic_series(heuristic, pinfo);
    /* Without a series, a packet that was declined now is declined on the second pass, too. */
    if (!is_dissected && !series)
        return;
    squirrel_keep_series(pinfo, series, is_dissected);
    if (!is_dissected && recognition->readings != GW_SQUIRREL_READS_VALUE)
        squirrel_keep_candidate(tvb, pinfo);
}

/* The heuristic over UDP: dissects the datagram if its evidence, or that of its series (see keep_series()), is
 * sufficient: GW_RECOGNIZED_ALONE bits. 0 is the only stream of a UDP conversation. */
static ws_bool dissect_over_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    unsigned captured = tvb_captured_length(tvb);
    bool may_begin = captured && gw_squirrel_may_begin(gw_bytes_of(tvb), captured);
    /* Most packets are of other protocols: the cheapest test first. */
    if (!may_begin && gw_heuristic_is_unused(&over_udp))
        return false;
    /* While a series is open (the heuristic is not idle), a packet that cannot be script data must end it. */
    if (!captured || (!may_begin && gw_heuristic_is_idle(&over_udp)))
        return add_unread(tvb, pinfo, tree, data);
    gw_recognition recognition;
    recognize(tvb, &recognition);
    bool accepted = gw_heuristic_accepts(&over_udp, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE);
    keep_series(&over_udp, tvb, pinfo, &recognition, accepted);
    if (!accepted)
        return !recognition.possible && add_unread(tvb, pinfo, tree, data);
    gw_damaged_count(&over_udp.damaged, pinfo, 0);
    squirrel_dissect(tvb, pinfo, tree);
    return true;
}

/* 0 in the preference stands for no port. */
static bool is_port(uint32_t port)
{
    return port && value_is_in_range(ports, port);
}

/* True if one of the ends has a port of the preference. */
static bool is_on_port(const packet_info *pinfo)
{
    return is_port(pinfo->srcport) || is_port(pinfo->destport);
}

/* The heuristic for messages of RakNet: accepts a message if its evidence, or that of its series, is sufficient. Other
 * messages than script data share a RakNet conversation: it cannot be pinned to one dissector. For the same reason
 * there is none in raknet.port: RakNet adds an expert info to each message that the dissector of a port declines. On a
 * port of the preference, and after the first accepted message, a possible message (one that a real sender may send) is
 * also accepted without sufficient evidence, unless it can only be values without a frame. */
static ws_bool dissect_over_raknet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    gw_recognition recognition;
    recognize(tvb, &recognition);
    bool accepted = gw_heuristic_accepts(&over_raknet, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE);
    bool is_known = is_on_port(pinfo) || squirrel_was_found(pinfo);
    bool is_ours = accepted || (is_known && recognition.possible && recognition.readings != GW_SQUIRREL_READS_VALUE);
    keep_series(&over_raknet, tvb, pinfo, &recognition, is_ours);
    /* On the ports of the preference, frames with a fault are shown as well. */
    if (accepted)
        squirrel_keep_found(pinfo);
    else if (is_on_port(pinfo) && squirrel_dissect_script(tvb, pinfo, tree))
        return true;
    if (is_ours)
        squirrel_dissect(tvb, pinfo, tree);
    return is_ours;
}

/* VC:MP's port: frames without RakNet, or RakNet whose beginning was not captured. Other protocols use the port as
 * well: invalid payloads are declined. A payload with a frame needs less evidence here (PORT_BITS) than elsewhere;
 * values without a frame (READS_VALUE) need as much. The two dissectors are called by their handles, which add their
 * layers: this one is a protocol in name only. */
static int dissect_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    squirrel_payload all = squirrel_payload_of(tvb);
    gw_recognition recognition;
    recognize(tvb, &recognition);
    bool is_ours = gw_heuristic_accepts(&over_udp, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE) ||
                   (recognition.readings != GW_SQUIRREL_READS_VALUE && recognition.bits >= PORT_BITS);
    keep_series(&over_udp, tvb, pinfo, &recognition, is_ours);
    if (is_ours)
        return call_dissector_only(squirrel_handle, tvb, pinfo, tree, data);
    if (raknet_handle && gw_squirrel_is_raknet(all.bytes, all.length, all.wire_length))
        return call_dissector_only(raknet_handle, tvb, pinfo, tree, data);
    return 0;
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Deregisters a port that was registered, unless another dissector was set for it since. */
static void remove_port(uint32_t port, void *table)
{
    if (dissector_get_uint_handle(table, port) == port_handle)
        dissector_delete_uint("udp.port", port, port_handle);
}

/* Registers a port of the preference; 0 is no port. A dissector that a user has chosen for it with Decode As stays. */
static void add_port(uint32_t port, void *table)
{
    if (!is_port(port))
        return;
    dissector_handle_t present = dissector_get_uint_handle(table, port);
    bool is_chosen = present && present != dissector_get_default_uint_handle("udp.port", port);
    /* Adding sets the default and the current dissector of the port: the current one is set back to the choice. */
    dissector_add_uint("udp.port", port, port_handle);
    if (is_chosen)
        dissector_change_uint("udp.port", port, present);
}

/* Registers the ports of the preference in place of those before. */
static void apply_ports(void)
{
    dissector_table_t table = find_dissector_table("udp.port");
    if (registered_ports && ranges_are_equal(registered_ports, ports))
        return;
    range_foreach(registered_ports, remove_port, table);
    range_foreach(ports, add_port, table);
    wmem_free(wmem_epan_scope(), registered_ports);
    registered_ports = range_copy(wmem_epan_scope(), ports);
}

void proto_register_squirrel(void)
{
    proto_squirrel = proto_register_protocol("Squirrel remote values (VC:MP)", "Squirrel", "squirrel");
    squirrel_handle = register_dissector("squirrel", dissect_squirrel, proto_squirrel);
    /* A protocol in name only adds no layer: the payload on this port may be RakNet. udp.port requires handles with a
     * protocol, and "Decode As Squirrel" must find squirrel_handle, which is in the same table. */
    port_handle =
        register_dissector("squirrel_port", dissect_port,
                           proto_register_protocol_in_name_only("Squirrel on the port of VC:MP", "Squirrel port",
                                                                "squirrel_port", proto_squirrel, FT_PROTOCOL));
    squirrel_register_fields(proto_squirrel);
    squirrel_register_analysis();
    squirrel_register_statistics(proto_squirrel);
    gw_heuristic_init(&over_udp, create_dissector_handle(dissect_pinned, proto_squirrel));
    over_udp.strict = true;                /* a packet without evidence begins no series */
    gw_heuristic_init(&over_raknet, NULL); /* NULL: RakNet's conversations are not pinned to this dissector */
    over_raknet.strict = true;
    module_t *preferences = prefs_register_protocol(proto_squirrel, apply_ports);
    prefs_register_bool_preference(preferences, "show_headers", "Show every header",
                                   "Show tag and length of every value, not only of containers and commands",
                                   &squirrel_tree_prefs.show_headers);
    range_convert_str(wmem_epan_scope(), &ports, DEFAULT_PORTS, UINT16_MAX);
    prefs_register_range_preference(preferences, "port", "Ports of the game's servers",
                                    "UDP ports of VC:MP servers, with or without RakNet; 0 for none", &ports,
                                    UINT16_MAX);
}

void proto_reg_handoff_squirrel(void)
{
    raknet_handle = find_dissector("raknet");
    heur_dissector_add("udp", dissect_over_udp, "Squirrel over UDP", "squirrel_udp", proto_squirrel, HEURISTIC_ENABLE);
    heur_dissector_add("raknet", dissect_over_raknet, "Squirrel over RakNet", "squirrel_raknet", proto_squirrel,
                       HEURISTIC_ENABLE);
    dissector_add_for_decode_as("udp.port", squirrel_handle);
    apply_ports();
}
