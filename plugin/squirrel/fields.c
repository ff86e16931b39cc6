/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables of fields, subtrees and expert infos, and their registration.
 */
#include "fields.h"

#include "common/demand.h"
#include "common/experts.h"
#include "common/numbers.h"

squirrel_field_ids squirrel_hf;
squirrel_subtree_ids squirrel_ett = { -1, -1, -1, -1, -1 };
squirrel_experts squirrel_ei;
expert_field squirrel_ei_odd[GW_SQUIRREL_ODDS];
expert_field squirrel_ei_fault[GW_SQUIRREL_FAULTS];

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

static void fill_names(void)
{
    size_t count;
    const gw_squirrel_type *types = gw_squirrel_types(&count);
    for (uint32_t i = 0; i < GW_SQUIRREL_FRAME_COUNT; i++) {
        const gw_squirrel_frame_type *type = gw_squirrel_frame_type_of(GW_SQUIRREL_FIRST_FRAME + i);
        frame_names[i] = (value_string){ type->identifier, type->name };
    }
    for (size_t i = 0; i < count && i + 1 < MOST_TAGS; i++)
        tag_names[i] = (value_string){ types[i].tag, types[i].name };
}

static void format_message_id(char *label, uint32_t id)
{
    gw_format_hex(label, squirrel_message_ids, id, 2);
}

static void format_frame(char *label, uint32_t identifier)
{
    gw_format_hex(label, frame_names, identifier, 8);
}

static void format_tag(char *label, uint32_t tag)
{
    gw_format_hex(label, tag_names, tag, 2);
}

static void format_letter(char *label, uint32_t tag)
{
    snprintf(label, ITEM_LABEL_LENGTH, "'%c' %s (0x%02x)", (char)tag, val_to_str_const(tag, tag_names, "Unknown"), tag);
}

/* ---- fields -------------------------------------------------------------------------------------------- */

/* clang-format off */
#define HF(id, name, filter, type, base, strings, blurb) \
    { &squirrel_hf.id, { name, filter, type, base, strings, 0, blurb, HFILL } }
#define NUMBER(id, name, filter, type, blurb) HF(id, name, filter, type, BASE_DEC, NULL, blurb)
#define PLAIN(id, name, filter, type, blurb)  HF(id, name, filter, type, BASE_NONE, NULL, blurb)
#define LINK(id, name, filter, kind, blurb) \
    HF(id, name, filter, FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_##kind), blurb)

static hf_register_info fields[] = {
    HF(message_id, "Message", "squirrel.message.id", FT_UINT8, BASE_CUSTOM, CF_FUNC(format_message_id),
       "RakNet message ID of the script data, which differs between the versions of VC:MP"),
    NUMBER(message_length, "Message length", "squirrel.message.length", FT_UINT32,
           "Length of the script data in bytes, as the message declares it"),
    HF(frame, "Frame", "squirrel.frame", FT_UINT32, BASE_CUSTOM, CF_FUNC(format_frame),
       "Identifier of the frame, which defines its direction and what follows"),
    NUMBER(target_player, "To player", "squirrel.target_player", FT_UINT8,
           "Number of the player to whom the server relays the frame"),
    NUMBER(sender_player, "From player", "squirrel.sender_player", FT_UINT8,
           "Number of the player from whom the server relays the frame"),
    NUMBER(token, "Token", "squirrel.token", FT_INT32,
           "Number that links an answer to its command; -1 if no answer is requested"),
    PLAIN(undecoded_frame, "Undecoded", "squirrel.undecoded_frame", FT_BYTES,
          "Bytes of a frame that cannot be decoded"),

    LINK(response_in, "Response in", "squirrel.response_in", RESPONSE,
         "The answer to this command is in this frame; known on the second pass (tshark -2)"),
    LINK(response_to, "Response to", "squirrel.response_to", REQUEST,
         "The command that this message answers is in this frame"),
    PLAIN(relayed_in, "Relayed in", "squirrel.relayed_in", FT_FRAMENUM,
          "The server forwards this to the other client in this frame; known on the second pass (tshark -2)"),
    PLAIN(relay_of, "Relay of", "squirrel.relay_of", FT_FRAMENUM,
          "The server received this from the other client in this frame"),
    PLAIN(time, "Time since the command", "squirrel.time", FT_RELATIVE_TIME, "Time from the command to its answer"),
    PLAIN(failed, "Answered with an error", "squirrel.failed", FT_BOOLEAN,
          "True if the answer to this command is an error; known on the second pass (tshark -2)"),
    PLAIN(unanswered, "Unanswered", "squirrel.unanswered", FT_BOOLEAN,
          "True if the capture has no answer to this command; known on the second pass (tshark -2)"),
    LINK(retransmission_of, "Retransmission of", "squirrel.retransmission_of", RETRANS_PREV,
         "RakNet sent this message before, in this frame"),

    NUMBER(sequence, "Stream", "squirrel.split.sequence", FT_UINT32,
           "Number of the split stream to which the chunk belongs"),
    NUMBER(chunk, "Chunk index", "squirrel.split.chunk", FT_UINT32, "Index of the chunk in its stream, counted from 0"),
    NUMBER(chunks, "Chunks", "squirrel.split.chunks", FT_UINT32, "Number of chunks of the whole stream"),
    NUMBER(chunk_length, "Length", "squirrel.split.length", FT_UINT16, "Length of the chunk's payload in bytes"),
    PLAIN(chunk_payload, "Payload", "squirrel.split.payload", FT_BYTES,
          "Part of the split frame that this chunk carries"),
    LINK(duplicate_of, "Duplicate of", "squirrel.split.duplicate_of", RETRANS_PREV,
         "The same chunk was sent before, in this frame"),
    PLAIN(joined, "Reassembled frame", "squirrel.joined", FT_NONE, "The content of the chunks of a split stream"),
    PLAIN(fragments, "Chunks reassembled", "squirrel.fragments", FT_NONE, NULL),
    PLAIN(fragment, "Chunk", "squirrel.fragment", FT_FRAMENUM, "A chunk of the stream is in this frame"),
    PLAIN(overlap, "Overlap", "squirrel.fragment.overlap", FT_BOOLEAN,
          "True if the chunk covers bytes of another chunk"),
    PLAIN(overlap_conflict, "Conflicting overlap", "squirrel.fragment.overlap.conflict", FT_BOOLEAN,
          "True if overlapping chunks hold different bytes"),
    PLAIN(multiple_tails, "Several last chunks", "squirrel.fragment.multiple_tails", FT_BOOLEAN,
          "True if several chunks are the last of the stream"),
    PLAIN(fragment_too_long, "Chunk too long", "squirrel.fragment.too_long", FT_BOOLEAN,
          "True if the chunk reaches beyond the end of the stream"),
    PLAIN(fragment_error, "Error", "squirrel.fragment.error", FT_FRAMENUM,
          "Reassembly failed because of the chunk in this frame"),
    NUMBER(fragment_count, "Chunk count", "squirrel.fragment.count", FT_UINT32,
           "Number of chunks from which the frame was reassembled"),
    PLAIN(reassembled_in, "Reassembled in", "squirrel.reassembled.in", FT_FRAMENUM,
          "The reassembled data is decoded in this frame"),
    NUMBER(reassembled_length, "Reassembled length", "squirrel.reassembled.length", FT_UINT32,
           "Length of the reassembled frame in bytes"),

    PLAIN(expression, "Expression", "squirrel.expression", FT_STRING,
          "Squirrel source code that has the same meaning as the value or command"),
    PLAIN(null, "Null", "squirrel.null", FT_NONE, NULL),
    NUMBER(integer, "Integer", "squirrel.integer", FT_INT32, "Value of a 32-bit or 16-bit integer"),
    PLAIN(number, "Float", "squirrel.float", FT_DOUBLE, "Value of a 32-bit floating-point number"),
    PLAIN(truth, "Bool", "squirrel.bool", FT_BOOLEAN,
          "Value of a Boolean; the receiver reads every byte but 0 as true"),
    PLAIN(string, "String", "squirrel.string", FT_STRING, "Text of a string, without its length"),
    PLAIN(error, "Error", "squirrel.error", FT_STRING, "Message of the error with which the command ended"),
    PLAIN(script, "Script", "squirrel.script", FT_STRING,
          "Source code of a script that the receiver compiles and runs"),
    PLAIN(vector, "Vector", "squirrel.vector", FT_NONE, NULL),
    PLAIN(vector_xyz[0], "X", "squirrel.vector.x", FT_DOUBLE, "X component of a vector"),
    PLAIN(vector_xyz[1], "Y", "squirrel.vector.y", FT_DOUBLE, "Y component of a vector"),
    PLAIN(vector_xyz[2], "Z", "squirrel.vector.z", FT_DOUBLE,
          "Z component of a vector; 0 if it has only two dimensions"),
    PLAIN(quaternion, "Quaternion", "squirrel.quaternion", FT_NONE, NULL),
    PLAIN(quaternion_xyzw[0], "X", "squirrel.quaternion.x", FT_DOUBLE, "X component of a quaternion"),
    PLAIN(quaternion_xyzw[1], "Y", "squirrel.quaternion.y", FT_DOUBLE, "Y component of a quaternion"),
    PLAIN(quaternion_xyzw[2], "Z", "squirrel.quaternion.z", FT_DOUBLE, "Z component of a quaternion"),
    PLAIN(quaternion_xyzw[3], "W", "squirrel.quaternion.w", FT_DOUBLE, "W component of a quaternion"),
    PLAIN(blob, "Blob", "squirrel.blob", FT_BYTES, "Bytes of a blob, without its length"),
    PLAIN(array, "Array", "squirrel.array", FT_NONE, NULL),
    PLAIN(table, "Table", "squirrel.table", FT_NONE, NULL),
    PLAIN(class_table, "Class", "squirrel.class", FT_NONE, NULL),
    HF(command, "Command", "squirrel.command", FT_UINT8, BASE_CUSTOM, CF_FUNC(format_tag),
       "Tag of a command, which defines its operands"),
    HF(tag, "Tag", "squirrel.tag", FT_UINT8, BASE_CUSTOM, CF_FUNC(format_letter),
       "Letter that begins a value and defines its type"),
    NUMBER(length, "Length (L)", "squirrel.length", FT_UINT32,
           "Number of bytes of the value after the tag and this number"),
    NUMBER(count, "Count", "squirrel.count", FT_UINT32, "Number of elements, or of pairs of key and value"),
    PLAIN(function, "Function called", "squirrel.function", FT_STRING,
          "Path of the function that is called, such as Console.Print"),
    NUMBER(declared, "Declared", "squirrel.declared", FT_UINT32, "Length or count as the sender declares it"),
    NUMBER(actual, "Actual", "squirrel.actual", FT_UINT32, "Length or count that fits the content"),
    PLAIN(skipped, "Skipped", "squirrel.skipped", FT_BYTES, "Bytes between values that could not be decoded"),
    PLAIN(not_shown, "Not shown", "squirrel.not_shown", FT_BYTES,
          "Bytes of values that are left out of the tree because there are too many"),
    PLAIN(undecoded, "Undecoded", "squirrel.undecoded", FT_BYTES,
          "Bytes from the place where decoding stopped to the end of the frame"),
};

/* ---- expert infos -------------------------------------------------------------------------------------- */

#define EI(id, filter, group, severity, summary) \
    { &squirrel_ei.id, { filter, group, severity, summary, EXPFILL } }

static ei_register_info expert_infos[] = {
    EI(message_length, "squirrel.message.length.invalid", PI_PROTOCOL, PI_WARN, "Message length wrong"),
    EI(message_id, "squirrel.message.id.unknown", PI_PROTOCOL, PI_NOTE, "Unknown message id of script data"),
    EI(unknown_frame, "squirrel.frame.unknown", PI_UNDECODED, PI_WARN, "Unknown frame"),
    EI(head_cut_short, "squirrel.head.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture"),
    EI(direction, "squirrel.direction.invalid", PI_PROTOCOL, PI_WARN, "Frame sent in the wrong direction"),
    EI(split_in_split, "squirrel.split.too_deep", PI_PROTOCOL, PI_WARN,
       "A split stream inside a split stream: not followed"),
    EI(joined_no_frame, "squirrel.joined.invalid", PI_PROTOCOL, PI_WARN, "The reassembled chunks are not a frame"),
    EI(too_large, "squirrel.frame.too_long", PI_PROTOCOL, PI_NOTE, "Frame longer than real senders send"),
    EI(no_command, "squirrel.command.unseen", PI_SEQUENCE, PI_NOTE, "Reply without a command in this capture"),
    EI(retransmission, "squirrel.retransmission", PI_SEQUENCE, PI_NOTE, "This message was sent before"),

    EI(no_total, "squirrel.split.chunks.invalid", PI_PROTOCOL, PI_ERROR, "The chunk count is 0"),
    EI(beyond_total, "squirrel.split.chunk.invalid", PI_PROTOCOL, PI_ERROR, "Chunk index beyond the total"),
    EI(length_wrong, "squirrel.split.length.invalid", PI_PROTOCOL, PI_ERROR, "Chunk length wrong"),
    EI(too_long, "squirrel.split.payload.too_long", PI_PROTOCOL, PI_WARN, "Chunk longer than real senders send"),
    EI(too_short, "squirrel.split.payload.too_short", PI_PROTOCOL, PI_NOTE, "Chunk shorter than real senders send"),
    EI(duplicate, "squirrel.split.duplicate", PI_SEQUENCE, PI_NOTE, "A chunk that was sent before; ignored"),
    EI(many_chunks, "squirrel.split.chunks.too_many", PI_REASSEMBLE, PI_WARN, "Too many chunks to be reassembled here"),
    EI(given_up, "squirrel.split.given_up", PI_REASSEMBLE, PI_NOTE,
       "Stream still incomplete after 32 MiB of later streams: not reassembled"),
    EI(chunk_cut_short, "squirrel.split.cut_short", PI_REASSEMBLE, PI_NOTE,
       "Cut short by the capture: cannot be reassembled"),

    EI(length_short, "squirrel.length.too_short", PI_PROTOCOL, PI_WARN, "Length shorter than the content"),
    EI(length_long, "squirrel.length.too_long", PI_PROTOCOL, PI_WARN, "Length longer than the content"),
    EI(not_a_command, "squirrel.command.missing", PI_PROTOCOL, PI_NOTE, "A plain value where this frame has a command"),
    EI(error_reply, "squirrel.command.failed", PI_RESPONSE_CODE, PI_NOTE, "The command failed"),
    EI(cut_short, "squirrel.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture"),
};

/* GW_SQUIRREL_ODD_LENGTH is length_short or length_long above. */
static const gw_expert_row odd_rows[] = {
    { GW_SQUIRREL_ODD_BOOL, "squirrel.bool.unusual", PI_PROTOCOL, PI_WARN },
    { GW_SQUIRREL_ODD_UTF8, "squirrel.utf8.invalid", PI_UNDECODED, PI_CHAT },
    { GW_SQUIRREL_ODD_EMPTY_ARRAY, "squirrel.array.empty", PI_PROTOCOL, PI_WARN },
    { GW_SQUIRREL_ODD_ERROR_INSIDE, "squirrel.error.unusual", PI_PROTOCOL, PI_WARN },
    { GW_SQUIRREL_ODD_RECEIVER, "squirrel.tag.unsupported", PI_PROTOCOL, PI_WARN },
    { GW_SQUIRREL_ODD_OPERAND_MISSING, "squirrel.operand.missing", PI_PROTOCOL, PI_ERROR },
    { GW_SQUIRREL_ODD_KEY_ALONE, "squirrel.key.alone", PI_PROTOCOL, PI_ERROR },
    { GW_SQUIRREL_ODD_COUNT, "squirrel.count.differs", PI_PROTOCOL, PI_WARN },
    { GW_SQUIRREL_ODD_BEYOND, "squirrel.length.invalid", PI_PROTOCOL, PI_WARN },
    { GW_SQUIRREL_ODD_UNKNOWN_TAG, "squirrel.tag.skipped", PI_UNDECODED, PI_WARN },
    { GW_SQUIRREL_ODD_TOO_DEEP, "squirrel.tree.too_deep", PI_UNDECODED, PI_NOTE },
};

static const gw_expert_row fault_rows[] = {
    { GW_SQUIRREL_FAULT_VALUE_MISSING, "squirrel.value.missing", PI_MALFORMED, PI_ERROR },
    { GW_SQUIRREL_FAULT_VALUE_TRUNCATED, "squirrel.value.truncated", PI_MALFORMED, PI_ERROR },
    { GW_SQUIRREL_FAULT_STRING_TRUNCATED, "squirrel.string.truncated", PI_MALFORMED, PI_ERROR },
    { GW_SQUIRREL_FAULT_BLOB_TRUNCATED, "squirrel.blob.truncated", PI_MALFORMED, PI_ERROR },
    { GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, "squirrel.length.truncated", PI_MALFORMED, PI_ERROR },
    { GW_SQUIRREL_FAULT_COUNT_TRUNCATED, "squirrel.count.truncated", PI_MALFORMED, PI_ERROR },
    { GW_SQUIRREL_FAULT_TAG_UNKNOWN, "squirrel.tag.unknown", PI_UNDECODED, PI_WARN },
    { GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER, "squirrel.trailing.unusual", PI_PROTOCOL, PI_WARN },
    { GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER, "squirrel.operand.unusual", PI_PROTOCOL, PI_WARN },
    { GW_SQUIRREL_FAULT_TOO_DEEP, "squirrel.value.too_deep", PI_UNDECODED, PI_WARN },
    { GW_SQUIRREL_FAULT_TOO_LONG, "squirrel.input.too_long", PI_UNDECODED, PI_WARN },
    { GW_SQUIRREL_FAULT_HEAD_TRUNCATED, "squirrel.head.truncated", PI_MALFORMED, PI_ERROR },
};
/* clang-format on */

void squirrel_register_fields(int protocol)
{
    static int *subtrees[] = { &squirrel_ett.protocol, &squirrel_ett.joined, &squirrel_ett.value,
                               &squirrel_ett.fragment, &squirrel_ett.fragments };
    expert_module_t *experts = expert_register_protocol(protocol);
    fill_names();
    proto_register_field_array(protocol, fields, array_length(fields));
    proto_register_subtree_array(subtrees, array_length(subtrees));
    for (size_t i = 0; i < array_length(expert_infos); i++)
        *expert_infos[i].ids = (expert_field)EI_INIT;
    expert_register_field_array(experts, expert_infos, array_length(expert_infos));
    gw_register_odd_experts(experts, squirrel_ei_odd, odd_rows, array_length(odd_rows), gw_squirrel_odd_text);
    gw_register_fault_experts(experts, squirrel_ei_fault, fault_rows, array_length(fault_rows), gw_squirrel_fault_text);
}

/* ---- fields of values ---------------------------------------------------------------------------------- */

int squirrel_field_of(const gw_squirrel_event *event)
{
    switch (event->tag) {
    case GW_SQUIRREL_NULL:
        return squirrel_hf.null;
    case GW_SQUIRREL_INT32:
    case GW_SQUIRREL_INT16:
        return squirrel_hf.integer;
    case GW_SQUIRREL_FLOAT:
        return squirrel_hf.number;
    case GW_SQUIRREL_BOOL:
        return squirrel_hf.truth;
    case GW_SQUIRREL_VECTOR:
        return squirrel_hf.vector;
    case GW_SQUIRREL_QUATERNION:
        return squirrel_hf.quaternion;
    case GW_SQUIRREL_BLOB:
        return squirrel_hf.blob;
    case GW_SQUIRREL_ERROR:
        return squirrel_hf.error;
    case GW_SQUIRREL_STRING:
        return event->role == GW_SQUIRREL_ROLE_SCRIPT ? squirrel_hf.script : squirrel_hf.string;
    case GW_SQUIRREL_CLASS:
        return squirrel_hf.class_table;
    default:
        break;
    }
    const gw_squirrel_type *type = gw_squirrel_type_of(event->tag);
    if (gw_squirrel_is_command(type))
        return squirrel_hf.command;
    return type->pairs ? squirrel_hf.table : squirrel_hf.array;
}

static bool is_one_asked_for(const int *ids, int count)
{
    for (int i = 0; i < count; i++)
        if (gw_is_named(ids[i]))
            return true;
    return false;
}

bool squirrel_is_asked_for(const gw_squirrel_event *event)
{
    if (gw_is_named(squirrel_field_of(event)))
        return true;
    if (event->tag == GW_SQUIRREL_VECTOR)
        return is_one_asked_for(squirrel_hf.vector_xyz, 3);
    return event->tag == GW_SQUIRREL_QUATERNION && is_one_asked_for(squirrel_hf.quaternion_xyzw, 4);
}
