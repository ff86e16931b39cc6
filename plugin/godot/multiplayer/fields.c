/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of Godot's multiplayer: godot_mp.* for every message, godot_mp.rpc.* for calls,
 * godot_mp.path.*, godot_mp.spawn.* and godot_mp.sync.* for other messages.
 */
#include "fields.h"

#include "common/experts.h"
#include "export.h"

godot_mp_fields godot_mp_hf;
godot_mp_experts godot_mp_ei;
expert_field godot_mp_ei_odd[GODOT_MP_ODDS];
expert_field godot_mp_ei_fault[GW_GODOT_MULTIPLAYER_FAULTS];
int godot_mp_ett_protocol = -1;
int godot_mp_ett_packet = -1;
int godot_mp_ett_item = -1;

/* ---- fields -------------------------------------------------------------------------------------------- */

static const value_string message_types[] = {
    { GW_GODOT_MULTIPLAYER_WEBSOCKET_NONE, "Packet" },
    { GW_GODOT_MULTIPLAYER_WEBSOCKET_ADD, "Peer joined" },
    { GW_GODOT_MULTIPLAYER_WEBSOCKET_DELETE, "Peer left" },
    { GW_GODOT_MULTIPLAYER_WEBSOCKET_ID, "Assigned peer id" },
    { 0, NULL },
};

static const value_string peer_messages[] = { { 0, "Peer joined" }, { 1, "Peer left" }, { 0, NULL } };

static const value_string systems[] = {
    { GW_GODOT_MULTIPLAYER_AUTH, "Authentication" },
    { GW_GODOT_MULTIPLAYER_ADD_PEER, "Peer joined" },
    { GW_GODOT_MULTIPLAYER_DELETE_PEER, "Peer left" },
    { GW_GODOT_MULTIPLAYER_RELAY, "Relay" },
    { 0, NULL },
};

#define HF(member) &godot_mp_hf.member

static hf_register_info message_fields[] = {
    { HF(stream),
      { "Stream index", "godot_mp.stream", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the connection between two peers in this file, from 0", HFILL } },
    { HF(length),
      { "Length", "godot_mp.length", FT_UINT32, BASE_DEC, NULL, 0,
        "Length of the whole message in bytes, reassembled and without the headers of the transport", HFILL } },
    { HF(form),
      { "Form", "godot_mp.form", FT_STRING, BASE_NONE, NULL, 0,
        "Transport of the packet, which defines the headers around it", HFILL } },
    { HF(generation),
      { "Generation", "godot_mp.generation", FT_UINT8, BASE_DEC, NULL, 0,
        "Godot generation (3 or 4) whose numbering of commands is used", HFILL } },
    { HF(command),
      { "Command", "godot_mp.command", FT_STRING, BASE_NONE, NULL, 0,
        "Name of the command in the engine, whose number differs between generations", HFILL } },
    { HF(flags),
      { "Command byte", "godot_mp.flags", FT_UINT8, BASE_DEC_HEX, NULL, 0,
        "First byte of the packet: the command and, in Godot 4, its flags", HFILL } },
    { HF(from),
      { "From", "godot_mp.from", FT_STRING, BASE_NONE, NULL, 0,
        "Peer that sent the packet first: \"server\", \"client\" and its ID, or the name of the player", HFILL } },
    { HF(to),
      { "To", "godot_mp.to", FT_STRING, BASE_NONE, NULL, 0,
        "Peers that the packet is for: \"server\", \"client\" and its ID, \"all\", \"all but\" one, or the name of the "
        "player",
        HFILL } },
    { HF(source),
      { "Source peer", "godot_mp.source", FT_INT32, BASE_DEC, NULL, 0,
        "ID of the peer that sent the packet; for a relayed packet, of the peer that sent it first", HFILL } },
    { HF(target),
      { "Target peer", "godot_mp.target", FT_INT32, BASE_DEC, NULL, 0,
        "ID of the peer that receives the packet; 0 for all peers, negative for all peers but that one", HFILL } },
    { HF(message_type),
      { "Message type", "godot_mp.message_type", FT_UINT8, BASE_DEC, VALS(message_types), 0,
        "Type in Godot 3's header on WebSocket: a packet, or a message about a peer", HFILL } },
    { HF(peer_message),
      { "Peer message", "godot_mp.peer_message", FT_UINT32, BASE_DEC, VALS(peer_messages), 0,
        "Kind of the message about a peer: it joined or left", HFILL } },
    { HF(peer), { "Peer", "godot_mp.peer", FT_INT32, BASE_DEC, NULL, 0, "ID of the peer that joined or left", HFILL } },
    { HF(assigned_peer),
      { "Assigned peer id", "godot_mp.assigned_peer", FT_INT32, BASE_DEC, NULL, 0,
        "ID that the server gives to the receiver", HFILL } },
    { HF(peer_known_from),
      { "Known from", "godot_mp.peer_known_from", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The packet with the ID of the peer is in this frame", HFILL } },
    { HF(system),
      { "System command", "godot_mp.system", FT_UINT8, BASE_DEC, VALS(systems), 0,
        "Kind of the engine's own command about peers, authentication or relaying", HFILL } },
    { HF(relay_peer),
      { "Relay peer", "godot_mp.relay_peer", FT_INT32, BASE_DEC, NULL, 0,
        "ID of the destination (toward the server) or of the source (from the server) of a relayed packet", HFILL } },
    { HF(relayed_in),
      { "Relayed in", "godot_mp.relayed_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The server sends the packet on to a client in this frame", HFILL } },
    { HF(relay_of),
      { "Relay of", "godot_mp.relay_of", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The packet of the client that the server sends on here is in this frame", HFILL } },
    { HF(relay_time),
      { "Relay time", "godot_mp.relay_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the client's packet to that of the server, who sends it on", HFILL } },
    { HF(data),
      { "Data", "godot_mp.data", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of the game's own message (RAW), or of its authentication", HFILL } },
    { HF(variant),
      { "Variant", "godot_mp.variant", FT_STRING, BASE_NONE, NULL, 0,
        "Value that the game sends instead of a packet, with put_var(), as a Godot literal", HFILL } },
    { HF(trailing),
      { "Trailing bytes", "godot_mp.trailing", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes after the end of the packet, which the engine ignores", HFILL } },
    { HF(undecoded),
      { "Undecoded", "godot_mp.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes from the place where decoding stopped to the end of the message", HFILL } },
    { HF(not_shown),
      { "Bytes not shown", "godot_mp.not_shown", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes not shown because the tree is full", HFILL } },
    { HF(data_channel_stream),
      { "Data channel", "godot_mp.data_channel.stream", FT_UINT16, BASE_DEC, NULL, 0,
        "WebRTC data channel of the packet: its SCTP stream. Godot's own are 1 (reliable), 2 (ordered), 3 "
        "(unreliable), "
        "and from 4 on those that the game adds",
        HFILL } },
    { HF(data_channel_label),
      { "Label", "godot_mp.data_channel.label", FT_STRING, BASE_NONE, NULL, 0,
        "Name of the data channel, from the message that opened it. Godot's own channels are not opened by a message",
        HFILL } },
    { HF(data_channel_reliability),
      { "Reliability", "godot_mp.data_channel.reliability", FT_STRING, BASE_NONE, NULL, 0,
        "How the data channel sends, from the message that opened it", HFILL } },
    { HF(data_channel_opened_in),
      { "Opened in", "godot_mp.data_channel.opened_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The message that opened the data channel (DATA_CHANNEL_OPEN) is in this frame", HFILL } },
};

static const value_string exported_transports[] = {
    { GODOT_MP_OTHER, "Other" },
    { GODOT_MP_ENET, "ENet" },
    { GODOT_MP_WEBSOCKET, "WebSocket" },
    { GODOT_MP_WEBRTC, "WebRTC" },
    { 0, NULL },
};

static hf_register_info exported_fields[] = {
    { HF(exported_version),
      { "Version", "godot_mp.exported.version", FT_UINT8, BASE_DEC, NULL, 0,
        "Version of the header that this plugin writes before an exported message", HFILL } },
    { HF(exported_transport),
      { "Transport", "godot_mp.exported.transport", FT_UINT8, BASE_DEC, VALS(exported_transports), 0,
        "What carried the message in the original capture", HFILL } },
    { HF(exported_generation),
      { "Generation", "godot_mp.exported.generation", FT_UINT8, BASE_DEC, NULL, 0,
        "Godot generation (3 or 4) with whose numbering the message was read", HFILL } },
    { HF(exported_client_known),
      { "Client known", "godot_mp.exported.client_known", FT_BOOLEAN, 8, NULL, GODOT_MP_EXPORT_CLIENT,
        "True if it was known which of the two is ENet's client", HFILL } },
    { HF(exported_from_client),
      { "From client", "godot_mp.exported.from_client", FT_BOOLEAN, 8, NULL, GODOT_MP_EXPORT_FROM_IT,
        "True if ENet's client sent the message", HFILL } },
    { HF(exported_has_connect_data),
      { "CONNECT captured", "godot_mp.exported.has_connect_data", FT_BOOLEAN, 8, NULL, GODOT_MP_EXPORT_CONNECTED,
        "True if the data of ENet's CONNECT is known", HFILL } },
    { HF(exported_repeated),
      { "Repeated", "godot_mp.exported.repeated", FT_BOOLEAN, 8, NULL, GODOT_MP_EXPORT_REPEATED,
        "True if the receiver had received the message before", HFILL } },
    { HF(exported_connection),
      { "Connection", "godot_mp.exported.connection", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the connection in the original capture: enet.connection or, without ENet, godot_mp.stream",
        HFILL } },
    { HF(exported_connect_data),
      { "Connect data", "godot_mp.exported.connect_data", FT_UINT32, BASE_DEC, NULL, 0,
        "Data of ENet's CONNECT: the client's peer id", HFILL } },
    { HF(exported_channel),
      { "Channel", "godot_mp.exported.channel", FT_UINT8, BASE_DEC, NULL, 0, "Channel of ENet", HFILL } },
};

static hf_register_info call_fields[] = {
    { HF(rpc_node_id),
      { "Node id", "godot_mp.rpc.node_id", FT_UINT32, BASE_DEC, NULL, 0, "Path ID of the node whose method is called",
        HFILL } },
    { HF(rpc_path),
      { "Path", "godot_mp.rpc.path", FT_STRING, BASE_NONE, NULL, 0, "Path of the node whose method is called",
        HFILL } },
    { HF(rpc_path_offset),
      { "Path offset", "godot_mp.rpc.path_offset", FT_UINT32, BASE_DEC, NULL, 0,
        "Position of the path, counted from the command byte", HFILL } },
    { HF(rpc_path_defined_in),
      { "Path defined in", "godot_mp.rpc.path_defined_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The packet that gives the node's path its ID is in this frame", HFILL } },
    { HF(rpc_differs_in),
      { "Different methods reported in", "godot_mp.rpc.differs_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The called peer's message that its node has other RPC methods is in this frame", HFILL } },
    { HF(rpc_method_id),
      { "Method id", "godot_mp.rpc.method_id", FT_UINT16, BASE_DEC, NULL, 0,
        "Index of the method among the script's RPC methods in the order of their names; with bit 15, among those "
        "configured on the node",
        HFILL } },
    { HF(rpc_method),
      { "Method", "godot_mp.rpc.method", FT_STRING, BASE_NONE, NULL, 0, "Name of the called method", HFILL } },
    { HF(rpc_method_from),
      { "Name from", "godot_mp.rpc.method_from", FT_STRING, BASE_NONE, NULL, 0,
        "Script in the table godot_rpc_names that contains the method's name", HFILL } },
    { HF(rpc_property),
      { "Property", "godot_mp.rpc.property", FT_STRING, BASE_NONE, NULL, 0, "Name of the property that REMOTE_SET sets",
        HFILL } },
    { HF(rpc_source),
      { "Caller", "godot_mp.rpc.source", FT_INT32, BASE_DEC, NULL, 0, "ID of the peer that calls the method", HFILL } },
    { HF(rpc_target),
      { "Callee", "godot_mp.rpc.target", FT_INT32, BASE_DEC, NULL, 0,
        "ID of the peer whose method is called; 0 for all peers, negative for all peers but that one", HFILL } },
    { HF(rpc_argument_count),
      { "Argument count", "godot_mp.rpc.argument_count", FT_UINT8, BASE_DEC, NULL, 0, "Number of arguments of the call",
        HFILL } },
    { HF(rpc_argument),
      { "Argument", "godot_mp.rpc.argument", FT_STRING, BASE_NONE, NULL, 0, "Argument of the call as a Godot literal",
        HFILL } },
    { HF(rpc_bytes),
      { "Byte array", "godot_mp.rpc.bytes", FT_BYTES, BASE_NONE, NULL, 0,
        "Only argument of the call, a PackedByteArray without a header", HFILL } },
};

static hf_register_info path_fields[] = {
    { HF(path_id),
      { "Path id", "godot_mp.path.id", FT_UINT32, BASE_DEC, NULL, 0,
        "ID that the sender uses instead of the node's path", HFILL } },
    { HF(path_path),
      { "Path", "godot_mp.path.path", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the node, relative to the root of the multiplayer tree", HFILL } },
    { HF(path_checksum),
      { "Method checksum", "godot_mp.path.checksum", FT_STRING, BASE_NONE, NULL, 0,
        "MD5 of the names of the node's RPC methods, sorted and joined", HFILL } },
    { HF(path_script),
      { "Script", "godot_mp.path.script", FT_STRING, BASE_NONE, NULL, 0,
        "Script in the table godot_rpc_names whose methods have this checksum", HFILL } },
    { HF(path_confirmed),
      { "Same methods", "godot_mp.path.confirmed", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the receiver's node has the same RPC methods", HFILL } },
    { HF(path_defined_in),
      { "Defined in", "godot_mp.path.defined_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The packet that gives the path its ID is in this frame", HFILL } },
    { HF(path_confirmed_in),
      { "Confirmed in", "godot_mp.path.confirmed_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The receiver's confirmation of the path ID is in this frame", HFILL } },
    { HF(path_confirm_time),
      { "Time to confirmation", "godot_mp.path.confirm_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the definition of the path ID to its confirmation", HFILL } },
};

static hf_register_info spawn_fields[] = {
    { HF(spawn_scene),
      { "Scene index", "godot_mp.spawn.scene", FT_UINT8, BASE_DEC, NULL, 0,
        "Index of the scene in the spawner's list; 255 for a node that a function creates", HFILL } },
    { HF(spawn_scene_name),
      { "Scene", "godot_mp.spawn.scene_name", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the spawned scene, found in the table godot_rpc_properties by the spawner's path (not proven)",
        HFILL } },
    { HF(spawn_spawner),
      { "Spawner", "godot_mp.spawn.spawner", FT_UINT32, BASE_DEC, NULL, 0, "Path ID of the MultiplayerSpawner",
        HFILL } },
    { HF(spawn_spawner_path),
      { "Spawner path", "godot_mp.spawn.spawner_path", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the MultiplayerSpawner, known from the packet that defines its ID", HFILL } },
    { HF(spawn_net_id),
      { "Net id", "godot_mp.spawn.net_id", FT_UINT32, BASE_DEC, NULL, 0,
        "Network ID that the sender gives to the spawned node", HFILL } },
    { HF(spawn_sync_count),
      { "Synchronizer count", "godot_mp.spawn.sync_count", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of MultiplayerSynchronizers of the spawned node", HFILL } },
    { HF(spawn_sync_id),
      { "Synchronizer id", "godot_mp.spawn.sync_id", FT_UINT32, BASE_DEC, NULL, 0,
        "Network ID of one of the node's MultiplayerSynchronizers", HFILL } },
    { HF(spawn_name_length),
      { "Name length", "godot_mp.spawn.name_length", FT_UINT32, BASE_DEC, NULL, 0,
        "Length of the node's name in bytes, including its NUL", HFILL } },
    { HF(spawn_name),
      { "Name", "godot_mp.spawn.name", FT_STRING, BASE_NONE, NULL, 0, "Name of the spawned node", HFILL } },
    { HF(spawn_custom_size),
      { "Custom data size", "godot_mp.spawn.custom_size", FT_UINT32, BASE_DEC, NULL, 0,
        "Length of the custom data in bytes", HFILL } },
    { HF(spawn_custom),
      { "Custom data", "godot_mp.spawn.custom", FT_STRING, BASE_NONE, NULL, 0,
        "Argument of the function that creates the node, as a Godot literal", HFILL } },
    { HF(spawn_state),
      { "State", "godot_mp.spawn.state", FT_STRING, BASE_NONE, NULL, 0,
        "Value of a property when the node is spawned, as a Godot literal", HFILL } },
    { HF(spawn_spawned_in),
      { "Spawned in", "godot_mp.spawn.spawned_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The packet that spawned the node is in this frame", HFILL } },
    { HF(spawn_despawned_in),
      { "Despawned in", "godot_mp.spawn.despawned_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The packet that removes the node is in this frame", HFILL } },
    { HF(spawn_lifetime),
      { "Lifetime", "godot_mp.spawn.lifetime", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the spawning of the node to its removal", HFILL } },
};

static hf_register_info sync_fields[] = {
    { HF(sync_time),
      { "Time", "godot_mp.sync.time", FT_UINT16, BASE_DEC, NULL, 0,
        "Count of the sender's network frames, modulo 65536", HFILL } },
    { HF(sync_ahead),
      { "Frames since previous sync", "godot_mp.sync.ahead", FT_UINT16, BASE_DEC, NULL, 0,
        "Number of the sender's network frames since its previous synchronization, including frames without one",
        HFILL } },
    { HF(sync_interval),
      { "Interval", "godot_mp.sync.interval", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time since this sender's previous synchronization", HFILL } },
    { HF(sync_previous),
      { "Previous sync", "godot_mp.sync.previous", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The previous synchronization of this sender is in this frame", HFILL } },
    { HF(sync_net_id),
      { "Net id", "godot_mp.sync.net_id", FT_UINT32, BASE_DEC, NULL, 0,
        "Network ID of the MultiplayerSynchronizer; with bit 31, the ID of its path", HFILL } },
    { HF(sync_path),
      { "Path", "godot_mp.sync.path", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the MultiplayerSynchronizer, or the name of the spawned node", HFILL } },
    { HF(sync_node),
      { "Update", "godot_mp.sync.update", FT_NONE, BASE_NONE, NULL, 0, "Properties of one MultiplayerSynchronizer",
        HFILL } },
    { HF(sync_defined_in),
      { "Id defined in", "godot_mp.sync.defined_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The packet that spawned the node, or gave the path its ID, is in this frame", HFILL } },
    { HF(sync_update_interval),
      { "Interval of the synchronizer", "godot_mp.sync.update.interval", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time since the previous update of this synchronizer for the same receiver, to the microsecond", HFILL } },
    { HF(sync_update_previous),
      { "Previous update", "godot_mp.sync.update.previous", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The previous update of this synchronizer for the same receiver is in this frame", HFILL } },
    { HF(sync_indexes),
      { "Property indexes", "godot_mp.sync.indexes", FT_UINT64, BASE_DEC_HEX, NULL, 0,
        "Bits of the watched properties that follow: bit n stands for the n-th property", HFILL } },
    { HF(sync_size),
      { "Size", "godot_mp.sync.size", FT_UINT32, BASE_DEC, NULL, 0, "Length of the property values in bytes", HFILL } },
    { HF(sync_property),
      { "Property", "godot_mp.sync.property", FT_STRING, BASE_NONE, NULL, 0,
        "Name of the property, found in the table godot_rpc_properties by the synchronizer's path (not proven)",
        HFILL } },
    { HF(sync_value),
      { "Value", "godot_mp.sync.value", FT_STRING, BASE_NONE, NULL, 0, "Value of the property as a Godot literal",
        HFILL } },
};

/* ---- expert infos -------------------------------------------------------------------------------------- */

#define ODD(name, filter, group, severity) \
    { \
        GW_GODOT_MULTIPLAYER_ODD_##name, "godot_mp." filter, group, severity \
    }

static const gw_expert_row odd_rows[] = {
    ODD(FLAGS, "flags.unknown", PI_PROTOCOL, PI_WARN),
    ODD(UTF8, "utf8.invalid", PI_PROTOCOL, PI_WARN),
    ODD(WIDE, "number.unusual", PI_PROTOCOL, PI_CHAT),
    ODD(TRAILING, "trailing.unusual", PI_PROTOCOL, PI_WARN),
    ODD(CHECKSUM, "checksum.invalid", PI_PROTOCOL, PI_WARN),
    ODD(CONFIRMED, "confirmation.invalid", PI_PROTOCOL, PI_WARN),
    ODD(BOOL, "bool.unusual", PI_PROTOCOL, PI_WARN),
    ODD(NULL_OBJECT, "null_object.invalid", PI_PROTOCOL, PI_ERROR),
    ODD(NAME, "name.invalid", PI_PROTOCOL, PI_WARN),
    ODD(INDEXES, "indexes.differs", PI_MALFORMED, PI_ERROR),
    ODD(PEER, "peer.invalid", PI_PROTOCOL, PI_WARN),
    ODD(TOO_LARGE, "packet.too_long", PI_PROTOCOL, PI_WARN),
    ODD(RELAY, "system.relayed", PI_SECURITY, PI_WARN),
    ODD(CUSTOM_SIZE, "custom_size.differs", PI_PROTOCOL, PI_WARN),
    ODD(OLD_CONFIRM, "confirmation.unusual", PI_PROTOCOL, PI_CHAT),
};

#define FAULT(name, filter, group) \
    { \
        GW_GODOT_MULTIPLAYER_FAULT_##name, "godot_mp." filter, group, PI_ERROR \
    }

static const gw_expert_row fault_rows[] = {
    FAULT(EMPTY, "message.empty", PI_MALFORMED),
    FAULT(FIELD_TRUNCATED, "field.truncated", PI_MALFORMED),
    FAULT(TEXT_TRUNCATED, "text.truncated", PI_MALFORMED),
    FAULT(CHECKSUM_TRUNCATED, "checksum.truncated", PI_MALFORMED),
    FAULT(NAME_TRUNCATED, "name.truncated", PI_MALFORMED),
    FAULT(IDS_TRUNCATED, "ids.truncated", PI_MALFORMED),
    FAULT(VALUE_TRUNCATED, "value.truncated", PI_MALFORMED),
    FAULT(VALUES_MISSING, "values.missing", PI_MALFORMED),
    FAULT(UPDATE_TRUNCATED, "update.truncated", PI_MALFORMED),
    FAULT(VALUE_INVALID, "value.invalid", PI_MALFORMED),
    FAULT(TOO_DEEP, "value.too_deep", PI_UNDECODED),
    FAULT(OFFSET_INVALID, "offset.invalid", PI_MALFORMED),
    FAULT(ID_SIZE_UNKNOWN, "id_size.unknown", PI_UNDECODED),
    FAULT(COMMAND_UNKNOWN, "command.unknown", PI_UNDECODED),
    FAULT(SYSTEM_UNKNOWN, "system.unknown", PI_UNDECODED),
    FAULT(HEAD_UNKNOWN, "peer_message.unknown", PI_UNDECODED),
    FAULT(RELAY_TOO_DEEP, "relay.too_deep", PI_UNDECODED),
    FAULT(TOO_LONG, "input.too_long", PI_UNDECODED),
};

#define EI(member) &godot_mp_ei.member

static ei_register_info own_experts[] = {
    { EI(cut_short), { "godot_mp.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", EXPFILL } },
    { EI(not_shown), { "godot_mp.tree.too_long", PI_UNDECODED, PI_NOTE, GW_TREE_LIMIT_REACHED_EXPERT_TEXT, EXPFILL } },
    { EI(path_unknown),
      { "godot_mp.path.definition.unseen", PI_SEQUENCE, PI_NOTE, "No packet in the capture defines this path id",
        EXPFILL } },
    { EI(path_defined_later),
      { "godot_mp.path.defined_later", PI_SEQUENCE, PI_NOTE, "The path id is defined only after this packet",
        EXPFILL } },
    { EI(path_redefined),
      { "godot_mp.path.redefined", PI_SEQUENCE, PI_WARN, "The path id had another path before", EXPFILL } },
    { EI(path_unconfirmed),
      { "godot_mp.path.unconfirmed", PI_SEQUENCE, PI_NOTE, "The path id is used before a packet confirms it",
        EXPFILL } },
    { EI(path_by_name),
      { "godot_mp.path.by_name", PI_SEQUENCE, PI_CHAT,
        "The node path is sent in full because its id has not been confirmed yet", EXPFILL } },
    { EI(checksum_differs),
      { "godot_mp.path.methods.differs", PI_PROTOCOL, PI_ERROR,
        "The two peers' RPC methods of this node differ: calls between them fail or reach other methods", EXPFILL } },
    { EI(methods_differ),
      { "godot_mp.rpc.methods.differs", PI_PROTOCOL, PI_WARN,
        "The called peer's node has other RPC methods: the call fails or reaches another method", EXPFILL } },
    { EI(confirmation_unasked),
      { "godot_mp.path.request.unseen", PI_SEQUENCE, PI_NOTE, "No packet in the capture requested this confirmation",
        EXPFILL } },
    { EI(method_unknown),
      { "godot_mp.rpc.method.unknown", PI_PROTOCOL, PI_ERROR, "The script has no RPC method of this number",
        EXPFILL } },
    { EI(spawn_unknown),
      { "godot_mp.spawn.spawner.unseen", PI_SEQUENCE, PI_NOTE, "No packet in the capture defines the spawner's path id",
        EXPFILL } },
    { EI(spawn_again),
      { "godot_mp.spawn.net_id.duplicate", PI_SEQUENCE, PI_WARN,
        "The net id is in use by a node that was not despawned", EXPFILL } },
    { EI(despawn_unknown),
      { "godot_mp.spawn.net_id.unseen", PI_SEQUENCE, PI_NOTE, "No packet in the capture spawned this net id",
        EXPFILL } },
    { EI(spawned_later),
      { "godot_mp.spawn.spawned_later", PI_SEQUENCE, PI_NOTE, "The net id is spawned only after this packet",
        EXPFILL } },
    { EI(sync_unknown),
      { "godot_mp.sync.net_id.unseen", PI_SEQUENCE, PI_NOTE, "No packet in the capture spawned a node with this net id",
        EXPFILL } },
    { EI(sync_late),
      { "godot_mp.sync.late", PI_SEQUENCE, PI_NOTE,
        "Older than a sync that came before; the receiver keeps newer values of a synchronizer", EXPFILL } },
    { EI(sync_update_late),
      { "godot_mp.sync.update.late", PI_SEQUENCE, PI_NOTE,
        "The update interval is much longer than the synchronizer's earlier ones: the node seems to jump", EXPFILL } },
    { EI(spawn_by_client),
      { "godot_mp.spawn.by_client", PI_PROTOCOL, PI_NOTE, "Spawned by a client, which must be the spawner's authority",
        EXPFILL } },
};

void godot_mp_register_fields(int protocol)
{
    static int *subtrees[] = { &godot_mp_ett_protocol, &godot_mp_ett_packet, &godot_mp_ett_item };
    proto_register_field_array(protocol, message_fields, array_length(message_fields));
    proto_register_field_array(protocol, exported_fields, array_length(exported_fields));
    proto_register_field_array(protocol, call_fields, array_length(call_fields));
    proto_register_field_array(protocol, path_fields, array_length(path_fields));
    proto_register_field_array(protocol, spawn_fields, array_length(spawn_fields));
    proto_register_field_array(protocol, sync_fields, array_length(sync_fields));
    proto_register_subtree_array(subtrees, array_length(subtrees));
    expert_module_t *experts = expert_register_protocol(protocol);
    gw_register_odd_experts(experts, godot_mp_ei_odd, odd_rows, array_length(odd_rows), gw_godot_multiplayer_odd_text);
    gw_register_fault_experts(experts, godot_mp_ei_fault, fault_rows, array_length(fault_rows),
                              gw_godot_multiplayer_fault_text);
    for (size_t i = 0; i < array_length(own_experts); i++)
        *own_experts[i].ids = (expert_field)EI_INIT;
    expert_register_field_array(experts, own_experts, array_length(own_experts));
}
