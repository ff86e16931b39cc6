/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -z squirrel,tree: number and bytes of frames, commands and names. -z squirrel,srt: times from command to answer.
 * -z flow,squirrel,network: frames as arrows.
 */
#include "internal.h"

#include <epan/dissectors/packet-udp.h>
#include <epan/srt_table.h>
#include <epan/tap.h>

#include "common/conversation.h"
#include "common/menus/connections.h"
#include "common/menus/conversation_filter.h"
#include "common/menus/flow_graph.h"
#include "common/menus/statistics.h"

#define NAME_SIZE 200
#define COMPUTED  "(computed)"

/* ---- the tap ------------------------------------------------------------------------------------------- */

static int squirrel_tap_id = -1;

/* The use of a name by the command that the event opens: the command calls, sets or reads it, or has no name. */
static squirrel_use use_of(const gw_squirrel_event *open)
{
    switch (open->tag) {
    case GW_SQUIRREL_CALL:
    case GW_SQUIRREL_CALL_EX:
        return SQUIRREL_USE_CALL;
    case GW_SQUIRREL_SET:
    case GW_SQUIRREL_SET_EX:
        return SQUIRREL_USE_SET;
    case GW_SQUIRREL_GET:
    case GW_SQUIRREL_GET_EX:
        /* An object or function of another command is part of that command's name: the function of CallRemoteFuncEx may
         * be GetRemoteValueEx(GetRemoteValue("Console"), "Print"). Its name, Console.Print, counts once: as called. */
        return open->role == GW_SQUIRREL_ROLE_OBJECT || open->role == GW_SQUIRREL_ROLE_FUNCTION ? SQUIRREL_USE_NONE
                                                                                                : SQUIRREL_USE_READ;
    default:
        return SQUIRREL_USE_NONE;
    }
}

/* Counts a frame of `length` bytes in the table of connections, and creates its data for the taps; NULL if none
 * listens. `is_joined`: it was joined from chunks. `findings` and `type` are NULL for values without a frame. A frame
 * that an ICMP error quotes was not sent here and is not counted in the table. An answer that RakNet sent again has no
 * response time: the first transmission has it. */
squirrel_tap *squirrel_count_frame(packet_info *pinfo, const gw_squirrel_frame_type *type, uint32_t length,
                                   bool is_joined, const squirrel_findings *findings)
{
    /* 1. The row of its conversation, and the response time of an answer. */
    bool is_retransmission = findings && findings->retransmission_of;
    bool is_answer = findings && findings->part == SQUIRREL_ANSWER && !is_retransmission;
    bool is_counted = gw_connections_are_counted() && !gw_is_quoted(pinfo);
    const conversation_t *conversation = is_counted ? gw_conversation_lookup(pinfo) : NULL;
    if (conversation) {
        gw_connection_part part = { .protocol = GW_CONNECTION_SQUIRREL, .number = conversation->conv_index };
        /* A frame that was joined from chunks was counted with them: it only adds its response time. */
        if (!is_joined) {
            part.bytes = length;
            part.messages = !is_retransmission;
            part.sent_again = is_retransmission;
        }
        gw_connection_add(pinfo, &part);
        if (is_answer)
            gw_connection_add_round_trip(pinfo, GW_CONNECTION_SQUIRREL, part.number, &findings->command_time);
    }
    /* 2. The data of the taps, to which squirrel_tap_event() adds the commands. */
    if (!have_tap_listener(squirrel_tap_id))
        return NULL;
    squirrel_tap *tap = wmem_new0(pinfo->pool, squirrel_tap);
    tap->frame = type ? type->name : "Without a frame";
    tap->length = length;
    tap->is_retransmission = is_retransmission;
    if (is_answer) {
        tap->answered = findings->command;
        tap->command_time = findings->command_time;
    }
    return tap;
}

/* Adds the command that an event opens, with the name that it uses, if there is room for one more; other events add
 * nothing. The commands of a retransmission were counted with the first transmission. */
void squirrel_tap_event(squirrel_tap *tap, packet_info *pinfo, const gw_squirrel_reader *reader,
                        const gw_squirrel_event *event)
{
    if (event->kind != GW_OPEN || tap->is_retransmission || !gw_squirrel_is_command(gw_squirrel_type_of(event->tag)) ||
        tap->count == SQUIRREL_TAP_COMMANDS)
        return;
    squirrel_tap_entry *entry = &tap->commands[tap->count++];
    entry->tag = event->tag;
    entry->use = (uint8_t)use_of(event);
    /* The declared length may exceed the bytes that follow. */
    entry->length = event->header.length + MIN(event->declared, reader->length - event->payload.offset);
    if (entry->use == SQUIRREL_USE_NONE)
        return;
    gw_squirrel_options options = reader->options;
    gw_text text;
    char *name = (char *)wmem_alloc(pinfo->pool, NAME_SIZE);
    options.offset = event->header.offset;
    gw_text_init(&text, name, NAME_SIZE);
    if (gw_squirrel_print_name(&text, reader->bytes, reader->length, &options))
        entry->name = name;
}

/* Sends the data, to which the events were added, to the listeners of the tap; NULL: there are none. */
void squirrel_queue_tap(packet_info *pinfo, const squirrel_tap *tap)
{
    if (tap)
        tap_queue_packet(squirrel_tap_id, pinfo, tap);
}

/* ---- the table ----------------------------------------------------------------------------------------- */

/* The group after each of these contains its bytes. */
enum { FRAMES, RETRANSMISSIONS = 2, COMMANDS = 4, CALLS = 6, READS = 8, SETS = 10, GROUPS = 12 };

static const char *const groups[GROUPS] = {
    [FRAMES] = "Frames",
    [FRAMES + 1] = "Bytes by frame",
    [RETRANSMISSIONS] = "Retransmissions",
    [RETRANSMISSIONS + 1] = "Bytes of retransmissions",
    [COMMANDS] = "Commands",
    [COMMANDS + 1] = "Bytes by command",
    [CALLS] = "Functions called",
    [CALLS + 1] = "Bytes by function called",
    [READS] = "Values read",
    [READS + 1] = "Bytes by value read",
    [SETS] = "Values set",
    [SETS + 1] = "Bytes by value set",
};

static const unsigned use_groups[] = {
    [SQUIRREL_USE_CALL] = CALLS,
    [SQUIRREL_USE_READ] = READS,
    [SQUIRREL_USE_SET] = SETS,
};

/* Adds one to the row `name` of a group, and its bytes to that of the next group. */
static void count(stats_tree *tree, unsigned group, const char *name, uint32_t length)
{
    gw_stat_measure(tree, groups[group], groups[group + 1], name, length);
}

/* Counts a frame, its commands, and the names that these call, read or set; a retransmission only as a frame that was
 * sent again, since its commands were counted before. */
static tap_packet_status count_frame(stats_tree *tree, packet_info *pinfo _U_, epan_dissect_t *edt _U_,
                                     const void *data, tap_flags_t flags _U_)
{
    const squirrel_tap *tap = (const squirrel_tap *)data;
    if (tap->is_retransmission) {
        count(tree, RETRANSMISSIONS, tap->frame, tap->length);
        return TAP_PACKET_REDRAW;
    }
    count(tree, FRAMES, tap->frame, tap->length);
    for (unsigned i = 0; i < tap->count; i++) {
        const squirrel_tap_entry *entry = &tap->commands[i];
        count(tree, COMMANDS, gw_squirrel_type_of(entry->tag)->name, entry->length);
        if (entry->use != SQUIRREL_USE_NONE)
            count(tree, use_groups[entry->use], entry->name ? entry->name : COMPUTED, entry->length);
    }
    return TAP_PACKET_REDRAW;
}

/* ---- response times by command ------------------------------------------------------------------------- */

static const uint32_t answered_frames[] = { GW_SQUIRREL_REMOTE_EXECUTE_SPECIAL, GW_SQUIRREL_LOAD_NUT_FILE,
                                            GW_SQUIRREL_EXEC_SPECIAL, GW_SQUIRREL_PEER_EXEC_SPECIAL,
                                            GW_SQUIRREL_PEER_EXEC_HERE2 };

/* Adds the table of response times, with a row for each frame that has an answer: its number is the index in
 * answered_frames. */
static void init_response_times(struct register_srt *registered _U_, GArray *tables)
{
    srt_stat_table *table = init_srt_table("Squirrel Commands", NULL, tables, (int)array_length(answered_frames),
                                           "Command", "squirrel.frame", NULL);
    for (size_t i = 0; i < array_length(answered_frames); i++)
        init_srt_table_row(table, (int)i, gw_squirrel_frame_type_of(answered_frames[i])->name);
}

/* Adds the time of an answer to the row of the frame type of its command: Wireshark computes the time from that of the
 * command, `command_time`, to that of this packet. `answered` is 0, and no row's, if the frame is not an answer. */
static tap_packet_status add_response_time(void *listener, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                           const void *data, tap_flags_t flags _U_)
{
    const srt_data_t *tables = listener;
    const squirrel_tap *tap = (const squirrel_tap *)data;
    srt_stat_table *table = g_array_index(tables->srt_array, srt_stat_table *, 0);
    for (size_t i = 0; i < array_length(answered_frames); i++)
        if (answered_frames[i] == tap->answered)
            add_srt_table_data(table, (int)i, &tap->command_time, pinfo);
    return TAP_PACKET_REDRAW;
}

/* ---- the flow graph ------------------------------------------------------------------------------------ */

/* Adds an arrow for each frame, whose comment has the names that its commands call, read or set; dashed: a message that
 * was sent before. */
static tap_packet_status add_arrow(void *graph, packet_info *pinfo, epan_dissect_t *dissect _U_, const void *data,
                                   tap_flags_t flags _U_)
{
    const squirrel_tap *tap = data;
    gw_arrow arrow = { .label = tap->frame, .dashed = tap->is_retransmission };
    wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, tap->frame);
    wmem_strbuf_append(text, tap->is_retransmission ? ", sent again" : "");
    /* The names that the commands call, read or set. */
    const char *separator = ": ";
    for (unsigned i = 0; i < tap->count; i++) {
        const squirrel_tap_entry *entry = &tap->commands[i];
        if (entry->use == SQUIRREL_USE_NONE)
            continue;
        wmem_strbuf_append_printf(text, "%s%s %s", separator, gw_squirrel_type_of(entry->tag)->name,
                                  entry->name ? entry->name : COMPUTED);
        separator = ", ";
    }
    arrow.comment = wmem_strbuf_get_str(text);
    gw_flow_graph_add(graph, pinfo, &arrow);
    return TAP_PACKET_REDRAW;
}

/* ---- Follow Stream: the lines of the messages ----------------------------------------------------------- */

int squirrel_follow_tap = -1;

/* The display filter of a stream, whose number is that of UDP. */
static char *filter_stream(unsigned stream, unsigned sub_stream _U_)
{
    return g_strdup_printf("squirrel && udp.stream == %u", stream);
}

/* Sets `stream` to the UDP stream of the selected packet, and returns its filter; NULL: the packet has none. */
static char *find_stream(epan_dissect_t *dissect _U_, packet_info *pinfo, unsigned *stream, unsigned *sub_stream _U_)
{
    return gw_find_stream(pinfo, stream) ? filter_stream(*stream, 0) : NULL;
}

/* ---- Conversation Filter ------------------------------------------------------------------------------- */

/* The display filter for the two ends of the selected packet. */
static char *filter_conversation(GW_CONVERSATION_FILTER_PARAMETERS)
{
    return gw_filter_ends(pinfo, "squirrel");
}

/* True if the filter can be offered: the packet is of Squirrel. */
static ws_bool has_conversation(GW_CONVERSATION_FILTER_PARAMETERS)
{
    return gw_has_protocol(pinfo, "squirrel");
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers the taps (of frames for the statistics and the flow graph, of lines for Follow Stream), the statistics, the
 * flow graph, Follow Stream and the conversation filter. */
void squirrel_register_statistics(int protocol)
{
    squirrel_tap_id = register_tap("squirrel");
    squirrel_follow_tap = register_tap("squirrel_follow");
    gw_register_follow(protocol, "squirrel_follow", &(gw_follow){ find_stream, filter_stream, get_udp_stream_count });
    gw_register_conversation_filter("squirrel", "Squirrel", has_conversation, filter_conversation);
    gw_register_flow_graph("squirrel", "Squirrel", protocol, "squirrel", add_arrow);
    register_srt_table(protocol, NULL, 1, add_response_time, init_response_times, NULL);
    stats_tree_register_plugin("squirrel", "squirrel", "Squirrel" STATS_TREE_MENU_SEPARATOR "Frames and Commands", 0,
                               count_frame, gw_stat_init, NULL);
}
