/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One message of the debugger: its values go into facts and items, the facts are related to the stops of the game, and its
 * findings, its line and its JSON are added.
 */
#include "internal.h"

#include <epan/proto_data.h>

#include "common/conversation.h"
#include "common/display/columns.h"
#include "common/display/experts.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/menus/statistics.h"
#include "godot/variant/generation.h"

#define LINE_SIZE 300

/* Maximum number of threads that are stopped at the same time. */
#define MOST_THREADS 16

/* The parts of one message that relate it to other messages. */
typedef struct debugger_facts {
    gw_godot_debugger_side sender; /* GW_GODOT_DEBUGGER_EITHER: not known from the message */
    gw_godot_debugger_effect effect;
    const char *name; /* of a known message; else NULL */
    int64_t thread;   /* the thread that is stopped, resumed or continued; 0 if the message has none */
    bool is_warning;  /* of an error: its severity is warning */
} debugger_facts;

/* A stop of a thread; a frame of 0 was not captured (yet). In file scope. */
typedef struct debugger_stop {
    uint32_t entered_in;
    uint32_t resumed_in;
    uint32_t exited_in;
    nstime_t entered;
    nstime_t resumed;
    nstime_t exited;
} debugger_stop;

typedef struct stopped_thread {
    int64_t thread;
    debugger_stop *stop; /* NULL: none */
} stopped_thread;

typedef struct debugger_connection {
    bool has_game;
    uint8_t game; /* its side */
    stopped_thread threads[MOST_THREADS];
} debugger_connection;

/* ---- analysis ------------------------------------------------------------------------------------------ */

/* The sender of the packet, by earlier messages, or otherwise by the editor's default port. */
static gw_godot_debugger_side find_sender(packet_info *pinfo)
{
    const debugger_connection *connection =
        (const debugger_connection *)gw_conversation_find(pinfo, proto_godot_debugger);
    if (connection && connection->has_game)
        return connection->game == gw_sender_side(pinfo) ? GW_GODOT_DEBUGGER_GAME : GW_GODOT_DEBUGGER_EDITOR;

    /* The side whose port is one of the editor's default ones, unless both sides have one. */
    bool from_editor = godot_debugger_is_port(pinfo->srcport), to_editor = godot_debugger_is_port(pinfo->destport);
    if (from_editor == to_editor)
        return GW_GODOT_DEBUGGER_EITHER;
    return from_editor ? GW_GODOT_DEBUGGER_EDITOR : GW_GODOT_DEBUGGER_GAME;
}

/* On the first pass: stores that the message begins the stop of a thread (the time that it spends in the debugger),
 * resumes the thread or ends the stop. Returns the stop; NULL: the message does none of these, or the beginning was
 * not captured. */
static debugger_stop *keep_stop(packet_info *pinfo, debugger_connection *connection, const debugger_facts *facts)
{
    stopped_thread *threads = connection->threads, *entry = NULL;
    for (unsigned i = 0; i < MOST_THREADS && !entry; i++)
        if (threads[i].stop && threads[i].thread == facts->thread)
            entry = &threads[i];
    debugger_stop *stop = entry ? entry->stop : NULL;
    switch (facts->effect) {
    case GW_GODOT_DEBUGGER_ENTERS:
        /* In the thread's entry; or in a free entry or, if all are in use, the first. */
        for (unsigned i = 0; i < MOST_THREADS && !entry; i++)
            if (!threads[i].stop)
                entry = &threads[i];
        if (!entry)
            entry = &threads[0];
        stop = wmem_new0(wmem_file_scope(), debugger_stop);
        stop->entered_in = pinfo->num;
        stop->entered = pinfo->abs_ts;
        *entry = (stopped_thread){ facts->thread, stop };
        return stop;
    case GW_GODOT_DEBUGGER_RESUMES:
        if (stop && !stop->resumed_in) {
            stop->resumed_in = pinfo->num;
            stop->resumed = pinfo->abs_ts;
        }
        return stop;
    case GW_GODOT_DEBUGGER_EXITS:
        if (stop) {
            stop->exited_in = pinfo->num;
            stop->exited = pinfo->abs_ts;
            entry->stop = NULL;
        }
        return stop;
    default:
        return NULL;
    }
}

/* Relates a message to the connection's others; call it once for each message of a frame, in their order. Returns the
 * stop that the message belongs to, or NULL; the same on every pass. */
static const debugger_stop *analyze(packet_info *pinfo, const debugger_facts *facts)
{
    unsigned ordinal = gw_packet_ordinal(pinfo, proto_godot_debugger);
    if (gw_is_later_pass(pinfo))
        return (const debugger_stop *)p_get_proto_data(wmem_file_scope(), pinfo, proto_godot_debugger, ordinal);
    if (gw_is_quoted(pinfo))
        return NULL;
    debugger_connection *connection =
        (debugger_connection *)gw_conversation_obtain(pinfo, proto_godot_debugger, sizeof *connection);
    if (!connection->has_game && facts->sender != GW_GODOT_DEBUGGER_EITHER) {
        connection->has_game = true;
        /* The side of the sender, or the other one. */
        connection->game = gw_sender_side(pinfo) ^ (facts->sender == GW_GODOT_DEBUGGER_GAME ? 0U : 1U);
    }
    debugger_stop *stop = keep_stop(pinfo, connection, facts);
    if (stop)
        p_add_proto_data(wmem_file_scope(), pinfo, proto_godot_debugger, ordinal, stop);
    return stop;
}

/* ---- findings ------------------------------------------------------------------------------------------ */

/* A stop is the time that a thread of the game spends in the debugger: it begins with the message by which the thread
 * enters it (break_in), the editor's command then resumes the thread (resumed_in), and the thread's message ends the
 * stop (continue_in). Adds links to those of these frames that are known, without the message's own, and the times from
 * the beginning to the command, unless the message ends the stop, and to the end, unless the message is the command. */
static void add_stop(const godot_debugger_tree *layer, const debugger_facts *facts, const debugger_stop *stop)
{
    const struct {
        int hf;
        uint32_t frame;
    } frames[] = { { godot_debugger_hf.break_in, stop->entered_in },
                   { godot_debugger_hf.resumed_in, stop->resumed_in },
                   { godot_debugger_hf.continue_in, stop->exited_in } };
    const struct {
        int hf;
        bool is_known;
        const nstime_t *end;
    } spans[] = { { godot_debugger_hf.until_resumed, stop->resumed_in && facts->effect != GW_GODOT_DEBUGGER_EXITS,
                    &stop->resumed },
                  { godot_debugger_hf.break_time, stop->exited_in && facts->effect != GW_GODOT_DEBUGGER_RESUMES,
                    &stop->exited } };
    proto_tree *tree = layer->trees[0];
    gw_json_fields *json = layer->json[0];
    for (size_t i = 0; i < array_length(frames); i++) {
        if (!frames[i].frame || frames[i].frame == layer->pinfo->num)
            continue;
        gw_add_frame_link(tree, frames[i].hf, frames[i].frame);
        if (json)
            gw_json_uint(gw_json_field(json, frames[i].hf), frames[i].frame);
    }
    for (size_t i = 0; i < array_length(spans); i++) {
        nstime_t time;
        if (!spans[i].is_known)
            continue;
        nstime_delta(&time, spans[i].end, &stop->entered);
        proto_item_set_generated(proto_tree_add_time(tree, spans[i].hf, NULL, 0, 0, &time));
        if (json)
            gw_json_time(gw_json_field(json, spans[i].hf), &time);
    }
}

/* Adds godot_debugger.json of a message whose values and findings are added. JSON names one of the two sides in any
 * case: an unknown sender is written as the editor. */
static void add_json(godot_debugger_tree *layer, gw_godot_debugger_side sender, const char *line,
                     unsigned first_finding)
{
    const bool is_game = sender == GW_GODOT_DEBUGGER_GAME;
    const gw_json_head head = { .protocol = "godot_debugger",
                                .kind = layer->json_name ? layer->json_name : "unknown",
                                .from = is_game ? "game" : "editor",
                                .to = is_game ? "editor" : "game" };
    gw_json text;
    gw_json_begin(&text, layer->pinfo, &head);
    gw_json_add_string(&text, "log", line);
    gw_json_close_array(&layer->json_arguments); /* opened with the message: begin_message() in tree.c */
    if (layer->json_argument_count) {
        gw_json_name(&text, "arguments");
        gw_json_value(&text, &layer->json_arguments);
    }
    if (!gw_json_fields_are_empty(layer->json[0])) {
        gw_json_name(&text, "fields");
        gw_json_fields_end(&text, layer->json[0]);
    }
    gw_json_add_notes(&text, layer->pinfo, first_finding, gw_count_findings(layer->pinfo));
    gw_json_end(&text, layer->trees[0], godot_debugger_hf.json);
}

/* Adds what follows from the whole message: its sender, generation and line, the stop that it belongs to (NULL:
 * none), its finding, if it has one, its line in the Info column, and its JSON. `first_finding`: the message's findings
 * begin at this index of the packet's. */
static void add_findings(godot_debugger_tree *layer, const debugger_facts *facts, const debugger_stop *stop,
                         const char *line, unsigned first_finding)
{
    packet_info *pinfo = layer->pinfo;
    proto_tree *tree = layer->trees[0];
    gw_godot_debugger_side sender = facts->sender == GW_GODOT_DEBUGGER_EITHER ? find_sender(pinfo) : facts->sender;
    if (tree) {
        proto_item_set_generated(proto_tree_add_uint(tree, godot_debugger_hf.sender, NULL, 0, 0, sender));
        proto_item_set_generated(
            proto_tree_add_uint(tree, godot_debugger_hf.generation, NULL, 0, 0, layer->reader->generation));
        proto_item_set_generated(proto_tree_add_string(tree, godot_debugger_hf.line, NULL, 0, 0, line));
        if (stop)
            add_stop(layer, facts, stop);
    }
    if (!facts->name)
        gw_add_finding(pinfo, layer->items[0], &godot_debugger_ei.unknown_message);
    else if (!strcmp(facts->name, "error"))
        gw_add_finding_format(pinfo, layer->items[0],
                              facts->is_warning ? &godot_debugger_ei.warning : &godot_debugger_ei.error, "%s", line);
    else if (facts->effect == GW_GODOT_DEBUGGER_ENTERS)
        gw_add_finding_format(pinfo, layer->items[0], &godot_debugger_ei.stopped, "%s", line);
    const char *words = gw_finding_words(pinfo, first_finding);
    if (tree)
        gw_append_line(layer->items[0], pinfo, proto_godot_debugger, words, line);
    gw_columns_add(pinfo, proto_godot_debugger, words, line);
    if (layer->json[0])
        add_json(layer, sender, line, first_finding);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* The options for reading messages of this form. In WebSocket (BARE) each message is one WebSocket message, so that it
 * is known to begin there. `levels`: memory for Variants that are deeply nested. */
static gw_godot_debugger_options options_of(gw_godot_debugger_form form)
{
    gw_godot_options supplied = { 0 };
    godot_generation_set_levels(&supplied);
    return (gw_godot_debugger_options){ .form = form,
                                        .is_synchronized = form == GW_GODOT_DEBUGGER_BARE,
                                        .levels = supplied.levels,
                                        .level_count = supplied.level_count };
}

/* Starts at the beginning of the tvbuff, with the options for this form of messages. */
void godot_debugger_input_init(godot_debugger_input *input, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent,
                               gw_godot_debugger_form form)
{
    *input = (godot_debugger_input){ .pinfo = pinfo,
                                     .tvb = tvb,
                                     .parent = parent,
                                     .bytes = gw_bytes_of(tvb),
                                     .length = tvb_captured_length(tvb),
                                     .variants = godot_variants_new(pinfo, tvb),
                                     .options = options_of(form) };
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "GodotDebug");
}

/* Dissects the message at the input's offset, and advances the offset to its end. If none begins there, or more
 * bytes are needed, only returns the fault and sets the number of bytes that are missing at least. */
gw_fault godot_debugger_dissect(godot_debugger_input *input)
{
    packet_info *pinfo = input->pinfo;
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    input->options.sender = find_sender(pinfo);
    gw_godot_debugger_init(&reader, input->bytes, input->length, &input->options);
    gw_fault fault = reader.fault;
    input->missing = reader.missing;
    if (fault.fault_class)
        return fault;
    unsigned first_finding = gw_count_findings(pinfo);
    godot_generation_keep(pinfo, GW_GODOT_GENERATION_BIT(reader.generation));

    /* 1. Its values, as facts and as items. */
    godot_debugger_tree *layer = wmem_new0(pinfo->pool, godot_debugger_tree);
    debugger_facts facts = { .sender = (gw_godot_debugger_side)reader.sender,
                             .effect = (gw_godot_debugger_effect)reader.effect,
                             .name = reader.known_name,
                             .thread = reader.has_thread ? reader.thread : 0 };
    layer->pinfo = pinfo;
    layer->tvb = input->tvb;
    layer->parent = input->parent;
    layer->bytes = input->bytes;
    layer->reader = &reader;
    layer->variants = input->variants;
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT) {
        if (event.role == GW_GODOT_DEBUGGER_ROLE_IS_WARNING)
            facts.is_warning = event.number != 0;
        /* In the message by which the game stops, the thread that stopped is one of the values. */
        else if (event.role == GW_GODOT_DEBUGGER_ROLE_BREAK_THREAD && event.type == GW_GODOT_INT &&
                 facts.effect == GW_GODOT_DEBUGGER_ENTERS)
            facts.thread = event.number;
        godot_debugger_tree_add(layer, &event);
    }

    /* 2. Its relation to other messages, and its line. */
    const debugger_stop *stop = analyze(pinfo, &facts);
    gw_text line;
    gw_text_init(&line, (char *)wmem_alloc(pinfo->pool, LINE_SIZE), LINE_SIZE);
    gw_godot_debugger_print(&line, input->bytes, reader.end, &input->options);
    add_findings(layer, &facts, stop, line.buffer, first_finding);
    gw_follow_line(godot_debugger_follow_tap, pinfo, input->tvb, line.buffer);
    input->options.offset = reader.end;
    return fault;
}

/* Adds the bytes from the fault's offset on as a layer of undecoded bytes, with the fault, and their JSON. */
void godot_debugger_add_fault(const godot_debugger_input *input, const gw_fault *fault)
{
    static const gw_fault_display faults = {
        .hf_undecoded = &godot_debugger_hf.undecoded,
        .experts = godot_debugger_ei.faults,
        .cut_short = &godot_debugger_ei.cut_short,
        .table = &gw_godot_debugger_faults,
    };
    /* As of a message without a known name and sender: see add_json(). */
    static const gw_json_head head = {
        .protocol = "godot_debugger", .kind = "unknown", .from = "editor", .to = "game"
    };
    gw_json json;
    proto_item *item =
        proto_tree_add_item(input->parent, proto_godot_debugger, input->tvb, (int)fault->offset, -1, ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, godot_debugger_ett);
    unsigned first_finding = gw_count_findings(input->pinfo);
    gw_add_fault(input->pinfo, tree, input->tvb, fault, &faults);
    if (!gw_json_is_wanted(input->pinfo, tree, godot_debugger_hf.json))
        return;
    gw_json_begin(&json, input->pinfo, &head);
    if (fault->offset < input->length) {
        gw_json_name(&json, "fields");
        gw_json_open_object(&json);
        gw_json_add_undecoded(&json, input->tvb, fault->offset);
        gw_json_close_object(&json);
    }
    gw_json_add_notes(&json, input->pinfo, first_finding, gw_count_findings(input->pinfo));
    gw_json_end(&json, tree, godot_debugger_hf.json);
}

/* Adds the expert info of a fault for the bytes from the input's offset up to `end`, which another layer shows. */
void godot_debugger_add_explanation(const godot_debugger_input *input, uint32_t code, uint32_t end)
{
    const char *consequence = gw_fault_consequence(&gw_godot_debugger_faults, code);
    uint32_t start = input->options.offset;
    gw_add_finding_at_format(input->parent, input->pinfo, &godot_debugger_ei.faults[code], input->tvb, (int)start,
                             (int)(end - start), "%s at offset %u%s%s", gw_fault_text(&gw_godot_debugger_faults, code),
                             start, consequence ? "; " : "", consequence ? consequence : "");
}

/* ---- recognition --------------------------------------------------------------------------------------- */

/* Sets `recognition` to the evidence of the bytes for the debugger: gw_godot_debugger_recognize() has the tests and
 * their bits. Accepted is a known name in the form of a message, with values of its types, of at least 48 bits: each
 * letter of the name counts 4, since another protocol has it there with a chance of one in sixteen. No packet of
 * other protocols in tests/strangers/streams.py is accepted. */
void godot_debugger_recognize(tvbuff_t *tvb, gw_godot_debugger_form form, gw_recognition *recognition)
{
    const gw_godot_debugger_options options = options_of(form);
    gw_godot_debugger_recognize(gw_bytes_of(tvb), tvb_captured_length(tvb), tvb_reported_length(tvb), &options,
                                recognition);
}
