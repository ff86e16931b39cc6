/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the events of a message into facts and then, with the findings of the analysis, into the tree and the line of
 * the Info column. A message of a connection whose form is known is read once; others are recognized first.
 */
#include "internal.h"

#include "carriers/internal.h"
#include "names/internal.h"
#include "relations/internal.h"
#include "statistics/internal.h"

#include <wsutil/utf8_entities.h>

#include "common/columns.h"
#include "common/conversation.h"
#include "common/experts.h"
#include "common/spans.h"

/* Node, method and arguments of a call. */
#define INFO_SIZE 400
/* Limit of one value's text, in its field. */
#define VALUE_SIZE 240
/* Limit of the events of one message that are read: real messages have at most some hundred. */
#define MOST_EVENTS  25000U
#define FIRST_EVENTS 32U
/* Peer joined: the command, the system command, and the peer's id. */
#define JOINED_SIZE    6
#define JOINED_COMMAND 0x07
/* Of a message that cannot be read, to be shown all the same: as of damaged payloads. */
#define KNOWN_BITS GW_DAMAGED_SAMPLE_BITS

/* ---- reading ------------------------------------------------------------------------------------------- */

static void keep_event(godot_mp_message *message, const gw_godot_mp_event *event)
{
    if (message->event_count == message->event_room) {
        message->event_room = MAX(2 * message->event_room, FIRST_EVENTS);
        message->events =
            wmem_realloc(message->pinfo->pool, message->events, message->event_room * sizeof *message->events);
    }
    message->events[message->event_count++] = *event;
}

static void begin_reading(godot_mp_message *message, gw_godot_mp_form form)
{
    unsigned length = tvb_captured_length(message->tvb);
    const gw_godot_mp_options options = { .form = form,
                                          .find_duplicates = true,
                                          .is_cut = length < tvb_reported_length(message->tvb),
                                          .transport = &message->transport };
    gw_godot_mp_init(&message->reader, gw_bytes_of(message->tvb), length, &options);
    godot_mp_facts_init(&message->facts);
    message->evidence = (gw_godot_mp_evidence){ .is_known = true };
    message->event_count = 0;
    message->rest = 0;
    message->value_odd = 0;
}

static void read_events(godot_mp_message *message, gw_godot_mp_form form)
{
    gw_godot_mp_reader *reader = &message->reader;
    gw_godot_mp_event event;
    begin_reading(message, form);
    while (gw_godot_mp_next(reader, &event) == GW_NEXT_EVENT) {
        if (message->event_count == MOST_EVENTS) {
            message->rest = event.payload.offset;
            return;
        }
        gw_godot_mp_weigh(&message->evidence, reader, &event);
        godot_mp_facts_add(&message->facts, message->pinfo, message->tvb, reader, &event);
        message->value_odd |= event.value_odd;
        keep_event(message, &event);
    }
    if (reader->fault.fault_class && gw_fault_is_cut(message->pinfo, message->tvb, &reader->fault))
        godot_mp_facts_cut(&message->facts);
}

/* ---- the transport ------------------------------------------------------------------------------------- */

/* The server rejects clients whose CONNECT has no id: "Client joined with invalid ID". */
static bool is_refused(const enet_message *enet)
{
    return enet && enet->has_connect_data &&
           (enet->connect_data <= GW_GODOT_MP_SERVER || enet->connect_data > INT32_MAX);
}

/* The mtu is that of the engine's ENet: 1392 since its version 1.3.16, before 1400. The id is a hash. */
static bool is_connect_of_4(const enet_message *enet, int32_t client)
{
    return enet->channel_count == GODOT_MP_CHANNELS_4 && (enet->connect_mtu == 1392 || enet->connect_mtu == 1400) &&
           client > UINT16_MAX;
}

static void describe_transport(godot_mp_message *message, const enet_message *enet)
{
    gw_godot_mp_transport *transport = &message->transport;
    *transport = (gw_godot_mp_transport){ .has_channel = enet != NULL };
    if (!enet)
        return;
    transport->channel = enet->channel;
    transport->client_known = enet->client_known;
    transport->from_client = enet->from_client;
    transport->client = enet->has_connect_data && !is_refused(enet) ? (int32_t)enet->connect_data : 0;
    transport->is_godot_4 = is_connect_of_4(enet, transport->client);
    transport->is_first = enet->is_first;
}

/* A client's CONNECT contains its peer id, a record both ids. */
static void describe_peers(godot_mp_message *message)
{
    const gw_godot_mp_transport *transport = &message->transport;
    godot_mp_place *place = &message->place;
    if (message->carrier->peers[0]) {
        place->given[place->side] = message->carrier->peers[0];
        place->given[place->side ^ 1U] = message->carrier->peers[1];
        return;
    }
    if (!transport->client_known || gw_is_quoted(message->pinfo))
        return;
    uint8_t client = transport->from_client ? place->side : place->side ^ 1U;
    place->given[client ^ 1U] = GW_GODOT_MP_SERVER;
    place->given[client] = transport->client;
}

/* ---- accepting ----------------------------------------------------------------------------------------- */

/* In a known connection whose form is known: true if the message is possible in that form and was read. */
static bool read_as_known(godot_mp_message *message)
{
    gw_godot_mp_form form = godot_mp_find_form(&message->place);
    const godot_mp_weighed known = { .best = form };
    if (form == GW_GODOT_MP_FORMS || godot_mp_may_be_assigned(message))
        return false;
    if (message->carrier->heuristic && (message->carrier->stream || !godot_mp_is_accepted(&message->place)))
        return false;
    read_events(message, form);
    bool is_proven = godot_mp_find_proven_form(&message->place, message->place.side) == form;
    if ((message->carrier->heuristic || !is_proven) &&
        !gw_godot_mp_is_possible(&message->evidence, &message->reader, tvb_reported_length(message->tvb)))
        return false;
    godot_mp_keep_place(&message->place);
    godot_mp_keep_form(&message->place, &known);
    return true;
}

/* A server's first message over WebRTC in Godot 4, whose ids the transport does not have. It is no evidence, but shows
 * who the server is. */
static bool may_be_joined(const godot_mp_message *message)
{
    return message->carrier->channel && tvb_captured_length(message->tvb) == JOINED_SIZE &&
           tvb_get_uint8(message->tvb, 0) == JOINED_COMMAND && tvb_get_uint8(message->tvb, 1) == GW_GODOT_MP_ADD_PEER;
}

/* A declined message may contain definitions that a later message needs. */
static bool is_worth_keeping(const godot_mp_message *message, const gw_recognition *recognition)
{
    bool is_other = message->carrier->heuristic && message->carrier->stream;
    return gw_is_first_pass(message->pinfo) && recognition->possible &&
           (recognition->bits || (message->place.connection && !is_other) || may_be_joined(message));
}

static void read_as_recognized(godot_mp_message *message, const godot_mp_weighed *weighed)
{
    godot_mp_keep_place(&message->place);
    gw_godot_mp_form form = godot_mp_keep_form(&message->place, weighed);
    if (godot_mp_may_be_assigned(message) && godot_mp_is_first(&message->place) &&
        gw_godot_mp_generation(form) == GW_GODOT_4)
        form = GW_GODOT_MP_4_ASSIGNED;
    read_events(message, form);
}

/* A message that cannot be read, in a connection whose other messages are accepted, may be known by its head. */
static void keep_known(godot_mp_message *message)
{
    const godot_mp_carrier *carrier = message->carrier;
    gw_godot_mp_form form = godot_mp_find_proven_form(&message->place, message->place.side);
    if (form == GW_GODOT_MP_FORMS)
        form = godot_mp_find_proven_form(&message->place, message->place.side ^ 1U);
    if (!gw_is_first_pass(message->pinfo) || form == GW_GODOT_MP_FORMS || !carrier->heuristic || carrier->stream ||
        !godot_mp_is_accepted(&message->place))
        return;
    read_events(message, form);
    if (godot_mp_bits_of_head(message) >= KNOWN_BITS)
        gw_damaged_keep_known(&carrier->heuristic->damaged, message->pinfo, message->tvb);
}

/* Reads the message and analyzes it. True when it is accepted. */
static bool analyze(godot_mp_message *message)
{
    gw_heuristic *heuristic = message->carrier->heuristic;
    bool accepted = read_as_known(message);
    if (!accepted) {
        gw_recognition recognition;
        godot_mp_weighed weighed;
        godot_mp_recognize(message, &weighed, &recognition);
        accepted = !heuristic || godot_mp_accepts(message, &recognition);
        if (!accepted && !recognition.possible)
            keep_known(message);
        if (!accepted && !is_worth_keeping(message, &recognition))
            return false;
        read_as_recognized(message, &weighed);
    }
    if (accepted)
        godot_mp_keep_stream(&message->place);
    if (accepted && heuristic && !message->carrier->stream)
        godot_mp_keep_accepted(&message->place);
    godot_mp_analyze(message);
    return accepted;
}

/* ---- the line ------------------------------------------------------------------------------------------ */

/* The line of a message, for its label, taps and Follow Stream; and that for the Info column, if dissectors of the
 * game's format have written something there. */
typedef struct message_lines {
    gw_godot_mp_printer label; /* text: NULL if no line is needed */
    gw_godot_mp_printer info;  /* text: NULL if it is the same line */
    gw_text label_text;
    gw_text info_text;
} message_lines;

static const char *begin_lines(const godot_mp_message *message, message_lines *lines)
{
    packet_info *pinfo = message->pinfo;
    gw_text_init(&lines->label_text, wmem_alloc(pinfo->pool, INFO_SIZE), INFO_SIZE);
    gw_godot_mp_printer_init(&lines->label, &lines->label_text);
    lines->label.short_paths = true;
    lines->label.way = godot_mp_find_way(message->findings);
    return lines->label_text.buffer;
}

/* From here on the Info column has a line of its own. */
static void begin_info(packet_info *pinfo, message_lines *lines)
{
    lines->info_text = lines->label_text;
    lines->info_text.buffer = wmem_memdup(pinfo->pool, lines->label_text.buffer, INFO_SIZE);
    lines->info = lines->label;
    lines->info.text = &lines->info_text;
}

static void print_one(gw_godot_mp_printer *printer, const godot_mp_tree *tree, const gw_godot_mp_event *event,
                      const char *name, const char *after)
{
    gw_godot_mp_print_event(printer, &tree->message->reader, event, name);
    if (after) {
        gw_text_string(printer->text, ": ");
        gw_text_string(printer->text, after);
    }
}

/* What a dissector wrote is in place of an argument, and after the number of raw bytes. */
static void print_event(const godot_mp_tree *tree, const gw_godot_mp_event *event, const char *name,
                        const godot_mp_handed *handed, message_lines *lines)
{
    bool is_data = event->role == GW_GODOT_MP_ROLE_DATA;
    if (handed->info && lines->label.text && !lines->info.text)
        begin_info(tree->pinfo, lines);
    if (lines->info.text) {
        lines->info.value = handed->info && !is_data ? handed->info : lines->label.value;
        print_one(&lines->info, tree, event, name, handed->info && is_data ? handed->info : handed->variant);
    }
    if (lines->label.text)
        print_one(&lines->label, tree, event, name, handed->variant);
    lines->label.value = lines->info.value = NULL;
}

/* Of a path that was cut, nothing has been printed. */
static void end_cut_line(const godot_mp_message *message, gw_text *text)
{
    gw_godot_mp_command command = (gw_godot_mp_command)message->reader.packet.command;
    if (!text->length && command != GW_GODOT_MP_UNKNOWN)
        gw_text_string(text, gw_godot_mp_command_name(command));
    gw_text_string(text, UTF8_HORIZONTAL_ELLIPSIS);
}

static void end_line(const godot_mp_message *message, gw_text *text)
{
    const gw_fault *fault = &message->reader.fault;
    if (gw_fault_is_cut(message->pinfo, message->tvb, fault))
        end_cut_line(message, text);
    else
        gw_add_fault_to_line(text, message->pinfo, message->tvb, fault, &gw_godot_mp_faults);
}

static void end_lines(const godot_mp_message *message, message_lines *lines)
{
    end_line(message, &lines->label_text);
    if (lines->info.text)
        end_line(message, &lines->info_text);
}

/* `info`: the line for the column, in packet scope. */
static void add_line(const godot_mp_tree *tree, const char *line, const char *info)
{
    packet_info *pinfo = tree->pinfo;
    if (tree->demand.label)
        gw_append_line(tree->items[0], pinfo, proto_godot_mp, "", line);
    /* ENet adds the separators between its messages itself. */
    if (tree->message->carrier->is_websocket || tree->message->carrier->channel)
        gw_columns_add(pinfo, proto_godot_mp, info);
    else
        col_set_str(pinfo->cinfo, COL_INFO, info);
}

/* ---- adding to the tree -------------------------------------------------------------------------------- */

static bool has_value(const gw_godot_mp_event *event)
{
    return event->type != GW_GODOT_TYPES || event->role == GW_GODOT_MP_ROLE_BYTES;
}

/* A value is printed once, for its field and the line; twice if it is longer than its field. */
static void print_value(const godot_mp_tree *tree, const gw_godot_mp_event *event, char *buffer, message_lines *lines)
{
    gw_text text;
    if (!tree->wants_values || !has_value(event))
        return;
    gw_text_init(&text, buffer, VALUE_SIZE);
    gw_godot_mp_print_value(&text, &tree->message->reader, event);
    lines->label.value = text.cut ? NULL : buffer;
}

static void add_events(godot_mp_tree *tree, message_lines *lines)
{
    const godot_mp_message *message = tree->message;
    char value[VALUE_SIZE];
    for (uint32_t i = 0; i < message->event_count; i++) {
        const gw_godot_mp_event *event = &message->events[i];
        const char *name = godot_mp_label(tree, event);
        print_value(tree, event, value, lines);
        proto_item *item = godot_mp_tree_add(tree, event, name, value);
        godot_mp_findings_add(tree, event, item, name);
        const godot_mp_handed handed = godot_mp_hand_over(tree, event, lines->label.text != NULL);
        print_event(tree, event, name, &handed, lines);
    }
    godot_mp_tree_end(tree);
}

static void add_message(const godot_mp_message *message, proto_tree *parent)
{
    packet_info *pinfo = message->pinfo;
    godot_mp_tree *tree = wmem_new0(pinfo->pool, godot_mp_tree);
    message_lines lines = { .label = { .text = NULL } };
    const char *line = NULL;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot MP");
    godot_mp_tree_init(tree, message, parent);
    if (tree->demand.line || godot_mp_is_tapped())
        line = begin_lines(message, &lines);
    godot_mp_findings_begin(tree);
    add_events(tree, &lines);
    godot_mp_findings_end(tree);
    godot_mp_add_advice(tree);
    if (line) {
        end_lines(message, &lines);
        add_line(tree, line, lines.info.text ? lines.info_text.buffer : line);
        if (!message->place.repeated)
            godot_mp_follow(pinfo, message->tvb, line);
    }
    if (godot_mp_is_counted())
        godot_mp_tap(pinfo, godot_mp_count_of(tree), line);
}

int godot_mp_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, const godot_mp_carrier *carrier)
{
    const enet_message *enet = carrier->enet;
    if (!tvb_captured_length(tvb))
        return 0;
    godot_mp_message *message = wmem_new(pinfo->pool, godot_mp_message);
    message->pinfo = pinfo;
    message->tvb = tvb;
    message->carrier = carrier;
    message->events = NULL;
    message->event_room = 0;
    message->findings = NULL;
    describe_transport(message, enet);
    message->place = (godot_mp_place){
        .conversation = enet ? enet->conversation : NULL,
        .connection_id = enet ? enet->connection : carrier->connection,
        .ordinal = enet ? enet->ordinal : gw_packet_ordinal(pinfo, proto_godot_mp),
        .repeated = enet ? enet->repeated : carrier->repeated,
        .is_enet = enet != NULL,
        .after_gap = enet && enet->after_gap,
        .channel_count = enet ? enet->channel_count : 0,
        .record = enet ? enet->record : NULL,
        .receiver_latest = enet ? enet->receiver_latest : NULL,
    };
    godot_mp_find_place(&message->place, pinfo);
    describe_peers(message);
    if ((carrier->heuristic && is_refused(enet)) || !analyze(message))
        return 0;
    add_message(message, parent);
    godot_mp_export(message);
    return (int)tvb_captured_length(tvb);
}
