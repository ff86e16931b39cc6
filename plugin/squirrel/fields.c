/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables of fields, subtrees and expert infos, and their registration.
 */
#include "internal.h"

#include "common/display/json_message.h"
#include "common/items.h"
#include "common/registration.h"

int proto_squirrel = -1;
squirrel_fields squirrel_hf;
squirrel_subtrees squirrel_ett = { -1, -1, -1, -1, -1 };
squirrel_experts squirrel_ei;

const fragment_items squirrel_fragment_items = { &squirrel_ett.fragment,
                                                 &squirrel_ett.fragments,
                                                 &squirrel_hf.fragments,
                                                 &squirrel_hf.fragment,
                                                 &squirrel_hf.overlap,
                                                 &squirrel_hf.overlap_conflict,
                                                 &squirrel_hf.multiple_tails,
                                                 &squirrel_hf.fragment_too_long,
                                                 &squirrel_hf.fragment_error,
                                                 &squirrel_hf.fragment_count,
                                                 &squirrel_hf.reassembled_in,
                                                 &squirrel_hf.reassembled_length,
                                                 NULL,
                                                 "chunks" };

/* ---- names of values ----------------------------------------------------------------------------------- */

/* From the tables of a public client that connects to real servers; the ids changed between versions of VC:MP. */
const value_string squirrel_message_ids[] = {
    { 0x3d, "Script data to server (0.4.7.0)" },          { 0x3e, "Script data to server (0.4.7.1)" },
    { 0x6e, "Script data to client (0.4.7.1)" },          { 0x6f, "Script data to client (0.4.7.0)" },
    { 0xbc, "Script data to server (0.4.0.4)" },          { 0xbd, "Script data to server (0.4.6)" },
    { 0xcf, "Script data to client (0.4.6 and before)" }, { 0, NULL }
};

/* The codec's names as value strings. */
#define MOST_TAGS 32
static value_string frame_names[GW_SQUIRREL_FRAME_COUNT + 1];
static value_string tag_names[MOST_TAGS];

/* ---- fields -------------------------------------------------------------------------------------------- */

static hf_register_info fields[] = {
    { &squirrel_hf.message_id,
      { "Message", "squirrel.message.id", FT_UINT8, BASE_DEC, VALS(squirrel_message_ids), 0,
        "RakNet message ID of the script data, which differs between the versions of VC:MP", HFILL } },
    { &squirrel_hf.message_length,
      { "Message length", "squirrel.message.length", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Length of the script data in bytes, as the message declares it", HFILL } },
    { &squirrel_hf.frame,
      { "Frame", "squirrel.frame", FT_UINT32, BASE_DEC, VALS(frame_names), 0,
        "Identifier of the frame, which defines its direction and what follows", HFILL } },
    { &squirrel_hf.target_player,
      { "To player", "squirrel.target_player", FT_UINT8, BASE_DEC, NULL, 0,
        "Number of the player to whom the server relays the frame", HFILL } },
    { &squirrel_hf.sender_player,
      { "From player", "squirrel.sender_player", FT_UINT8, BASE_DEC, NULL, 0,
        "Number of the player from whom the server relays the frame", HFILL } },
    { &squirrel_hf.token,
      { "Token", "squirrel.token", FT_INT32, BASE_DEC, NULL, 0,
        "Number that links an answer to its command; -1 if no answer is requested", HFILL } },
    { &squirrel_hf.undecoded_frame,
      { "Undecoded", "squirrel.undecoded_frame", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of a frame that cannot be decoded", HFILL } },

    { &squirrel_hf.response_in,
      { "Response in", "squirrel.response_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), 0,
        "The answer to this command is in this frame; known on the second pass (tshark -2)", HFILL } },
    { &squirrel_hf.response_to,
      { "Response to", "squirrel.response_to", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0,
        "The command that this message answers is in this frame", HFILL } },
    { &squirrel_hf.relayed_in,
      { "Relayed in", "squirrel.relayed_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The server forwards this to the other client in this frame; known on the second pass (tshark -2)", HFILL } },
    { &squirrel_hf.relay_of,
      { "Relay of", "squirrel.relay_of", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The server received this from the other client in this frame", HFILL } },
    { &squirrel_hf.time,
      { "Time since the command", "squirrel.time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the command to its answer", HFILL } },
    { &squirrel_hf.failed,
      { "Answered with an error", "squirrel.failed", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the answer to this command is an error; known on the second pass (tshark -2)", HFILL } },
    { &squirrel_hf.unanswered,
      { "Unanswered", "squirrel.unanswered", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the capture has no answer to this command; known on the second pass (tshark -2)", HFILL } },
    { &squirrel_hf.retransmission_of,
      { "Retransmission of", "squirrel.retransmission_of", FT_FRAMENUM, BASE_NONE,
        FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV), 0, "RakNet sent this message before, in this frame", HFILL } },

    { &squirrel_hf.sequence,
      { "Stream", "squirrel.split.sequence", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the split stream to which the chunk belongs", HFILL } },
    { &squirrel_hf.chunk,
      { "Chunk index", "squirrel.split.chunk", FT_UINT32, BASE_DEC, NULL, 0,
        "Index of the chunk in its stream, counted from 0", HFILL } },
    { &squirrel_hf.chunks,
      { "Chunks", "squirrel.split.chunks", FT_UINT32, BASE_DEC, NULL, 0, "Number of chunks of the whole stream",
        HFILL } },
    { &squirrel_hf.chunk_length,
      { "Length", "squirrel.split.length", FT_UINT16, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Length of the chunk's payload in bytes", HFILL } },
    { &squirrel_hf.chunk_payload,
      { "Payload", "squirrel.split.payload", FT_BYTES, BASE_NONE, NULL, 0,
        "Part of the split frame that this chunk carries", HFILL } },
    { &squirrel_hf.duplicate_of,
      { "Duplicate of", "squirrel.split.duplicate_of", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV),
        0, "The same chunk was sent before, in this frame", HFILL } },
    { &squirrel_hf.joined,
      { "Reassembled frame", "squirrel.joined", FT_NONE, BASE_NONE, NULL, 0,
        "The content of the chunks of a split stream", HFILL } },
    { &squirrel_hf.fragments,
      { "Chunks reassembled", "squirrel.fragments", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &squirrel_hf.fragment,
      { "Chunk", "squirrel.fragment", FT_FRAMENUM, BASE_NONE, NULL, 0, "A chunk of the stream is in this frame",
        HFILL } },
    { &squirrel_hf.overlap,
      { "Overlap", "squirrel.fragment.overlap", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the chunk covers bytes of another chunk", HFILL } },
    { &squirrel_hf.overlap_conflict,
      { "Conflicting overlap", "squirrel.fragment.overlap.conflict", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if overlapping chunks hold different bytes", HFILL } },
    { &squirrel_hf.multiple_tails,
      { "Several last chunks", "squirrel.fragment.multiple_tails", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if several chunks are the last of the stream", HFILL } },
    { &squirrel_hf.fragment_too_long,
      { "Chunk too long", "squirrel.fragment.too_long", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the chunk reaches beyond the end of the stream", HFILL } },
    { &squirrel_hf.fragment_error,
      { "Error", "squirrel.fragment.error", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "Reassembly failed because of the chunk in this frame", HFILL } },
    { &squirrel_hf.fragment_count,
      { "Chunk count", "squirrel.fragment.count", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of chunks from which the frame was reassembled", HFILL } },
    { &squirrel_hf.reassembled_in,
      { "Reassembled in", "squirrel.reassembled.in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The reassembled data is decoded in this frame", HFILL } },
    { &squirrel_hf.reassembled_length,
      { "Reassembled length", "squirrel.reassembled.length", FT_UINT32, BASE_DEC | BASE_UNIT_STRING,
        UNS(&gw_unit_bytes), 0, "Length of the reassembled frame in bytes", HFILL } },

    { &squirrel_hf.expression,
      { "Expression", "squirrel.expression", FT_STRING, BASE_NONE, NULL, 0,
        "Squirrel source code that has the same meaning as the value or command", HFILL } },
    { &squirrel_hf.null, { "Null", "squirrel.null", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &squirrel_hf.integer,
      { "Integer", "squirrel.integer", FT_INT32, BASE_DEC, NULL, 0, "Value of a 32-bit or 16-bit integer", HFILL } },
    { &squirrel_hf.number,
      { "Float", "squirrel.float", FT_DOUBLE, BASE_NONE, NULL, 0, "Value of a 32-bit floating-point number", HFILL } },
    { &squirrel_hf.truth,
      { "Bool", "squirrel.bool", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "Value of a Boolean; the receiver reads every byte but 0 as true", HFILL } },
    { &squirrel_hf.string,
      { "String", "squirrel.string", FT_STRING, BASE_NONE, NULL, 0, "Text of a string, without its length", HFILL } },
    { &squirrel_hf.error,
      { "Error", "squirrel.error", FT_STRING, BASE_NONE, NULL, 0, "Message of the error with which the command ended",
        HFILL } },
    { &squirrel_hf.script,
      { "Script", "squirrel.script", FT_STRING, BASE_NONE, NULL, 0,
        "Source code of a script that the receiver compiles and runs", HFILL } },
    { &squirrel_hf.vector, { "Vector", "squirrel.vector", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &squirrel_hf.vector_xyz[0],
      { "X", "squirrel.vector.x", FT_DOUBLE, BASE_NONE, NULL, 0, "X component of a vector", HFILL } },
    { &squirrel_hf.vector_xyz[1],
      { "Y", "squirrel.vector.y", FT_DOUBLE, BASE_NONE, NULL, 0, "Y component of a vector", HFILL } },
    { &squirrel_hf.vector_xyz[2],
      { "Z", "squirrel.vector.z", FT_DOUBLE, BASE_NONE, NULL, 0,
        "Z component of a vector; 0 if it has only two dimensions", HFILL } },
    { &squirrel_hf.quaternion, { "Quaternion", "squirrel.quaternion", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &squirrel_hf.quaternion_xyzw[0],
      { "X", "squirrel.quaternion.x", FT_DOUBLE, BASE_NONE, NULL, 0, "X component of a quaternion", HFILL } },
    { &squirrel_hf.quaternion_xyzw[1],
      { "Y", "squirrel.quaternion.y", FT_DOUBLE, BASE_NONE, NULL, 0, "Y component of a quaternion", HFILL } },
    { &squirrel_hf.quaternion_xyzw[2],
      { "Z", "squirrel.quaternion.z", FT_DOUBLE, BASE_NONE, NULL, 0, "Z component of a quaternion", HFILL } },
    { &squirrel_hf.quaternion_xyzw[3],
      { "W", "squirrel.quaternion.w", FT_DOUBLE, BASE_NONE, NULL, 0, "W component of a quaternion", HFILL } },
    { &squirrel_hf.blob,
      { "Blob", "squirrel.blob", FT_BYTES, BASE_NONE, NULL, 0, "Bytes of a blob, without its length", HFILL } },
    { &squirrel_hf.array, { "Array", "squirrel.array", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &squirrel_hf.table, { "Table", "squirrel.table", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &squirrel_hf.class_table, { "Class", "squirrel.class", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &squirrel_hf.command,
      { "Command", "squirrel.command", FT_UINT8, BASE_DEC, VALS(tag_names), 0,
        "Tag of a command, which defines its operands", HFILL } },
    { &squirrel_hf.tag,
      { "Tag", "squirrel.tag", FT_UINT8, BASE_DEC, VALS(tag_names), 0,
        "Letter that begins a value and defines its type", HFILL } },
    { &squirrel_hf.length,
      { "Length (L)", "squirrel.length", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Number of bytes of the value after the tag and this number", HFILL } },
    { &squirrel_hf.count,
      { "Count", "squirrel.count", FT_UINT32, BASE_DEC, NULL, 0, "Number of elements, or of pairs of key and value",
        HFILL } },
    { &squirrel_hf.function,
      { "Function called", "squirrel.function", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the function that is called, such as Console.Print", HFILL } },
    { &squirrel_hf.declared,
      { "Declared", "squirrel.declared", FT_UINT32, BASE_DEC, NULL, 0, "Length or count as the sender declares it",
        HFILL } },
    { &squirrel_hf.actual,
      { "Actual", "squirrel.actual", FT_UINT32, BASE_DEC, NULL, 0, "Length or count that fits the content", HFILL } },
    { &squirrel_hf.skipped,
      { "Skipped", "squirrel.skipped", FT_BYTES, BASE_NONE, NULL, 0, "Bytes between values that could not be decoded",
        HFILL } },
    { &squirrel_hf.not_shown,
      { "Not shown", "squirrel.not_shown", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of values that are left out of the tree because there are too many", HFILL } },
    { &squirrel_hf.undecoded,
      { "Undecoded", "squirrel.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes from the place where decoding stopped to the end of the frame", HFILL } },
    { &squirrel_hf.json, GW_JSON_FIELD("squirrel.json") },
};

/* ---- expert infos -------------------------------------------------------------------------------------- */

#define REMEDY \
    "VC:MP's plugins do not send this: use the same release on both ends, and look at programs of your own that send"

static const gw_finding findings[] = {
    { &squirrel_ei.unread, "squirrel.payload.unread", PI_UNDECODED, PI_NOTE,
      "Not read as Squirrel script data, as the payloads of this conversation before it", NULL, NULL },
    { &squirrel_ei.message_length, "squirrel.message.length.invalid", PI_PROTOCOL, PI_WARN, "Message length wrong",
      "Message length wrong", REMEDY },
    { &squirrel_ei.message_id, "squirrel.message.id.unknown", PI_PROTOCOL, PI_NOTE, "Unknown message id of script data",
      NULL, NULL },
    { &squirrel_ei.unknown_frame, "squirrel.frame.unknown", PI_UNDECODED, PI_WARN, "Unknown frame", "Unknown frame",
      REMEDY },
    { &squirrel_ei.head_cut_short, "squirrel.head.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", NULL,
      NULL },
    { &squirrel_ei.direction, "squirrel.direction.invalid", PI_PROTOCOL, PI_WARN, "Frame sent in the wrong direction",
      "Wrong direction", REMEDY },
    { &squirrel_ei.split_in_split, "squirrel.split.too_deep", PI_PROTOCOL, PI_WARN,
      "A split stream inside a split stream: not followed", "Split in a split", REMEDY },
    { &squirrel_ei.joined_no_frame, "squirrel.joined.invalid", PI_PROTOCOL, PI_WARN,
      "The reassembled chunks are not a frame", "Not a frame", REMEDY },
    { &squirrel_ei.too_large, "squirrel.frame.too_long", PI_PROTOCOL, PI_NOTE, "Frame longer than real senders send",
      NULL, NULL },
    { &squirrel_ei.no_command, "squirrel.command.unseen", PI_SEQUENCE, PI_NOTE,
      "Reply without a command in this capture", NULL, "Begin the capture before the connection" },
    { &squirrel_ei.retransmission, "squirrel.retransmission", PI_SEQUENCE, PI_NOTE, "This message was sent before",
      "Retransmission", "RakNet received no acknowledgement of the first transmission in time: see its NAKs" },

    { &squirrel_ei.no_total, "squirrel.split.chunks.invalid", PI_PROTOCOL, PI_ERROR, "The chunk count is 0",
      "No chunks", REMEDY },
    { &squirrel_ei.beyond_total, "squirrel.split.chunk.invalid", PI_PROTOCOL, PI_ERROR, "Chunk index beyond the total",
      "Chunk beyond the count", REMEDY },
    { &squirrel_ei.length_wrong, "squirrel.split.length.invalid", PI_PROTOCOL, PI_ERROR, "Chunk length wrong",
      "Chunk length wrong", REMEDY },
    { &squirrel_ei.too_long, "squirrel.split.payload.too_long", PI_PROTOCOL, PI_WARN,
      "Chunk longer than real senders send", "Chunk too long", REMEDY },
    { &squirrel_ei.too_short, "squirrel.split.payload.too_short", PI_PROTOCOL, PI_NOTE,
      "Chunk shorter than real senders send", NULL, NULL },
    { &squirrel_ei.duplicate, "squirrel.split.duplicate", PI_SEQUENCE, PI_NOTE, "A chunk that was sent before; ignored",
      "Duplicate", NULL },
    { &squirrel_ei.many_chunks, "squirrel.split.chunks.too_many", PI_REASSEMBLE, PI_WARN,
      "Too many chunks to be reassembled here", "Too many chunks", "Send less in one call, in several streams" },
    { &squirrel_ei.chunk_cut_short, "squirrel.split.cut_short", PI_REASSEMBLE, PI_NOTE,
      "Cut short by the capture: cannot be reassembled", NULL, NULL },

    { &squirrel_ei.length_short, "squirrel.length.too_short", PI_PROTOCOL, PI_WARN, "Length shorter than the content",
      "Length too short", REMEDY },
    { &squirrel_ei.length_long, "squirrel.length.too_long", PI_PROTOCOL, PI_WARN, "Length longer than the content",
      "Length too long", REMEDY },
    { &squirrel_ei.not_a_command, "squirrel.command.missing", PI_PROTOCOL, PI_NOTE,
      "A plain value where this frame has a command", NULL, NULL },
    { &squirrel_ei.error_reply, "squirrel.command.failed", PI_RESPONSE_CODE, PI_NOTE, "The command failed", NULL,
      "The function does not exist at the other end, or failed there: the value is the text of its error" },
    { &squirrel_ei.cut_short, "squirrel.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", NULL, NULL },
};

/* GW_SQUIRREL_ODD_LENGTH is length_short or length_long above. */
static const gw_expert_row odd_rows[] = {
    { GW_SQUIRREL_ODD_BOOL, "squirrel.bool.unusual", PI_PROTOCOL, PI_WARN, "Bool not 0 or 1", NULL },
    { GW_SQUIRREL_ODD_UTF8, "squirrel.utf8.invalid", PI_UNDECODED, PI_CHAT, NULL, NULL },
    { GW_SQUIRREL_ODD_EMPTY_ARRAY, "squirrel.array.empty", PI_PROTOCOL, PI_WARN, "Empty array",
      "Send null, or an array with an element, in place of the empty array" },
    { GW_SQUIRREL_ODD_ERROR_INSIDE, "squirrel.error.unusual", PI_PROTOCOL, PI_WARN, "Error inside a value", NULL },
    { GW_SQUIRREL_ODD_RECEIVER, "squirrel.tag.unsupported", PI_PROTOCOL, PI_WARN, "Unknown tag", NULL },
    { GW_SQUIRREL_ODD_OPERAND_MISSING, "squirrel.operand.missing", PI_PROTOCOL, PI_ERROR, "Operand missing", NULL },
    { GW_SQUIRREL_ODD_KEY_ALONE, "squirrel.key.alone", PI_PROTOCOL, PI_ERROR, "Key without value", NULL },
    { GW_SQUIRREL_ODD_COUNT, "squirrel.count.differs", PI_PROTOCOL, PI_WARN, "Values missing", NULL },
    { GW_SQUIRREL_ODD_BEYOND, "squirrel.length.invalid", PI_PROTOCOL, PI_WARN, "Length too long", NULL },
    { GW_SQUIRREL_ODD_UNKNOWN_TAG, "squirrel.tag.skipped", PI_UNDECODED, PI_WARN, "Unknown tag", NULL },
    { GW_SQUIRREL_ODD_TOO_DEEP, "squirrel.tree.too_deep", PI_UNDECODED, PI_NOTE, NULL, NULL },
};

static const gw_expert_row fault_rows[] = {
    { GW_SQUIRREL_FAULT_VALUE_MISSING, "squirrel.value.missing", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_SQUIRREL_FAULT_VALUE_TRUNCATED, "squirrel.value.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_SQUIRREL_FAULT_STRING_TRUNCATED, "squirrel.string.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_SQUIRREL_FAULT_BLOB_TRUNCATED, "squirrel.blob.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, "squirrel.length.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_SQUIRREL_FAULT_COUNT_TRUNCATED, "squirrel.count.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_SQUIRREL_FAULT_TAG_UNKNOWN, "squirrel.tag.unknown", PI_UNDECODED, PI_WARN, NULL, NULL },
    { GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER, "squirrel.trailing.unusual", PI_PROTOCOL, PI_WARN, NULL, NULL },
    { GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER, "squirrel.operand.unusual", PI_PROTOCOL, PI_WARN, NULL, NULL },
    { GW_SQUIRREL_FAULT_TOO_DEEP, "squirrel.value.too_deep", PI_UNDECODED, PI_WARN, NULL, NULL },
    { GW_SQUIRREL_FAULT_TOO_LONG, "squirrel.input.too_long", PI_UNDECODED, PI_WARN, NULL, NULL },
    { GW_SQUIRREL_FAULT_HEAD_TRUNCATED, "squirrel.head.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
};

/* Copies the codec's names of tags and frames into value strings, whose last row stays empty as their end; then
 * registers fields, subtrees, expert infos and findings. */
void squirrel_register_fields(int protocol)
{
    static int *const subtrees[] = { &squirrel_ett.protocol, &squirrel_ett.joined, &squirrel_ett.value,
                                     &squirrel_ett.fragment, &squirrel_ett.fragments };
    size_t count;
    const gw_squirrel_type *types = gw_squirrel_types(&count);
    for (size_t i = 0; i < count && i + 1 < MOST_TAGS; i++)
        tag_names[i] = (value_string){ types[i].tag, types[i].name };
    for (uint32_t i = 0; i < GW_SQUIRREL_FRAME_COUNT; i++) {
        const gw_squirrel_frame_type *type = gw_squirrel_frame_type_of(GW_SQUIRREL_FIRST_FRAME + i);
        frame_names[i] = (value_string){ type->identifier, type->name };
    }
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(fields) } },
        .subtrees = { GW_ROWS(subtrees) },
        .oddities = { squirrel_ei.odd, GW_ROWS(odd_rows), REMEDY },
        .faults = { squirrel_ei.faults, GW_ROWS(fault_rows), REMEDY },
        .codec = &gw_squirrel_faults,
        .findings = { GW_ROWS(findings) },
    };
    gw_register_protocol(protocol, &tables);
}
