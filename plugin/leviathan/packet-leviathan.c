/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Leviathan engine's UDP protocol: one datagram on its way, entry points, preferences and registration.
 *
 *   leviathan         by Decode As or port preference: shows every payload
 *   leviathan pinned  for recognized conversations: declines datagrams that cannot be Leviathan's
 *
 * A datagram is read into items, facts and the Info column, analyzed, and the results are shown. facts.c collects what it
 * says, analysis.c relates it to other datagrams, tree.c and findings.c add the items, statistics.c counts, fields.c registers the fields.
 */
#include "protocols.h"

#include <epan/prefs.h>
#include <epan/tap.h>

#include "common/conversation.h"
#include "common/display/columns.h"
#include "common/display/json_message.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/menus/statistics.h"
#include "common/recognition/recognition.h"
#include "internal.h"

/* The acknowledgements and the types of a datagram's first messages: it has up to hundreds. */
#define INFO_SIZE 300

static dissector_handle_t leviathan_handle;
static gw_heuristic over_udp;

/* Preferences: gw_leviathan_revision, leviathan_acks_choice. */
static int numbering = GW_LEVIATHAN_SINCE_2018_12_09;
static int ack_numbering = LEVIATHAN_ACKS_AUTOMATIC;

typedef struct leviathan_datagram {
    tvbuff_t *tvb;
    packet_info *pinfo;
    gw_leviathan_reader reader;
    gw_leviathan_printer printer;
    leviathan_facts facts;
    const leviathan_findings *findings; /* NULL: not analyzed */
    unsigned first_finding;             /* in the packet */
} leviathan_datagram;

/* The options with which the codec reads a datagram: the engine's revision, from the preferences. */
static gw_leviathan_options reader_options(void)
{
    return (gw_leviathan_options){ .revision = (gw_leviathan_revision)numbering };
}

/* ---- columns and titles -------------------------------------------------------------------------------- */

/* Completes the line of a datagram, whose messages were printed with the events, and adds it to Info, to the label of
 * the protocol's item and to Follow Stream. Ack bits are printed last, since their reading (how they are numbered) is
 * known after the analysis. `tree`: the protocol's subtree, if its label is used; else NULL. */
static void add_line(leviathan_datagram *datagram, proto_tree *tree)
{
    packet_info *pinfo = datagram->pinfo;
    const leviathan_findings *findings = datagram->findings;
    const char *words = gw_finding_words(pinfo, datagram->first_finding);
    const char *line = datagram->printer.text->buffer;
    datagram->printer.reading = leviathan_find_reading(findings, (leviathan_acks_choice)ack_numbering).reading;
    gw_leviathan_print_end(&datagram->printer, &datagram->reader);
    gw_add_fault_to_line(datagram->printer.text, pinfo, datagram->tvb, &datagram->reader.fault, &gw_leviathan_faults);
    gw_columns_add(pinfo, proto_leviathan, words, line);
    if (tree)
        gw_append_line(proto_tree_get_parent(tree), pinfo, proto_leviathan, words, line);
    /* The messages of a duplicate were followed and measured with the packet that it repeats. */
    if (!findings || findings->is_duplicate)
        return;
    if (findings->message_count)
        gw_follow_line(leviathan_follow_tap, pinfo, datagram->tvb, line);
    /* The response time of the first message that answers a request: the line has one time, and no resend has one. */
    for (uint32_t i = 0; i < findings->message_count; i++) {
        const leviathan_sent *request = leviathan_find_request(findings, i, datagram->facts.messages[i].response_to);
        if (!request || findings->messages[i].is_resend)
            continue;
        const nstime_t asked = gw_time_of(leviathan_findings_of(request)->time);
        gw_columns_add_time(pinfo, &asked);
        return;
    }
}

/* ---- dissecting ---------------------------------------------------------------------------------------- */

/* Dissects one datagram: its events into items, facts, JSON and the line; then the analysis, and what it found. Never
 * declines, except an empty datagram. */
static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    const leviathan_acks_choice choice = (leviathan_acks_choice)ack_numbering;
    const gw_leviathan_options options = reader_options();
    const int length = (int)tvb_captured_length(tvb);
    if (!length)
        return 0;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Leviathan");

    /* 1. The parts that are needed: items, a label, a line. */
    gw_demand demand = gw_demand_of(pinfo, parent, proto_leviathan);
    demand.line = demand.line || have_tap_listener(leviathan_follow_tap);
    leviathan_datagram datagram = { .tvb = tvb, .pinfo = pinfo, .first_finding = gw_count_findings(pinfo) };
    proto_tree *tree = NULL;
    leviathan_json *json = NULL;
    gw_text line;
    if (parent)
        tree = proto_item_add_subtree(gw_add_protocol(parent, pinfo, proto_leviathan, tvb, 0, length),
                                      leviathan_ett.protocol);
    gw_leviathan_init(&datagram.reader, gw_bytes_of(tvb), (size_t)length, &options);
    leviathan_tree items = {
        .tvb = tvb, .pinfo = pinfo, .reader = &datagram.reader, .demand = &demand, .protocol = tree
    };
    items.trees[0] = demand.items ? tree : NULL;
    gw_text_init(&line, wmem_alloc(pinfo->pool, INFO_SIZE), INFO_SIZE);
    gw_leviathan_printer_init(&datagram.printer, &line, NULL);
    if (gw_json_is_wanted(pinfo, tree, leviathan_hf.json))
        json = leviathan_json_new(pinfo, tvb, &datagram.reader);

    /* 2. The events, up to the end or a fault. */
    gw_leviathan_event event;
    gw_next next;
    while ((next = gw_leviathan_next(&datagram.reader, &event)) == GW_NEXT_EVENT) {
        leviathan_add_to_facts(&datagram.facts, pinfo, &datagram.reader, &event);
        leviathan_tree_add(&items, &event);
        if (json)
            leviathan_json_add(json, &event);
        if (demand.line)
            gw_leviathan_print_event(&datagram.printer, &datagram.reader, &event);
    }
    if (next == GW_NEXT_FAULT)
        gw_add_fault(pinfo, items.trees[0] ? items.trees[datagram.reader.depth] : tree, tvb, &datagram.reader.fault,
                     &leviathan_fault_display);

    /* 3. The relations to other datagrams. */
    datagram.findings = leviathan_analyze(pinfo, proto_leviathan, gw_datagram_key(pinfo, tvb), choice, &datagram.facts);
    leviathan_findings_add(&items, &datagram.facts, datagram.findings, choice);
    if (json)
        leviathan_json_end(json, tree, &datagram.facts, datagram.findings, datagram.first_finding);
    leviathan_tap(pinfo, tvb_reported_length(tvb), &datagram.facts, datagram.findings, choice);
    if (demand.line)
        add_line(&datagram, demand.label ? tree : NULL);
    return length;
}

/* ---- entry points -------------------------------------------------------------------------------------- */

/* Selected by a user: never declines. */
static int dissect_leviathan(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    return dissect(tvb, pinfo, parent);
}

/* ---- recognition --------------------------------------------------------------------------------------- */

/* Sets the datagram's evidence by the tests in codecs/leviathan/recognize.c. True: it can be a packet of the engine. */
static bool recognize(tvbuff_t *tvb, const packet_info *pinfo, gw_recognition *recognition)
{
    unsigned captured = tvb_captured_length(tvb);
    /* A fragment is not the whole datagram: one byte more than it has stands for the bytes in other fragments. */
    unsigned wire_length = tvb_reported_length(tvb) + (pinfo->fragmented ? 1 : 0);
    gw_leviathan_options options = reader_options();
    return gw_leviathan_recognize(gw_bytes_of(tvb), captured, wire_length, &options, recognition);
}

/* Analyzes a datagram that is declined on the first pass because the evidence of its conversation is not sufficient
 * yet. If a later packet completes the evidence, the second pass dissects this one, too, and the analysis writes on
 * the first pass only. */
static void keep_candidate(tvbuff_t *tvb, packet_info *pinfo)
{
    gw_leviathan_options options = reader_options();
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    leviathan_facts facts = { 0 };
    gw_leviathan_init(&reader, gw_bytes_of(tvb), tvb_captured_length(tvb), &options);
    while (gw_leviathan_next(&reader, &event) == GW_NEXT_EVENT)
        leviathan_add_to_facts(&facts, pinfo, &reader, &event);
    leviathan_analyze(pinfo, proto_leviathan, gw_datagram_key(pinfo, tvb), (leviathan_acks_choice)ack_numbering,
                      &facts);
}

/* The dissector of a recognized conversation. A datagram that cannot be a packet of the engine is declined, so that
 * other dissectors may read it. gw_damaged_count() counts the accepted datagrams: add_unread() adds a note to a
 * declined one only if nearly all were accepted before. 0: the stream's number; a UDP conversation has only one. */
static int dissect_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    gw_recognition recognition;
    if (!recognize(tvb, pinfo, &recognition))
        return 0;
    gw_damaged_count(&over_udp.damaged, pinfo, 0);
    return dissect(tvb, pinfo, tree);
}

/* For a datagram that is not Leviathan's, in a conversation of which nearly all datagrams were: offers it to the other
 * heuristics, and adds a note to it if none accepts it. True if one accepts it. */
static bool add_unread(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    bool accepted;
    if (gw_damaged_is_unread(&over_udp.damaged, tvb, pinfo, tree, data, &accepted))
        gw_add_finding_at(tree, pinfo, &leviathan_ei.unread, tvb, 0, (int)tvb_captured_length(tvb));
    return accepted;
}

/* The heuristic: dissects the datagram if its evidence, or that of its series (consecutive possible datagrams of the
 * conversation, whose evidence adds up), is sufficient: GW_RECOGNIZED_ALONE bits. 0 is the only stream of a UDP
 * conversation. From the first evidence on, the conversation is a candidate: its datagrams were passed to this function
 * before, by dissect_candidate(), and are declined here when Wireshark calls its heuristics. */
static ws_bool dissect_over_udp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    /* Most packets are of other protocols: the cheapest test first. While a series is open (the heuristic is not idle),
     * a packet that cannot be Leviathan's must end it. add_unread() can only add a note if a datagram was accepted
     * before (has_samples), and was called already if dissect_candidate() has declined this packet. */
    unsigned captured = tvb_captured_length(tvb);
    if (gw_heuristic_is_idle(&over_udp) && !gw_leviathan_may_begin(gw_bytes_of(tvb), captured))
        return gw_damaged_has_samples(&over_udp.damaged) && !gw_candidates_were_asked(pinfo) &&
               add_unread(tvb, pinfo, tree, data);
    /* dissect_candidate() has already declined this packet. */
    if (gw_candidates_were_asked(pinfo))
        return false;
    gw_recognition recognition;
    recognize(tvb, pinfo, &recognition);
    bool accepted = gw_heuristic_accepts(&over_udp, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE);
    /* On the first pass, the analysis must have all packets of the series, which may still become sufficient. */
    if (gw_is_first_pass(pinfo) && recognition.bits) {
        uint32_t series = gw_heuristic_series(&over_udp, pinfo);
        if (accepted || series)
            leviathan_keep_series(pinfo, proto_leviathan, series, accepted);
        /* A packet that is not accepted yet is analyzed if it may be accepted on the second pass. */
        if (!accepted && series)
            keep_candidate(tvb, pinfo);
    }
    if (!accepted)
        return !recognition.possible && add_unread(tvb, pinfo, tree, data);
    gw_damaged_count(&over_udp.damaged, pinfo, 0);
    dissect(tvb, pinfo, tree);
    return true;
}

/* The heuristic as a dissector, which returns the length. It is called before ports and other heuristics for UDP
 * conversations that have some evidence for one of the plugin's formats: gw_candidates_register(). */
static int dissect_candidate(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return dissect_over_udp(tvb, pinfo, tree, data) ? (int)tvb_captured_length(tvb) : 0;
}

/* ---- registration -------------------------------------------------------------------------------------- */

static const enum_val_t numberings[] = {
    { "newest", "Since 2018-12-09 (newest)", GW_LEVIATHAN_SINCE_2018_12_09 },
    { "2018-12-08", "2018-12-08", GW_LEVIATHAN_SINCE_2018_12_08 },
    { "2018-11-30", "2018-11-30 to 2018-12-07", GW_LEVIATHAN_SINCE_2018_11_30 },
    { "2018-11-18", "2018-11-18 to 2018-11-29", GW_LEVIATHAN_SINCE_2018_11_18 },
    { "2018-10-30", "2018-10-30 to 2018-11-17", GW_LEVIATHAN_SINCE_2018_10_30 },
    { "2017-04-05", "2017-04-05 to 2018-10-29", GW_LEVIATHAN_SINCE_2017_04_05 },
    { NULL, NULL, 0 },
};

static const enum_val_t ack_numberings[] = {
    { "engine", "As the engine: start ack + index", LEVIATHAN_ACKS_ENGINE },
    { "documentation", "As documented: start ack + index + 1", LEVIATHAN_ACKS_DOCUMENTATION },
    { "automatic", "Automatic: as the engine, unless the documented numbering is proven", LEVIATHAN_ACKS_AUTOMATIC },
    { NULL, NULL, 0 },
};

/* The names of types depend on the date of the engine. */
static void apply_preferences(void)
{
    leviathan_name_types((gw_leviathan_revision)numbering);
}

void proto_register_leviathan(void)
{
    proto_leviathan = proto_register_protocol("Leviathan engine", "Leviathan", "leviathan");
    leviathan_handle = register_dissector("leviathan", dissect_leviathan, proto_leviathan);
    leviathan_register_fields(proto_leviathan);
    leviathan_register_statistics(proto_leviathan);
    gw_heuristic_init(&over_udp, create_dissector_handle(dissect_pinned, proto_leviathan));
    over_udp.strict = true;     /* a packet without evidence begins no series */
    over_udp.candidates = true; /* conversations with some evidence are passed to dissect_candidate() first */
    gw_candidates_register("leviathan_udp", dissect_candidate, proto_leviathan);

    module_t *module = prefs_register_protocol(proto_leviathan, apply_preferences);
    prefs_register_enum_preference(module, "numbering", "Engine's date",
                                   "Date of the engine, which determines the numbers of request and response types: "
                                   "they changed while the engine's version stayed 0.8.0.0",
                                   &numbering, numberings, false);
    prefs_register_enum_preference(module, "ack_numbering", "Ack numbering",
                                   "Which packet an ack bit acknowledges: the engine and its documentation differ by "
                                   "one",
                                   &ack_numbering, ack_numberings, false);
}

void proto_reg_handoff_leviathan(void)
{
    heur_dissector_add("udp", dissect_over_udp, "Leviathan over UDP", "leviathan_udp", proto_leviathan,
                       HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("udp.port", "", leviathan_handle);
}
