/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of recordings: of the header of recorded messages, and of the record of names.
 */
#include "internal.h"

#include "common/registration.h"

godot_mp_recorded_fields godot_mp_recorded_hf;
godot_mp_recorded_experts godot_mp_recorded_ei;
godot_mp_names_fields godot_mp_names_hf;
godot_mp_names_experts godot_mp_names_ei;

/* ---- recorded messages --------------------------------------------------------------------------------- */

static const value_string modes[] = {
    { 0, "unreliable" },
    { 1, "unreliable ordered" },
    { 2, "reliable" },
    { 0, NULL },
};

static hf_register_info recorded_fields[] = {
    { &godot_mp_recorded_hf.length,
      { "Header length", "godot_mp.recorded.header_length", FT_UINT8, BASE_DEC, NULL, 0,
        "Bytes of the header before a recorded message", HFILL } },
    { &godot_mp_recorded_hf.received,
      { "Recorded by the receiver", "godot_mp.recorded.received", FT_BOOLEAN, 16, NULL, GODOT_MP_RECORD_RECEIVED,
        "True if the receiver recorded the message, false if the sender did", HFILL } },
    { &godot_mp_recorded_hf.mode,
      { "Transfer mode", "godot_mp.recorded.mode", FT_UINT8, BASE_DEC, VALS(modes), 0,
        "Transfer mode with which the message was sent", HFILL } },
    { &godot_mp_recorded_hf.channel,
      { "Channel", "godot_mp.recorded.channel", FT_UINT8, BASE_DEC, NULL, 0, "Channel of the multiplayer peer",
        HFILL } },
    { &godot_mp_recorded_hf.connection,
      { "Connection", "godot_mp.recorded.connection", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the connection among those between the two peers", HFILL } },
    { &godot_mp_recorded_hf.from,
      { "From", "godot_mp.recorded.from", FT_INT32, BASE_DEC, NULL, 0, "ID of the peer that sent the message",
        HFILL } },
    { &godot_mp_recorded_hf.to,
      { "To", "godot_mp.recorded.to", FT_INT32, BASE_DEC, NULL, 0, "ID of the peer that receives the message",
        HFILL } },
    { &godot_mp_recorded_hf.ordinal,
      { "Ordinal", "godot_mp.recorded.ordinal", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the message among those between the two peers with this mode and channel", HFILL } },
    { &godot_mp_recorded_hf.lost,
      { "Messages left out", "godot_mp.recorded.lost", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of messages directly before this one that are not in the recording", HFILL } },
    { &godot_mp_recorded_hf.process_frame,
      { "Process frame", "godot_mp.recorded.process_frame", FT_UINT32, BASE_DEC, NULL, 0,
        "Frame of the recording game in which the message was sent or handled", HFILL } },
    { &godot_mp_recorded_hf.physics_tick,
      { "Physics tick", "godot_mp.recorded.physics_tick", FT_UINT32, BASE_DEC, NULL, 0,
        "Physics tick of the recording game in which the message was sent or handled", HFILL } },
    { &godot_mp_recorded_hf.handler_time,
      { "Time in the handler", "godot_mp.recorded.handler_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time that the recording game took to handle the received message", HFILL } },
    { &godot_mp_recorded_hf.other_in,
      { "Recorded by the other end in", "godot_mp.recorded.other_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The record of the same message by its other end is in this frame", HFILL } },
    { &godot_mp_recorded_hf.way_time,
      { "Time on its way", "godot_mp.recorded.way_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the record of the sender to that of the receiver, by the clocks of both", HFILL } },
};

static const gw_finding findings[] = {
    { &godot_mp_names_ei.cut_short, "godot_mp.names.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", NULL,
      NULL },
    { &godot_mp_recorded_ei.lost, "godot_mp.recorded.missing", PI_SEQUENCE, PI_WARN,
      "Messages before this one were left out of the recording", "Records missing",
      "Read the recording more often, or record fewer peers" },
    { &godot_mp_recorded_ei.not_returned, "godot_mp.recorded.handler_time.missing", PI_SEQUENCE, PI_NOTE,
      "The game had not finished handling this message when the recording was read or ended", "Not returned",
      "If the game crashed or stopped, look at the method that this message calls" },
    { &godot_mp_recorded_ei.slow, "godot_mp.recorded.handler_time.too_long", PI_SEQUENCE, PI_NOTE,
      "The game handled this message for longer than a frame at 60 per second", "Slow handler",
      "Do less in the method that this message calls, or distribute its work over several frames" },
};

/* ---- names --------------------------------------------------------------------------------------------- */

static value_string kinds[GW_GODOT_NAMES_KINDS]; /* without UNKNOWN, and an end */

static hf_register_info names_fields[] = {
    { &godot_mp_names_hf.version,
      { "Version", "godot_mp.names.version", FT_UINT8, BASE_DEC, NULL, 0, "Version of the record of names", HFILL } },
    { &godot_mp_names_hf.entry,
      { "Names", "godot_mp.names.entry", FT_NONE, BASE_NONE, NULL, 0, "Names that the recording game knows", HFILL } },
    { &godot_mp_names_hf.kind,
      { "Kind", "godot_mp.names.kind", FT_UINT8, BASE_DEC, VALS(kinds), 0, "Kind of names in the entry", HFILL } },
    { &godot_mp_names_hf.script,
      { "Script", "godot_mp.names.script", FT_STRING, BASE_NONE, NULL, 0, "Path of a script with RPC methods",
        HFILL } },
    { &godot_mp_names_hf.method,
      { "Method", "godot_mp.names.method", FT_STRING, BASE_NONE, NULL, 0,
        "RPC method of the script, in the order of their numbers", HFILL } },
    { &godot_mp_names_hf.scene,
      { "Scene", "godot_mp.names.scene", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the scene of a synchronizer or spawner", HFILL } },
    { &godot_mp_names_hf.node,
      { "Node", "godot_mp.names.node", FT_STRING, BASE_NONE, NULL, 0, "Path of a synchronizer or spawner in its scene",
        HFILL } },
    { &godot_mp_names_hf.root,
      { "Root", "godot_mp.names.root", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the node whose properties these are, or below which is spawned", HFILL } },
    { &godot_mp_names_hf.property,
      { "Property", "godot_mp.names.property", FT_STRING, BASE_NONE, NULL, 0, "Property of the synchronizer", HFILL } },
    { &godot_mp_names_hf.type,
      { "Type", "godot_mp.names.type", FT_STRING, BASE_NONE, NULL, 0, "Type of the property", HFILL } },
    { &godot_mp_names_hf.file,
      { "Spawned scene", "godot_mp.names.spawned_scene", FT_STRING, BASE_NONE, NULL, 0,
        "Scene that the spawner can spawn", HFILL } },
    { &godot_mp_names_hf.player,
      { "Peer", "godot_mp.names.peer", FT_STRING, BASE_NONE, NULL, 0, "ID of a peer", HFILL } },
    { &godot_mp_names_hf.name,
      { "Name", "godot_mp.names.player", FT_STRING, BASE_NONE, NULL, 0, "Name of the peer's player", HFILL } },
    { &godot_mp_names_hf.undecoded,
      { "Undecoded", "godot_mp.names.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of the record of names that were not decoded", HFILL } },
};

static const gw_expert_row names_fault_rows[] = {
    { GW_GODOT_NAMES_FAULT_EMPTY, "godot_mp.names.empty", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_GODOT_NAMES_FAULT_VERSION_UNKNOWN, "godot_mp.names.version.unknown", PI_UNDECODED, PI_WARN, NULL, NULL },
    { GW_GODOT_NAMES_FAULT_ENTRY_TRUNCATED, "godot_mp.names.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_GODOT_NAMES_FAULT_TEXT_TRUNCATED, "godot_mp.names.text.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_GODOT_NAMES_FAULT_TOO_LONG, "godot_mp.names.too_long", PI_UNDECODED, PI_ERROR, NULL, NULL },
};

/* Of faults and oddities. */
static const char remedy[] = "Write the record of names again, with the addon of this version";

void godot_mp_register_recorded_fields(int protocol)
{
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(recorded_fields) }, { GW_ROWS(names_fields) } },
        .faults = { godot_mp_names_ei.faults, GW_ROWS(names_fault_rows), remedy },
        .codec = &gw_godot_names_faults,
        .findings = { GW_ROWS(findings) },
    };
    for (uint32_t kind = GW_GODOT_NAMES_METHODS, count = 0; kind < GW_GODOT_NAMES_KINDS; kind++)
        kinds[count++] = (value_string){ kind, gw_godot_names_kind_name((gw_godot_names_kind)kind) };
    gw_register_protocol(protocol, &tables);
}
