/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Leviathan engine's UDP protocol: entry points, the read loop, columns, preferences and registration.
 *
 *   leviathan         by Decode As or port preference: shows every payload
 *   leviathan pinned  for conversations in which the heuristic has found Leviathan: declines what cannot be one
 *
 * fields.c names the fields, tree.c shows events, facts.c collects what a datagram
 * says, analysis.c knows what happened before and after it, findings.c shows that,
 * statistics.c counts.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/prefs.h>

#include "analysis.h"
#include "common/conversation.h"
#include "common/demand.h"
#include "common/fault.h"
#include "common/recognition.h"
#include "fields.h"
#include "findings.h"
#include "statistics.h"
#include "tree.h"

#define INFO_SIZE 300

static int proto_leviathan = -1;
static dissector_handle_t leviathan_handle;
static gw_heuristic heuristic;

/* Preferences. */
static int numbering = GW_LEVIATHAN_SINCE_2018_12_09;
static int ack_numbering = LEVIATHAN_ACKS_AUTOMATIC;

/* One datagram on its way from the bytes to tree, columns and taps. */
typedef struct datagram {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    gw_leviathan_reader reader;
    gw_leviathan_printer printer;
    bool wants_line;
    leviathan_tree shown;
    leviathan_facts facts;
    const leviathan_record *record;
} datagram;

static gw_leviathan_options reader_options(void)
{
    return (gw_leviathan_options){ .revision = (gw_leviathan_revision)numbering };
}

/* ---- columns and titles -------------------------------------------------------------------------------- */

static bool has_resend(const leviathan_record *record)
{
    for (uint32_t i = 0; i < record->message_count; i++)
        if (record->messages[i].is_resend)
            return true;
    return false;
}

static const char *prefix_of(const leviathan_record *record)
{
    if (!record)
        return "";
    if (record->is_duplicate)
        return "[Duplicate] ";
    if (has_resend(record))
        return "[Retransmission] ";
    return record->out_of_order ? "[Out of order] " : "";
}

static void end_line(datagram *of)
{
    const gw_fault *fault = &of->reader.fault;
    gw_text *text = of->printer.text;
    of->printer.reading = leviathan_find_reading(of->record, (leviathan_acks_choice)ack_numbering).reading;
    gw_leviathan_print_end(&of->printer, &of->reader);
    if (fault->fault_class == GW_FAULT_NONE || gw_fault_is_cut(of->pinfo, of->tvb, fault))
        return;
    gw_text_string(text, text->length ? " [" : "[");
    gw_text_string(text, gw_leviathan_fault_text(fault->code));
    gw_text_char(text, ']');
}

static void show_line(datagram *of)
{
    const char *prefix = prefix_of(of->record);
    const char *line = of->printer.text->buffer;
    end_line(of);
    if (*prefix)
        col_add_fstr(of->pinfo->cinfo, COL_INFO, "%s%s", prefix, line);
    else
        col_add_str(of->pinfo->cinfo, COL_INFO, line);
    if (gw_has_label(of->tree, proto_leviathan))
        proto_item_append_text(proto_tree_get_parent(of->tree), ", %s%s", prefix, line);
}

/* ---- dissecting ---------------------------------------------------------------------------------------- */

static void init_datagram(datagram *of, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    gw_leviathan_options options = reader_options();
    unsigned length = tvb_captured_length(tvb);
    *of = (datagram){ .tvb = tvb, .pinfo = pinfo };
    gw_leviathan_init(&of->reader, tvb_get_ptr(tvb, 0, (int)length), length, &options);
    if (parent) {
        proto_item *item = proto_tree_add_item(parent, proto_leviathan, tvb, 0, (int)length, ENC_NA);
        of->tree = proto_item_add_subtree(item, leviathan_ett.protocol);
    }
    /* A filter, column or tap that names one of the protocol's fields references the protocol as well. */
    bool wanted = proto_field_is_referenced(parent, proto_leviathan);
    leviathan_tree_init(&of->shown, pinfo, of->tree, wanted, tvb, &of->reader);
    of->wants_line = col_get_writable(pinfo->cinfo, COL_INFO) || gw_has_label(of->tree, proto_leviathan);
}

/* Reads to the end or to a fault. */
static void read_events(datagram *of)
{
    gw_leviathan_event event;
    gw_next next;
    while ((next = gw_leviathan_next(&of->reader, &event)) == GW_NEXT_EVENT) {
        leviathan_facts_add(&of->facts, of->pinfo, &of->reader, &event);
        if (leviathan_tree_needs(&of->shown, &event))
            leviathan_tree_add(&of->shown, &event);
        if (of->wants_line)
            gw_leviathan_print_event(&of->printer, &of->reader, &event);
    }
    if (next == GW_NEXT_FAULT)
        leviathan_tree_add_fault(&of->shown);
}

static int dissect_leviathan(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    char line[INFO_SIZE];
    gw_text text;
    datagram of;
    leviathan_acks_choice choice = (leviathan_acks_choice)ack_numbering;

    if (!tvb_captured_length(tvb))
        return 0;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Leviathan");
    init_datagram(&of, tvb, pinfo, parent);
    gw_text_init(&text, line, sizeof line);
    gw_leviathan_printer_init(&of.printer, &text, NULL);
    read_events(&of);
    of.record = leviathan_analyse(pinfo, proto_leviathan, gw_datagram_key(pinfo, tvb), choice, &of.facts);
    leviathan_links_add(&of.shown, &of.facts, of.record, choice);
    leviathan_tap(pinfo, &of.facts, of.record);
    if (of.wants_line)
        show_line(&of);
    return (int)tvb_captured_length(tvb);
}

/* The tests and their odds are in codecs/leviathan/recognise.c. */
static bool recognise(tvbuff_t *tvb, const packet_info *pinfo, gw_recognition *recognition)
{
    unsigned captured = tvb_captured_length(tvb);
    /* A fragment is not the whole datagram. */
    unsigned wire_length = tvb_reported_length(tvb) + (pinfo->fragmented ? 1 : 0);
    gw_leviathan_options options = reader_options();
    return gw_leviathan_recognise(tvb_get_ptr(tvb, 0, (int)captured), captured, wire_length, &options, recognition);
}

static int dissect_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    return recognise(tvb, pinfo, &recognition) ? dissect_leviathan(tvb, pinfo, tree, data) : 0;
}

static ws_bool dissect_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    /* Most packets are strangers': first what costs least. */
    unsigned captured = tvb_captured_length(tvb);
    if (gw_heuristic_is_idle(&heuristic) && !gw_leviathan_may_begin(tvb_get_ptr(tvb, 0, (int)captured), captured))
        return false;
    gw_recognition recognition;
    recognise(tvb, pinfo, &recognition);
    if (!gw_heuristic_accepts(&heuristic, pinfo, tvb, &recognition))
        return false;
    dissect_leviathan(tvb, pinfo, tree, data);
    return true;
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
    { "automatic", "Automatic: the engine's, unless the conversation proves the other", LEVIATHAN_ACKS_AUTOMATIC },
    { NULL, NULL, 0 },
};

static void apply_preferences(void)
{
    leviathan_name_types((gw_leviathan_revision)numbering);
}

static void register_preferences(void)
{
    module_t *module = prefs_register_protocol(proto_leviathan, apply_preferences);
    prefs_register_enum_preference(module, "numbering", "Engine's date",
                                   "The numbers of request and response types changed while the engine's version "
                                   "stayed 0.8.0.0",
                                   &numbering, numberings, false);
    prefs_register_enum_preference(module, "ack_numbering", "Ack numbering",
                                   "Which packet an ack bit acknowledges: the engine and its documentation differ",
                                   &ack_numbering, ack_numberings, false);
}

void proto_register_leviathan(void)
{
    proto_leviathan = proto_register_protocol("Leviathan engine", "Leviathan", "leviathan");
    leviathan_handle = register_dissector("leviathan", dissect_leviathan, proto_leviathan);
    leviathan_register_fields(proto_leviathan);
    leviathan_register_statistics(proto_leviathan);
    register_preferences();
    gw_heuristic_init(&heuristic, create_dissector_handle(dissect_pinned, proto_leviathan));
    heuristic.strict = true;
}

void proto_reg_handoff_leviathan(void)
{
    heur_dissector_add("udp", dissect_heuristic, "Leviathan over UDP", "leviathan_udp", proto_leviathan,
                       HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("udp.port", "", leviathan_handle);
    leviathan_register_statistics_tree();
}
