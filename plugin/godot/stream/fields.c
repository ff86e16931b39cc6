/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of Godot's streams.
 */
#include "stream.h"

#include "common/json.h"
#include "common/registration.h"

int proto_godot_stream = -1;
godot_stream_fields godot_stream_hf;
godot_stream_experts godot_stream_ei;
int godot_stream_ett = -1;

static hf_register_info fields[] = {
    { &godot_stream_hf.length,
      { "Length", "godot_stream.length", FT_UINT32, BASE_DEC, NULL, 0, "Number of bytes that follow in this message",
        HFILL } },
    { &godot_stream_hf.order,
      { "Byte order", "godot_stream.order", FT_STRING, BASE_NONE, NULL, 0,
        "Byte order of the length; the Variant is always little-endian", HFILL } },
    { &godot_stream_hf.value,
      { "Value", "godot_stream.value", FT_STRING, BASE_NONE, NULL, 0,
        "Variant of the message as a Godot literal, in one line", HFILL } },
    { &godot_stream_hf.prefix_in,
      { "Length in", "godot_stream.prefix_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The length of this message is in this frame, in a segment of its own", HFILL } },
    { &godot_stream_hf.data,
      { "Data", "godot_stream.data", FT_BYTES, BASE_NONE, NULL, 0,
        "Content of a message that is not a Variant, as put_packet or put_utf8_string sends it", HFILL } },
    { &godot_stream_hf.text,
      { "As text", "godot_stream.text", FT_STRING, BASE_NONE, NULL, 0,
        "Content of a message that is not a Variant, as text", HFILL } },
    { &godot_stream_hf.other,
      { "Other data", "godot_stream.other", FT_BYTES, BASE_NONE, NULL, 0, "Bytes that do not belong to a message",
        HFILL } },
    { &godot_stream_hf.undecoded,
      { "Undecoded", "godot_stream.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes from the place where decoding stopped to the end of the stream's data", HFILL } },
    { &godot_stream_hf.json, GW_JSON_FIELD("godot_stream.json") },
};

static const gw_expert_row odd_rows[] = {
    { GW_GODOT_STREAM_ODD_VALUE, "godot_stream.value.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_GODOT_STREAM_ODD_TRAILING, "godot_stream.trailing.unusual", PI_PROTOCOL, PI_WARN, NULL, NULL },
    { GW_GODOT_STREAM_ODD_UNKNOWN, "godot_stream.other.unknown", PI_UNDECODED, PI_NOTE, NULL, NULL },
};

static const gw_expert_row fault_rows[] = {
    { GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED, "godot_stream.length.truncated", PI_UNDECODED, PI_NOTE, NULL, NULL },
    { GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED, "godot_stream.value.truncated", PI_UNDECODED, PI_NOTE, NULL, NULL },
    { GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED, "godot_stream.message.truncated", PI_UNDECODED, PI_NOTE, NULL, NULL },
    { GW_GODOT_STREAM_FAULT_TOO_LONG, "godot_stream.input.too_long", PI_UNDECODED, PI_NOTE, NULL, NULL },
};

static const gw_finding findings[] = {
    { &godot_stream_ei.cut_short, "godot_stream.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", NULL,
      NULL },
};

void godot_stream_register_fields(int protocol)
{
    static int *const subtrees[] = { &godot_stream_ett };
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(fields) } },
        .subtrees = { GW_ROWS(subtrees) },
        .oddities = { godot_stream_ei.odd, GW_ROWS(odd_rows), NULL },
        .faults = { godot_stream_ei.faults, GW_ROWS(fault_rows), NULL },
        .codec = &gw_godot_stream_faults,
        .findings = { GW_ROWS(findings) },
    };
    gw_register_protocol(protocol, &tables);
}
