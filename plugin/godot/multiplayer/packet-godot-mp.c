/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's high-level multiplayer over ENet, WebSocket and WebRTC: SceneMultiplayer of Godot 4, MultiplayerAPI of 3.
 *
 *   godot_mp                          by Decode As: shows every message
 *   over ENet, WebSocket, WebRTC      heuristics: accept one message, or consecutive ones, with sufficient evidence
 *   over DTLS                         a heuristic for SCTP, which carries WebRTC's data channels (data_channels.c)
 *   godot_mp.exported                 reads the messages that dissect.c exports, and those that a game has recorded
 *   godot_mp.names                    reads the names in a recording
 *
 * dissect.c is the way of a message: recognition.c recognizes and reads it, damaged.c finds that it is a damaged one,
 * facts.c collects its content, connection.c has the data of its connection, findings.c and tree.c add the items,
 * statistics.c counts, fields.c names the fields.
 * relations/ relates the message to others and has a file for each relation, names/ the tables of names and the names
 * of players, carriers/ WebRTC's channels, recordings/ the messages and names that a game has recorded itself.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/exceptions.h>
#include <epan/prefs.h>

#include "internal.h"

#include "carriers/internal.h"
#include "common/findings.h"
#include "common/menus/decode_as.h"
#include "common/recognition/recognition.h"
#include "enet/enet.h"
#include "names/internal.h"
#include "recordings/internal.h"
#include "relations/internal.h"

static dissector_handle_t mp_handle;
static gw_heuristic over_enet;
static gw_heuristic over_websocket;
static gw_heuristic over_webrtc;

static int generation = GW_GODOT_ANY;

/* ---- entry points -------------------------------------------------------------------------------------- */

/* The dissector by Decode As, for which a user selected multiplayer: it has no heuristic, and never declines. */
static int dissect_multiplayer(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const godot_mp_carrier carrier = { .enet = enet_message_of(pinfo, data), .generation = generation };
    return godot_mp_dissect(tvb, pinfo, tree, &carrier);
}

/* The heuristic for messages of ENet. `data`: the message as ENet's dissector describes it. A message that is declined
 * may be damaged: if it is like the samples, and no other heuristic accepts it, dissect_multiplayer() shows it with its
 * fault, since it never declines. godot_mp_dissect() stores an accepted message as a sample
 * (common/recognition/damaged.h). */
static ws_bool dissect_over_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const godot_mp_carrier carrier = { .enet = enet_message_of(pinfo, data),
                                       .generation = generation,
                                       .heuristic = &over_enet };
    return godot_mp_dissect(tvb, pinfo, tree, &carrier) != 0 ||
           gw_heuristic_dissect_damaged(&over_enet, tvb, pinfo, tree, data, dissect_multiplayer) != 0;
}

/* The dissector of WebSocket messages by Decode As: a user selected multiplayer, so that it never declines. */
static int dissect_in_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    const godot_mp_carrier carrier = { .is_websocket = true, .generation = generation };
    return godot_mp_dissect(tvb, pinfo, tree, &carrier);
}

/* The heuristic for messages of WebSocket, as dissect_over_enet(): a declined message that is like the accepted ones
 * before it is damaged, and is shown by dissect_in_websocket(), which never declines; an accepted one becomes a
 * sample. */
static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const godot_mp_carrier carrier = { .is_websocket = true, .generation = generation, .heuristic = &over_websocket };
    return godot_mp_dissect(tvb, pinfo, tree, &carrier) != 0 ||
           gw_heuristic_dissect_damaged(&over_websocket, tvb, pinfo, tree, data, dissect_in_websocket) != 0;
}

typedef enum channel_result { CHANNEL_DECLINED, CHANNEL_DAMAGED, CHANNEL_ACCEPTED } channel_result;

/* Dissects a message of a data channel. `heuristic`: NULL if a user selected multiplayer. Channels other than the
 * engine's are recognized separately, by their stream; the carrier has its number plus 1, since 0 stands for the
 * engine's channels. With a heuristic, accepted messages of each stream are stored as samples, and a declined one that
 * is like them is CHANNEL_DAMAGED. */
static channel_result dissect_data_channel(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, gw_heuristic *heuristic)
{
    const godot_mp_channel channel = godot_mp_find_channel(pinfo, tvb);
    const godot_mp_carrier carrier = {
        .channel = &channel,
        .connection = channel.association,
        .generation = generation,
        .heuristic = heuristic,
        .stream = channel.is_usual ? 0 : channel.stream + 1U,
    };
    volatile channel_result result = CHANNEL_DECLINED;
    /* SCTP's ports are the same in all associations: use the datagram's, also if an exception ends the dissection. */
    godot_mp_exchange_ports(pinfo);
    TRY
    {
        if (godot_mp_dissect(tvb, pinfo, tree, &carrier))
            result = CHANNEL_ACCEPTED;
        else if (heuristic && gw_damaged_find(&heuristic->damaged, pinfo, tvb, carrier.stream))
            result = CHANNEL_DAMAGED;
    }
    FINALLY
    {
        godot_mp_exchange_ports(pinfo);
    }
    ENDTRY;
    return result;
}

/* The dissector of data channels by Decode As: a user selected multiplayer, so that it never declines. */
static int dissect_in_webrtc(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    return dissect_data_channel(tvb, pinfo, tree, NULL) == CHANNEL_ACCEPTED ? (int)tvb_captured_length(tvb) : 0;
}

/* The heuristic for data channels. `data`: the payload protocol identifier, of which only binary messages are
 * multiplayer. A damaged message, which is like accepted ones, is shown by dissect_in_webrtc(), which never declines,
 * unless another heuristic accepts it. */
static ws_bool dissect_over_webrtc(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (GPOINTER_TO_UINT(data) != GODOT_MP_PPID_BINARY)
        return false;
    channel_result result = dissect_data_channel(tvb, pinfo, tree, &over_webrtc);
    if (result == CHANNEL_DAMAGED)
        return gw_damaged_dissect(tvb, pinfo, tree, data, dissect_in_webrtc) != 0;
    return result == CHANNEL_ACCEPTED;
}

/* Reads the header of an exported message, and adds it to the tree. Sets `enet` and `channel` from it, and in `carrier`
 * a pointer to the one that the transport has, if any. The header has no data channel: a message over WebRTC counts as
 * one of the engine's own channels (is_usual). False: too short, or of another version. */
static bool read_exported(tvbuff_t *tvb, proto_tree *parent, godot_mp_carrier *carrier, enet_message *enet,
                          godot_mp_channel *channel)
{
    static const struct {
        const int *hf;
        int offset, length;
    } items[] = {
        { &godot_mp_hf.exported_version, GODOT_MP_AT_VERSION, 1 },
        { &godot_mp_hf.exported_transport, GODOT_MP_AT_TRANSPORT, 1 },
        { &godot_mp_hf.exported_generation, GODOT_MP_AT_GENERATION, 1 },
        { &godot_mp_hf.exported_client_known, GODOT_MP_AT_FLAGS, 1 },
        { &godot_mp_hf.exported_from_client, GODOT_MP_AT_FLAGS, 1 },
        { &godot_mp_hf.exported_has_connect_data, GODOT_MP_AT_FLAGS, 1 },
        { &godot_mp_hf.exported_repeated, GODOT_MP_AT_FLAGS, 1 },
        { &godot_mp_hf.exported_connection, GODOT_MP_AT_CONNECTION, 4 },
        { &godot_mp_hf.exported_connect_data, GODOT_MP_AT_CONNECT_DATA, 4 },
        { &godot_mp_hf.exported_channel, GODOT_MP_AT_CHANNEL, 1 },
    };
    if (tvb_captured_length(tvb) <= GODOT_MP_EXPORT_HEADER ||
        tvb_get_uint8(tvb, GODOT_MP_AT_VERSION) != GODOT_MP_EXPORT_VERSION)
        return false;
    uint8_t transport = tvb_get_uint8(tvb, GODOT_MP_AT_TRANSPORT), flags = tvb_get_uint8(tvb, GODOT_MP_AT_FLAGS);
    *enet = (enet_message){
        .connection = tvb_get_ntohl(tvb, GODOT_MP_AT_CONNECTION),
        .channel = tvb_get_uint8(tvb, GODOT_MP_AT_CHANNEL),
        .client_known = flags & GODOT_MP_EXPORT_CLIENT,
        .from_client = flags & GODOT_MP_EXPORT_FROM_IT,
        .has_connect_data = flags & GODOT_MP_EXPORT_CONNECTED,
        .connect_data = tvb_get_ntohl(tvb, GODOT_MP_AT_CONNECT_DATA),
        .repeated = flags & GODOT_MP_EXPORT_REPEATED,
        .wire_length = tvb_reported_length(tvb) - GODOT_MP_EXPORT_HEADER,
    };
    *channel = (godot_mp_channel){ .is_usual = true };
    uint8_t exported_generation = tvb_get_uint8(tvb, GODOT_MP_AT_GENERATION);
    if (exported_generation == GW_GODOT_3 || exported_generation == GW_GODOT_4)
        carrier->generation = exported_generation;
    carrier->enet = transport == GODOT_MP_ENET ? enet : NULL;
    carrier->channel = transport == GODOT_MP_WEBRTC ? channel : NULL;
    carrier->is_websocket = transport == GODOT_MP_WEBSOCKET;
    carrier->connection = enet->connection;
    proto_item *item = proto_tree_add_protocol_format(parent, proto_godot_mp, tvb, 0, GODOT_MP_EXPORT_HEADER,
                                                      "Godot Multiplayer, exported message");
    proto_tree *tree = proto_item_add_subtree(item, godot_mp_ett_protocol);
    for (size_t i = 0; i < array_length(items); i++)
        proto_tree_add_item(tree, *items[i].hf, tvb, items[i].offset, items[i].length, ENC_BIG_ENDIAN);
    return true;
}

/* Dissects a message that File > Export PDUs to File or tshark -U wrote, or the game itself: the headers of the two
 * differ, and that of a recording is tried first. Everything in it is known to be a message: there is no heuristic.
 * Returns 0 if the bytes begin with neither header. */
static int dissect_exported(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    enet_message enet;
    godot_mp_channel channel;
    godot_mp_carrier carrier = { .generation = generation };
    const int recorded = godot_mp_dissect_recorded(tvb, pinfo, tree, generation);
    if (recorded || !read_exported(tvb, tree, &carrier, &enet, &channel))
        return recorded;
    const godot_mp_origin origin = { .has_connection = true, .connection = enet.connection, .repeated = enet.repeated };
    carrier.origin = &origin;
    return godot_mp_dissect(tvb_new_subset_remaining(tvb, GODOT_MP_EXPORT_HEADER), pinfo, tree, &carrier) +
           GODOT_MP_EXPORT_HEADER;
}

/* Called for each DISCONNECT of ENet: adds an expert info to one that the auth_timeout of SceneMultiplayer caused. If
 * the sender has begun the authentication, this is certain; else it only may have, as its text says. */
static void add_disconnect(packet_info *pinfo, proto_item *item, const enet_disconnect *disconnect)
{
    godot_mp_position position = { .conversation = disconnect->conversation,
                                   .connection_id = disconnect->connection,
                                   .repeated = disconnect->repeated };
    godot_mp_find_position(&position, pinfo);
    if (!godot_mp_keep_timeout(&position, disconnect) || disconnect->repeated)
        return;
    if (position.connection->authenticates[position.side])
        gw_add_finding_format(pinfo, item, &godot_mp_ei.authentication_missing,
                              "3 s after the connection, without an end of the authentication: the auth_timeout of "
                              "SceneMultiplayer");
    else
        gw_add_finding_format(pinfo, item, &godot_mp_ei.authentication_missing,
                              "3 s after the connection, by a peer that has confirmed no path and sent no message of "
                              "the game: the auth_timeout of SceneMultiplayer, if this peer has an auth_callback");
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers the protocol, its preferences and dissectors. Called by Wireshark at start. */
void proto_register_godot_mp(void)
{
    static const enum_val_t generations[] = {
        { "auto", "Automatic", GW_GODOT_ANY },
        { "3", "Godot 3", GW_GODOT_3 },
        { "4", "Godot 4", GW_GODOT_4 },
        { NULL, NULL, 0 },
    };
    proto_godot_mp = proto_register_protocol("Godot Multiplayer", "GodotMP", "godot_mp");
    godot_mp_register_fields(proto_godot_mp);
    godot_mp_register_analysis();
    godot_mp_register_statistics(proto_godot_mp);
    module_t *module = prefs_register_protocol(proto_godot_mp, NULL);
    prefs_register_enum_preference(module, "generation", "Godot generation",
                                   "Generation of the packets. Godot 3 and 4 number their commands differently.",
                                   &generation, generations, false);
    godot_register_names(module);
    godot_register_peers(module);
    mp_handle = register_dissector("godot_mp", dissect_multiplayer, proto_godot_mp);
    register_dissector(GODOT_MP_EXPORT_DISSECTOR, dissect_exported, proto_godot_mp);
    godot_mp_register_records(proto_godot_mp);
    godot_mp_register_names_record(proto_godot_mp);
    godot_mp_register_dissection(proto_godot_mp);
    gw_heuristic_init_nested(&over_enet);
    gw_heuristic_init_nested(&over_websocket);
    /* Games may send texts such as JSON over the same WebSocket: the evidence before them still counts. */
    over_websocket.skips_texts = true;
    gw_heuristic_init_nested(&over_webrtc);
}

/* Adds the dissectors to the protocols that carry multiplayer. Called by Wireshark after all protocols are
 * registered. */
void proto_reg_handoff_godot_mp(void)
{
    heur_dissector_add(ENET_HEURISTICS, dissect_over_enet, "Godot Multiplayer over ENet", "godot_multiplayer_enet",
                       proto_godot_mp, HEURISTIC_ENABLE);
    dissector_add_for_decode_as(ENET_PORT_TABLE, mp_handle);
    dissector_add_for_decode_as(GW_WEBSOCKET_PORT_TABLE, create_dissector_handle(dissect_in_websocket, proto_godot_mp));
    heur_dissector_add("ws", dissect_over_websocket, "Godot Multiplayer over WebSocket", "godot_multiplayer_ws",
                       proto_godot_mp, HEURISTIC_ENABLE);
    heur_dissector_add("sctp", dissect_over_webrtc, "Godot Multiplayer over WebRTC", "godot_multiplayer_sctp",
                       proto_godot_mp, HEURISTIC_ENABLE);
    dissector_add_for_decode_as("sctp.ppi", create_dissector_handle(dissect_in_webrtc, proto_godot_mp));
    godot_mp_register_data_channels();
    enet_register_disconnect(add_disconnect);
}
