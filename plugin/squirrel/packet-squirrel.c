/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Squirrel remote values and commands: what VC:MP's RemExec and PeerExec scripts send.
 *
 *   squirrel         all that can be script data: a message, a frame, bare values; by name and Decode As
 *
 *   squirrel_script  messages and frames only, right or wrong: on the port, and in known conversations
 *
 *   squirrel_port    the port itself, on which VC:MP's RakNet runs
 *
 * Script data travels inside RakNet messages, for which Wireshark has a dissector: it puts split messages
 * together and hands over, to the table raknet.port and the heuristic list "raknet", what begins with the
 * message id:
 *
 *     u8 message id | u32 big-endian length | u32 identifier | head | content
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/conversation.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/proto_data.h>
#include <epan/tap.h>

#include "common/fault.h"
#include "common/label.h"
#include "squirrel-exchange.h"
#include "squirrel-split.h"
#include "squirrel-statistics.h"
#include "squirrel-values.h"

#define MESSAGE_HEAD      5u
#define IDENTIFIER_LENGTH 4u
#define DEFAULT_PORT      8192u
#define INFO_SIZE         1200
#define COUNTER_KEY       0

static int proto_squirrel = -1;
static int hf_message_id = -1;
static int hf_message_length = -1;
static int hf_frame = -1;
static int hf_target_player = -1;
static int hf_sender_player = -1;
static int hf_token = -1;
static int hf_joined = -1;
static int hf_undecoded_head = -1;

static int ett_squirrel = -1;
static int ett_joined = -1;

static expert_field ei_message_length = EI_INIT;
static expert_field ei_message_id = EI_INIT;
static expert_field ei_head_truncated = EI_INIT;
static expert_field ei_unknown_frame = EI_INIT;
static expert_field ei_head_cut_short = EI_INIT;
static expert_field ei_direction = EI_INIT;
static expert_field ei_split_in_split = EI_INIT;
static expert_field ei_joined_no_frame = EI_INIT;
static expert_field ei_too_large = EI_INIT;

static dissector_handle_t any_handle;
static dissector_handle_t script_handle;
static dissector_handle_t port_handle;
static dissector_handle_t raknet_handle;
static int tap_squirrel = -1;
static unsigned port = DEFAULT_PORT;
static unsigned registered_port;

/* By the tables of a public client that speaks to real servers; the ids moved with the versions of VC:MP. */
static const value_string message_ids[] = {
    { 0x3d, "Script data to server (0.4.7.0)" },          { 0x3e, "Script data to server (0.4.7.1)" },
    { 0x6e, "Script data to client (0.4.7.1)" },          { 0x6f, "Script data to client (0.4.7.0)" },
    { 0xbc, "Script data to server (0.4.0.4)" },          { 0xbd, "Script data to server (0.4.6)" },
    { 0xcf, "Script data to client (0.4.6 and before)" }, { 0, NULL }
};

static value_string frame_names[GW_SQUIRREL_FRAME_COUNT + 1];

static void format_message_id(char *label, uint32_t id)
{
    gw_format_hex(label, message_ids, id, 2);
}

static void format_frame(char *label, uint32_t identifier)
{
    gw_format_hex(label, frame_names, identifier, 8);
}

/* ---- what is known of a conversation ------------------------------------------------------------------- */

typedef struct squirrel_conversation {
    uint32_t found_in; /* the first packet that the heuristic was sure of; 0: none */
    bool knows_server;
    uint8_t server; /* squirrel_side of the server, by the first frame that has a direction */
} squirrel_conversation;

static squirrel_conversation *conversation_of(packet_info *pinfo)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    squirrel_conversation *known = (squirrel_conversation *)conversation_get_proto_data(conversation, proto_squirrel);
    if (!known) {
        known = wmem_new0(wmem_file_scope(), squirrel_conversation);
        conversation_add_proto_data(conversation, proto_squirrel, known);
    }
    return known;
}

static ws_bool was_found(packet_info *pinfo)
{
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    const squirrel_conversation *known =
        conversation ? (const squirrel_conversation *)conversation_get_proto_data(conversation, proto_squirrel) : NULL;
    return known && known->found_in && known->found_in <= pinfo->num;
}

/* ---- recognising --------------------------------------------------------------------------------------- */

/* The bytes of a packet, as far as they were captured. */
typedef struct payload {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t wire_length;
} payload;

static payload payload_of(tvbuff_t *tvb)
{
    payload all = { NULL, tvb_captured_length(tvb), tvb_reported_length(tvb) };
    if (all.length)
        all.bytes = tvb_get_ptr(tvb, 0, (int)all.length);
    return all;
}

static payload after(payload whole, uint32_t offset)
{
    payload rest = { whole.bytes + offset, whole.length - offset, whole.wire_length - offset };
    return rest;
}

/* xx ff ff 40: one of the nineteen, or one that a later release added. */
static ws_bool begins_with_identifier(payload frame)
{
    return frame.length >= IDENTIFIER_LENGTH && gw_le32(frame.bytes) >> 8 == GW_SQUIRREL_FIRST_FRAME >> 8;
}

static ws_bool is_whole_chunk(const gw_squirrel_frame *frame)
{
    return !(frame->chunk_odd & ~GW_SQUIRREL_CHUNK_SHORT);
}

/* Odd in ways that no real sender is. */
#define STRANGE (GW_SQUIRREL_ODD_INVALID | GW_SQUIRREL_ODD_BOOL)

/* Tokens are counted from 0 or 1, and -1 stands for none: text in their place has its high byte set. */
static bool is_token(int32_t token)
{
    return token >= -1 && token < 1 << 24;
}

static ws_bool is_whole_frame(payload whole)
{
    gw_squirrel_frame frame;
    gw_squirrel_options options;
    gw_squirrel_summary summary;
    gw_fault fault;
    if (!begins_with_identifier(whole) || whole.length < whole.wire_length ||
        !gw_squirrel_read_frame(whole.bytes, whole.length, &frame, &fault))
        return FALSE;
    if (frame.type->token && !is_token(frame.token))
        return FALSE;
    if (frame.type->content == GW_SQUIRREL_CONTENT_CHUNK)
        return is_whole_chunk(&frame);
    options = gw_squirrel_frame_options(&frame);
    return gw_squirrel_validate(whole.bytes, whole.length, &options, &summary) && !(summary.odd & STRANGE);
}

/* The number behind the tag is the length of all the rest or, where it is a count, not 0. */
static ws_bool has_exact_number(const gw_squirrel_type *type, uint32_t number, uint32_t rest)
{
    switch (type->form) {
    case GW_SQUIRREL_FORM_COMMAND:
    case GW_SQUIRREL_FORM_CALL:
    case GW_SQUIRREL_FORM_SIZED:
        return number && number == rest;
    case GW_SQUIRREL_FORM_COUNTED:
        return number && number <= rest;
    default:
        return FALSE;
    }
}

static ws_bool is_whole_command_or_container(payload whole)
{
    static const gw_squirrel_options options = { .reading = GW_SQUIRREL_BYTES };
    gw_squirrel_summary summary;
    if (whole.length <= 5 || whole.length < whole.wire_length ||
        !has_exact_number(gw_squirrel_type_of(whole.bytes[0]), gw_le32(whole.bytes + 1), whole.length - 5))
        return FALSE;
    return gw_squirrel_validate(whole.bytes, whole.length, &options, &summary) && !summary.odd;
}

static ws_bool has_message_head(payload whole)
{
    return whole.length >= MESSAGE_HEAD + IDENTIFIER_LENGTH && begins_with_identifier(after(whole, MESSAGE_HEAD));
}

/*
 * Is this a message, a frame, a command or a container, and nothing else? Looks at the bytes only, changes
 * nothing, throws nothing.
 *
 * A frame: one of 19 identifiers in 2^32, which is 4.4e-9. Then the head, and a content that ends exactly
 * with the packet, with the right number of operands, bools of 0 and 1, and no contradiction: of random
 * bodies below 96 bytes 3e-4 pass (measured on two million), nearly all of them scalars of just that length,
 * and of longer ones next to none. Together 1e-12; at worst, for a frame of five bytes, 2e-11. A token must
 * be one that can be counted to: the identifiers are floats just under 8, and text behind such a float is none.
 *
 * A message: any id, a big-endian length that is exactly the rest (2^-32), then a frame.
 *
 * A command or container: one of 14 tags (2^-4.2), a length that is exactly the rest (2^-32), and operands
 * that end exactly with it: 3e-5 (measured likewise). Together 4e-16. For a counted one, of 3 tags, a count
 * of 1 to the rest in place of the length (2^-26 below 96 bytes) and as many values: 6e-6. Together 1e-15.
 *
 * Bare scalars are never claimed: `o` alone is one byte of any protocol.
 */
static ws_bool is_surely_ours(payload whole)
{
    if (is_whole_frame(whole) || is_whole_command_or_container(whole))
        return TRUE;
    return has_message_head(whole) && gw_be32(whole.bytes + 1) == whole.wire_length - MESSAGE_HEAD &&
           is_whole_frame(after(whole, MESSAGE_HEAD));
}

/* ---- columns ------------------------------------------------------------------------------------------- */

static ws_bool has_columns(packet_info *pinfo)
{
    return pinfo->cinfo && col_get_writable(pinfo->cinfo, COL_INFO);
}

/* A packet may carry several messages; the first takes the line over. */
static void set_columns(packet_info *pinfo, const char *info)
{
    void *more = p_get_proto_data(pinfo->pool, pinfo, proto_squirrel, COUNTER_KEY);
    if (!more) {
        p_set_proto_data(pinfo->pool, pinfo, proto_squirrel, COUNTER_KEY, GUINT_TO_POINTER(1));
        col_set_str(pinfo->cinfo, COL_PROTOCOL, "Squirrel");
        col_clear(pinfo->cinfo, COL_INFO);
        col_add_str(pinfo->cinfo, COL_INFO, info);
    } else {
        col_append_sep_str(pinfo->cinfo, COL_INFO, " | ", info);
    }
}

/* "PeerExecSpecial #1 to player 3", "SplitStream 0, chunk 2 of 3" */
static void describe_head(gw_text *text, const gw_squirrel_frame *frame)
{
    gw_text_string(text, frame->type->name);
    if (frame->type->content == GW_SQUIRREL_CONTENT_CHUNK) {
        gw_text_char(text, ' ');
        gw_text_unsigned(text, frame->sequence);
        gw_text_string(text, ", chunk ");
        gw_text_unsigned(text, (uint64_t)frame->chunk + 1);
        gw_text_string(text, " of ");
        gw_text_unsigned(text, frame->chunks);
    }
    if (frame->type->token) {
        gw_text_string(text, " #");
        gw_text_signed(text, frame->token);
    }
    if (frame->type->player != GW_SQUIRREL_NO_PLAYER) {
        gw_text_string(text, frame->type->player == GW_SQUIRREL_TARGET_PLAYER ? " to player " : " from player ");
        gw_text_unsigned(text, frame->player);
    }
}

static void show_line(packet_info *pinfo, const gw_squirrel_frame *frame, const char *content)
{
    char line[INFO_SIZE];
    gw_text text;
    if (!has_columns(pinfo))
        return;
    gw_text_init(&text, line, sizeof line);
    if (frame)
        describe_head(&text, frame);
    if (frame && content && content[0])
        gw_text_string(&text, "  ");
    if (content)
        gw_text_string(&text, content);
    set_columns(pinfo, line);
}

/* ---- frames -------------------------------------------------------------------------------------------- */

static void dissect_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, ws_bool joined);

static void dissect_values(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame,
                           const gw_squirrel_options *options)
{
    squirrel_content content = {
        tvb, pinfo, tree, frame ? frame->type : NULL, *options, NULL, has_columns(pinfo), NULL
    };
    if (have_tap_listener(tap_squirrel)) {
        content.tap = wmem_new0(pinfo->pool, squirrel_tap);
        content.tap->frame = frame ? frame->type->name : "no frame";
        content.tap->length = tvb_reported_length(tvb);
    }
    squirrel_add_values(&content);
    show_line(pinfo, frame, content.text);
    if (content.tap)
        tap_queue_packet(tap_squirrel, pinfo, content.tap);
}

static void tap_chunk(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame)
{
    squirrel_tap *tap;
    if (!have_tap_listener(tap_squirrel))
        return;
    tap = wmem_new0(pinfo->pool, squirrel_tap);
    tap->frame = frame->type->name;
    tap->length = tvb_reported_length(tvb);
    tap_queue_packet(tap_squirrel, pinfo, tap);
}

static void dissect_chunk(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, proto_item *item,
                          const gw_squirrel_frame *frame, ws_bool joined)
{
    tvbuff_t *whole;
    show_line(pinfo, frame, NULL);
    tap_chunk(tvb, pinfo, frame);
    if (joined) {
        expert_add_info(pinfo, item, &ei_split_in_split);
        return;
    }
    whole = squirrel_take_chunk(tvb, pinfo, tree, frame);
    if (!whole)
        return;
    item = proto_tree_add_item(tree, hf_joined, whole, 0, (int)tvb_captured_length(whole), ENC_NA);
    dissect_frame(whole, pinfo, proto_item_add_subtree(item, ett_joined), TRUE);
}

static void check_direction(tvbuff_t *tvb, packet_info *pinfo, proto_item *item, const gw_squirrel_frame *frame)
{
    squirrel_conversation *known = conversation_of(pinfo);
    uint8_t side = squirrel_side(pinfo);
    uint8_t server = frame->type->to_server ? !side : side;
    if (!known->knows_server && !PINFO_FD_VISITED(pinfo)) {
        known->knows_server = true;
        known->server = server;
    }
    if (known->knows_server && known->server != server)
        expert_add_info_format(pinfo, item, &ei_direction, "Frames like this come from the %s, but this one does not",
                               frame->type->to_server ? "client" : "server");
    if (frame->type->content != GW_SQUIRREL_CONTENT_CHUNK && tvb_reported_length(tvb) > 4095)
        expert_add_info(pinfo, item, &ei_too_large);
}

/* Returns the item of the token, or NULL. */
static proto_item *add_head(tvbuff_t *tvb, proto_tree *tree, const gw_squirrel_frame *frame)
{
    int offset = GW_SQUIRREL_PLAYER_OFFSET;
    if (frame->type->player != GW_SQUIRREL_NO_PLAYER) {
        int hf = frame->type->player == GW_SQUIRREL_TARGET_PLAYER ? hf_target_player : hf_sender_player;
        proto_tree_add_item(tree, hf, tvb, offset++, 1, ENC_NA);
    }
    if (!frame->type->token)
        return NULL;
    return proto_tree_add_item(tree, hf_token, tvb, offset, 4, ENC_LITTLE_ENDIAN);
}

static void tell_unknown_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, proto_item *item)
{
    int rest = tvb_captured_length_remaining(tvb, (int)IDENTIFIER_LENGTH);
    expert_add_info(pinfo, item, &ei_unknown_frame);
    if (rest > 0)
        proto_tree_add_item(tree, hf_undecoded_head, tvb, (int)IDENTIFIER_LENGTH, rest, ENC_NA);
    if (has_columns(pinfo))
        set_columns(pinfo, gw_squirrel_fault_text(GW_SQUIRREL_FAULT_UNKNOWN_FRAME));
}

static void tell_cut_head(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame,
                          const gw_fault *fault)
{
    gw_fault at = *fault;
    gw_fault_report report = { hf_undecoded_head, &ei_head_truncated, &ei_head_cut_short,
                               gw_squirrel_fault_text(fault->code), NULL };
    at.offset = IDENTIFIER_LENGTH;
    gw_fault_add(pinfo, tree, tvb, &at, &report);
    if (has_columns(pinfo))
        set_columns(pinfo, frame->type->name);
}

/* `joined`: from the chunks of a split stream, whose content is a frame with an identifier of its own. */
static void dissect_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, ws_bool joined)
{
    payload whole = payload_of(tvb);
    gw_squirrel_frame frame;
    gw_fault fault;
    proto_item *item, *token;
    if (joined && !begins_with_identifier(whole)) {
        proto_tree_add_item(tree, hf_undecoded_head, tvb, 0, -1, ENC_NA);
        proto_tree_add_expert(tree, pinfo, &ei_joined_no_frame, tvb, 0, -1);
        return;
    }
    item = proto_tree_add_item(tree, hf_frame, tvb, 0, (int)IDENTIFIER_LENGTH, ENC_LITTLE_ENDIAN);
    if (!gw_squirrel_read_frame(whole.bytes, whole.length, &frame, &fault)) {
        if (frame.type)
            tell_cut_head(tvb, pinfo, tree, &frame, &fault);
        else
            tell_unknown_frame(tvb, pinfo, tree, item);
        return;
    }
    token = add_head(tvb, tree, &frame);
    check_direction(tvb, pinfo, item, &frame);
    squirrel_track_exchange(tvb, pinfo, tree, token, &frame, whole.bytes, whole.length);
    if (frame.type->content == GW_SQUIRREL_CONTENT_CHUNK) {
        dissect_chunk(tvb, pinfo, tree, item, &frame, joined);
    } else {
        gw_squirrel_options options = gw_squirrel_frame_options(&frame);
        dissect_values(tvb, pinfo, tree, &frame, &options);
    }
}

/* ---- carriage ------------------------------------------------------------------------------------------ */

static proto_tree *add_protocol(tvbuff_t *tvb, proto_tree *tree)
{
    proto_item *item = proto_tree_add_item(tree, proto_squirrel, tvb, 0, (int)tvb_captured_length(tvb), ENC_NA);
    return proto_item_add_subtree(item, ett_squirrel);
}

static void add_message_head(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    uint32_t declared = tvb_get_ntohl(tvb, 1), actual = tvb_reported_length(tvb) - MESSAGE_HEAD;
    proto_item *id = proto_tree_add_item(tree, hf_message_id, tvb, 0, 1, ENC_NA);
    proto_item *length = proto_tree_add_item(tree, hf_message_length, tvb, 1, 4, ENC_BIG_ENDIAN);
    if (!try_val_to_str(tvb_get_uint8(tvb, 0), message_ids))
        expert_add_info(pinfo, id, &ei_message_id);
    if (declared != actual)
        expert_add_info_format(pinfo, length, &ei_message_length, "Message length wrong: %u declared, %u actual",
                               declared, actual);
}

/* A message or a frame, right or wrong; 0 when it is neither. */
static int dissect_script(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    payload whole = payload_of(tvb);
    if (begins_with_identifier(whole)) {
        dissect_frame(tvb, pinfo, add_protocol(tvb, tree), FALSE);
    } else if (has_message_head(whole)) {
        proto_tree *below = add_protocol(tvb, tree);
        add_message_head(tvb, pinfo, below);
        dissect_frame(tvb_new_subset_remaining(tvb, (int)MESSAGE_HEAD), pinfo, below, FALSE);
    } else {
        return 0;
    }
    return (int)tvb_captured_length(tvb);
}

/* Whatever the user says is ours: values without a frame, too. */
static int dissect_any(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    static const gw_squirrel_options options = { .reading = GW_SQUIRREL_BYTES_FIRST };
    int taken = dissect_script(tvb, pinfo, tree, data);
    if (taken || !tvb_reported_length(tvb))
        return taken;
    dissect_values(tvb, pinfo, add_protocol(tvb, tree), NULL, &options);
    return (int)tvb_captured_length(tvb);
}

static ws_bool claim(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    payload whole = payload_of(tvb);
    if (!is_surely_ours(whole))
        return FALSE;
    dissect_any(tvb, pinfo, tree, NULL);
    return TRUE;
}

/* Claims what is surely ours. After a frame the conversation is ours: what comes with an identifier then is
 * shown even if it is wrong. */
static ws_bool heur_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    payload whole = payload_of(tvb);
    if (!claim(tvb, pinfo, tree))
        return FALSE;
    if (begins_with_identifier(whole))
        conversation_set_dissector_from_frame_number(find_or_create_conversation(pinfo), pinfo->num, script_handle);
    return TRUE;
}

/* RakNet looks into raknet.port only when it was itself found by a port. */
static ws_bool is_on_port(const packet_info *pinfo)
{
    return port && (pinfo->srcport == port || pinfo->destport == port);
}

/* The same in RakNet, where other messages than ours share the conversation: it cannot be given one
 * dissector. */
static ws_bool heur_raknet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (claim(tvb, pinfo, tree)) {
        squirrel_conversation *known = conversation_of(pinfo);
        if (!known->found_in)
            known->found_in = pinfo->num;
        return TRUE;
    }
    return (is_on_port(pinfo) || was_found(pinfo)) && dissect_script(tvb, pinfo, tree, data) > 0;
}

/* A datagram between connected peers: bit 7, then in data the flags of bits 2 and 3, in ACK and NAK those of
 * bits 6 and 5. All that begins a connection RakNet's own heuristic knows. */
static ws_bool may_be_raknet(payload whole)
{
    return whole.length > 4 && ((whole.bytes[0] & 0xf3) == 0x80 || (whole.bytes[0] & 0x9f) == 0x80);
}

/* VC:MP's port: our frames without RakNet, or RakNet whose beginning was not captured. */
static int dissect_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    payload whole = payload_of(tvb);
    if (is_surely_ours(whole))
        return dissect_any(tvb, pinfo, tree, data);
    if (begins_with_identifier(whole))
        return dissect_script(tvb, pinfo, tree, data);
    if (raknet_handle && may_be_raknet(whole))
        return call_dissector_only(raknet_handle, tvb, pinfo, tree, data);
    return 0;
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* clang-format off */
static hf_register_info fields[] = {
    { &hf_message_id, { "Message", "squirrel.message.id", FT_UINT8, BASE_CUSTOM, CF_FUNC(format_message_id), 0,
                        "RakNet message id of script data", HFILL } },
    { &hf_message_length, { "Message length", "squirrel.message.length", FT_UINT32, BASE_DEC, NULL, 0,
      NULL, HFILL } },
    { &hf_frame, { "Frame", "squirrel.frame", FT_UINT32, BASE_CUSTOM, CF_FUNC(format_frame), 0, NULL, HFILL } },
    { &hf_target_player, { "To player", "squirrel.target_player", FT_UINT8, BASE_DEC, NULL, 0, NULL,
      HFILL } },
    { &hf_sender_player, { "From player", "squirrel.sender_player", FT_UINT8, BASE_DEC, NULL, 0, NULL,
      HFILL } },
    { &hf_token, { "Token", "squirrel.token", FT_INT32, BASE_DEC, NULL, 0,
                   "Ties an answer to its command; -1: no answer wanted", HFILL } },
    { &hf_joined, { "Joined frame", "squirrel.joined", FT_NONE, BASE_NONE, NULL, 0,
      "What the chunks of a split stream hold", HFILL } },
    { &hf_undecoded_head, { "Undecoded", "squirrel.undecoded_frame", FT_BYTES, BASE_NONE, NULL, 0, NULL,
      HFILL } },
};

static ei_register_info expert_infos[] = {
    { &ei_message_length, { "squirrel.message.length_wrong", PI_PROTOCOL, PI_WARN, "Message length wrong",
      EXPFILL } },
    { &ei_message_id, { "squirrel.message.id_unknown", PI_PROTOCOL, PI_NOTE,
                        "Not a message id that script data is known to have", EXPFILL } },
    { &ei_head_truncated, { "squirrel.head_truncated", PI_MALFORMED, PI_ERROR,
      "The head of the frame is cut", EXPFILL } },
    { &ei_unknown_frame, { "squirrel.unknown_frame", PI_UNDECODED, PI_WARN, "Unknown frame", EXPFILL } },
    { &ei_head_cut_short, { "squirrel.head_cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture",
      EXPFILL } },
    { &ei_direction, { "squirrel.direction", PI_PROTOCOL, PI_WARN, "A frame against its direction",
      EXPFILL } },
    { &ei_split_in_split, { "squirrel.split_in_split", PI_PROTOCOL, PI_WARN,
                            "A split stream inside a split stream: not followed", EXPFILL } },
    { &ei_joined_no_frame, { "squirrel.joined_no_frame", PI_PROTOCOL, PI_WARN,
      "The joined chunks hold no frame", EXPFILL } },
    { &ei_too_large, { "squirrel.too_large", PI_PROTOCOL, PI_NOTE,
      "A frame above 4095 bytes, which real senders split", EXPFILL } },
};
/* clang-format on */

static void name_frames(void)
{
    for (uint32_t i = 0; i < GW_SQUIRREL_FRAME_COUNT; i++) {
        const gw_squirrel_frame_type *type = gw_squirrel_frame_type_of(GW_SQUIRREL_FIRST_FRAME + i);
        frame_names[i].value = type->identifier;
        frame_names[i].strptr = type->name;
    }
}

static void apply_port(void)
{
    if (registered_port == port)
        return;
    if (registered_port) {
        dissector_delete_uint("udp.port", registered_port, port_handle);
        dissector_delete_uint("raknet.port", registered_port, script_handle);
    }
    if (port) {
        dissector_add_uint("udp.port", port, port_handle);
        dissector_add_uint("raknet.port", port, script_handle);
    }
    registered_port = port;
}

void proto_register_squirrel(void)
{
    static int *subtrees[] = { &ett_squirrel, &ett_joined };
    expert_module_t *experts;
    module_t *preferences;
    name_frames();
    proto_squirrel = proto_register_protocol("Squirrel remote values (VC:MP)", "Squirrel", "squirrel");
    proto_register_field_array(proto_squirrel, fields, array_length(fields));
    proto_register_subtree_array(subtrees, array_length(subtrees));
    experts = expert_register_protocol(proto_squirrel);
    expert_register_field_array(experts, expert_infos, array_length(expert_infos));
    squirrel_register_values(proto_squirrel, experts);
    squirrel_register_exchange(proto_squirrel, experts);
    squirrel_register_split(proto_squirrel, experts);
    tap_squirrel = squirrel_register_tap();

    any_handle = register_dissector("squirrel", dissect_any, proto_squirrel);
    script_handle =
        register_dissector_with_description("squirrel_script", "Squirrel frames", dissect_script, proto_squirrel);
    /* Under a name of its own: "Decode As Squirrel" must find any_handle, which is in the same table. */
    port_handle =
        register_dissector("squirrel_port", dissect_port,
                           proto_register_protocol_in_name_only("Squirrel on the port of VC:MP", "Squirrel port",
                                                                "squirrel_port", proto_squirrel, FT_PROTOCOL));

    preferences = prefs_register_protocol(proto_squirrel, apply_port);
    prefs_register_uint_preference(preferences, "port", "Port of the game's server",
                                   "UDP port on which VC:MP runs, with RakNet or without; 0: none", 10, &port);
}

void proto_reg_handoff_squirrel(void)
{
    raknet_handle = find_dissector("raknet");
    heur_dissector_add("udp", heur_udp, "Squirrel over UDP", "squirrel_udp", proto_squirrel, HEURISTIC_ENABLE);
    heur_dissector_add("raknet", heur_raknet, "Squirrel over RakNet", "squirrel_raknet", proto_squirrel,
                       HEURISTIC_ENABLE);
    dissector_add_for_decode_as("udp.port", any_handle);
    apply_port();
}
