/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Leviathan engine's UDP protocol.
 *
 * leviathan-tree.c shows what a datagram holds, leviathan-analysis.c knows what happened before and after it,
 * leviathan-findings.c shows that, leviathan-statistics.c counts, leviathan-fields.c names the fields.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/conversation.h>
#include <epan/prefs.h>

#include "common/fault.h"
#include "leviathan-analysis.h"
#include "leviathan-fields.h"
#include "leviathan-statistics.h"
#include "leviathan-tree.h"

#define INFO_SIZE 300

static int proto_leviathan = -1;
static dissector_handle_t leviathan_handle;

static int numbering = GW_LEVIATHAN_SINCE_2018_12_09;
static int ack_numbering = LEVIATHAN_ACKS_AUTOMATIC;

static gw_leviathan_options reader_options(void)
{
    return (gw_leviathan_options){ (gw_leviathan_numbering)numbering };
}

/* ---- columns and titles -------------------------------------------------------------------------------- */

static bool has_resend(const leviathan_datagram *datagram)
{
    for (uint32_t i = 0; i < datagram->facts.message_count; i++)
        if (datagram->messages[i].findings.first_send)
            return true;
    return false;
}

static const char *prefix_of(const leviathan_datagram *datagram)
{
    if (datagram->findings.duplicate_of)
        return "[Duplicate] ";
    if (has_resend(datagram))
        return "[Retransmission] ";
    return datagram->findings.out_of_order ? "[Out of order] " : "";
}

static void end_line(leviathan_datagram *datagram, gw_leviathan_printer *printer)
{
    const gw_fault *fault = &datagram->reader.fault;
    gw_leviathan_print_end(printer, &datagram->reader);
    if (fault->fault_class == GW_FAULT_NONE || gw_fault_is_capture_cut(datagram->tvb, fault))
        return;
    gw_text_string(printer->text, printer->text->length ? " [" : "[");
    gw_text_string(printer->text, gw_leviathan_fault_text(fault->code));
    gw_text_char(printer->text, ']');
}

static void show_line(const leviathan_datagram *datagram, const char *line)
{
    const char *prefix = prefix_of(datagram);
    col_add_fstr(datagram->pinfo->cinfo, COL_INFO, "%s%s", prefix, line);
    if (leviathan_is_visible(datagram->trees[0]))
        proto_item_append_text(proto_tree_get_parent(datagram->trees[0]), ", %s%s", prefix, line);
}

/* ---- dissecting ---------------------------------------------------------------------------------------- */

/* In the packet's memory: the statistics get it when dissection is over. */
static leviathan_datagram *new_datagram(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    leviathan_datagram *datagram = wmem_new0(pinfo->pool, leviathan_datagram);
    gw_leviathan_options options = reader_options();
    unsigned length = tvb_captured_length(tvb);
    datagram->tvb = tvb;
    datagram->pinfo = pinfo;
    gw_leviathan_init(&datagram->reader, tvb_get_ptr(tvb, 0, (int)length), length, &options);
    if (parent) {
        proto_item *item = proto_tree_add_item(parent, proto_leviathan, tvb, 0, (int)length, ENC_NA);
        datagram->trees[0] = proto_item_add_subtree(item, leviathan_ett.protocol);
    }
    return datagram;
}

/* Reads to the end or to a fault; the printer sees every event, but only if somebody wants its line. */
static void read_events(leviathan_datagram *datagram, gw_leviathan_printer *printer)
{
    gw_leviathan_event event;
    gw_next next;
    while ((next = leviathan_show_next(datagram, &event)) == GW_NEXT_EVENT)
        if (printer)
            gw_leviathan_print_event(printer, &datagram->reader, &event);
    if (next == GW_NEXT_FAULT)
        leviathan_show_fault(datagram);
}

static int dissect_leviathan(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    char line[INFO_SIZE];
    gw_text text;
    gw_leviathan_printer printer;
    leviathan_place place = { .session = NULL };

    if (!tvb_captured_length(tvb))
        return 0;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Leviathan");
    col_clear(pinfo->cinfo, COL_INFO);
    leviathan_datagram *datagram = new_datagram(tvb, pinfo, parent);
    bool wants_line = col_get_writable(pinfo->cinfo, COL_INFO) || leviathan_is_visible(datagram->trees[0]);
    gw_text_init(&text, line, sizeof line);
    gw_leviathan_printer_init(&printer, &text, GW_LEVIATHAN_ACKS_AS_ENGINE);
    read_events(datagram, wants_line ? &printer : NULL);
    if (leviathan_is_packet(datagram)) {
        leviathan_analyse(&place, pinfo, proto_leviathan, (leviathan_numbering_choice)ack_numbering, &datagram->facts);
        leviathan_show_findings(datagram, &place);
    }
    leviathan_count(datagram);
    if (wants_line) {
        printer.reading = leviathan_find_numbering(&place).reading;
        end_line(datagram, &printer);
        show_line(datagram, line);
    }
    return (int)tvb_captured_length(tvb);
}

/* The tests and their odds: gw_leviathan_recognise(). Nothing is kept until it says yes. */
static ws_bool dissect_leviathan_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    unsigned captured = tvb_captured_length(tvb);
    gw_leviathan_options options = reader_options();
    if (!captured ||
        !gw_leviathan_recognise(tvb_get_ptr(tvb, 0, (int)captured), captured, tvb_reported_length(tvb), &options))
        return FALSE;
    conversation_set_dissector(find_or_create_conversation(pinfo), leviathan_handle);
    dissect_leviathan(tvb, pinfo, tree, data);
    return TRUE;
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
    leviathan_name_types((gw_leviathan_numbering)numbering);
}

static void register_preferences(void)
{
    module_t *module = prefs_register_protocol(proto_leviathan, apply_preferences);
    prefs_register_enum_preference(module, "numbering", "Engine's date",
                                   "The numbers of request and response types changed with time, while the engine's "
                                   "version stayed 0.8.0.0",
                                   &numbering, numberings, FALSE);
    prefs_register_enum_preference(module, "ack_numbering", "Ack numbering",
                                   "Which packet an ack bit stands for: the engine and its documentation differ",
                                   &ack_numbering, ack_numberings, FALSE);
}

void proto_register_leviathan(void)
{
    proto_leviathan = proto_register_protocol("Leviathan engine", "Leviathan", "leviathan");
    leviathan_handle = register_dissector("leviathan", dissect_leviathan, proto_leviathan);
    leviathan_register_fields(proto_leviathan);
    leviathan_register_response_times(proto_leviathan);
    register_preferences();
}

void proto_reg_handoff_leviathan(void)
{
    heur_dissector_add("udp", dissect_leviathan_heuristic, "Leviathan over UDP", "leviathan_udp", proto_leviathan,
                       HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("udp.port", "", leviathan_handle);
}
