/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one datagram: reads it into items, facts and the Info column, analyzes it, and shows the results.
 */
#include "message.h"

#include "analysis.h"
#include "common/columns.h"
#include "common/conversation.h"
#include "common/fault.h"
#include "common/spans.h"
#include "fields.h"
#include "findings.h"
#include "statistics.h"
#include "tree.h"

#define INFO_SIZE 300

int leviathan_numbering = GW_LEVIATHAN_SINCE_2018_12_09;
int leviathan_ack_numbering = LEVIATHAN_ACKS_AUTOMATIC;

static int proto_leviathan = -1;

void leviathan_register_messages(int protocol)
{
    proto_leviathan = protocol;
}

gw_leviathan_options leviathan_reader_options(void)
{
    return (gw_leviathan_options){ .revision = (gw_leviathan_revision)leviathan_numbering };
}

typedef struct datagram {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    gw_leviathan_reader reader;
    gw_leviathan_printer printer;
    gw_demand demand;
    leviathan_tree shown;
    leviathan_facts facts;
    const leviathan_record *record;
} datagram;

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
    of->printer.reading = leviathan_find_reading(of->record, (leviathan_acks_choice)leviathan_ack_numbering).reading;
    gw_leviathan_print_end(&of->printer, &of->reader);
    if (fault->fault_class == GW_FAULT_NONE || gw_fault_is_cut(of->pinfo, of->tvb, fault))
        return;
    gw_text_string(text, text->length ? " [" : "[");
    gw_text_string(text, gw_leviathan_fault_text(fault->code));
    gw_text_char(text, ']');
}

/* The time of the first message that answers a request. */
static void show_response_time(const datagram *of)
{
    const leviathan_record *record = of->record;
    if (!record || record->is_duplicate)
        return;
    for (uint32_t i = 0; i < record->message_count; i++) {
        const leviathan_sent *message = &record->messages[i];
        if (!message->request || message->is_resend)
            continue;
        gw_columns_add_time(of->pinfo, &leviathan_record_of(message->request)->time);
        return;
    }
}

static void show_line(datagram *of)
{
    const char *prefix = prefix_of(of->record);
    const char *line = of->printer.text->buffer;
    end_line(of);
    if (*prefix)
        gw_columns_add(of->pinfo, proto_leviathan, wmem_strdup_printf(of->pinfo->pool, "%s%s", prefix, line));
    else
        gw_columns_add(of->pinfo, proto_leviathan, line);
    show_response_time(of);
    if (of->demand.label)
        proto_item_append_text(proto_tree_get_parent(of->tree), ", %s%s", prefix, line);
}

/* ---- dissecting ---------------------------------------------------------------------------------------- */

static void init_datagram(datagram *of, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    gw_leviathan_options options = leviathan_reader_options();
    unsigned length = tvb_captured_length(tvb);
    *of = (datagram){ .tvb = tvb, .pinfo = pinfo, .demand = gw_demand_of(pinfo, parent, proto_leviathan) };
    gw_leviathan_init(&of->reader, gw_bytes_of(tvb), length, &options);
    if (parent) {
        proto_item *item = proto_tree_add_item(parent, proto_leviathan, tvb, 0, (int)length, ENC_NA);
        of->tree = proto_item_add_subtree(item, leviathan_ett.protocol);
    }
    leviathan_tree_init(&of->shown, pinfo, of->tree, &of->demand, tvb, &of->reader);
}

/* Reads up to the end or a fault. */
static void read_events(datagram *of)
{
    gw_leviathan_event event;
    gw_next next;
    while ((next = gw_leviathan_next(&of->reader, &event)) == GW_NEXT_EVENT) {
        leviathan_facts_add(&of->facts, of->pinfo, &of->reader, &event);
        if (leviathan_tree_needs(&of->shown, &event))
            leviathan_tree_add(&of->shown, &event);
        if (of->demand.line)
            gw_leviathan_print_event(&of->printer, &of->reader, &event);
    }
    if (next == GW_NEXT_FAULT)
        leviathan_tree_add_fault(&of->shown);
}

int leviathan_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    gw_text text;
    datagram of;
    leviathan_acks_choice choice = (leviathan_acks_choice)leviathan_ack_numbering;

    if (!tvb_captured_length(tvb))
        return 0;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Leviathan");
    init_datagram(&of, tvb, pinfo, parent);
    gw_text_init(&text, wmem_alloc(pinfo->pool, INFO_SIZE), INFO_SIZE);
    gw_leviathan_printer_init(&of.printer, &text, NULL);
    read_events(&of);
    of.record = leviathan_analyze(pinfo, proto_leviathan, gw_datagram_key(pinfo, tvb), choice, &of.facts);
    leviathan_links_add(&of.shown, &of.facts, of.record, choice);
    leviathan_tap(pinfo, &of.facts, of.record);
    if (of.demand.line)
        show_line(&of);
    return (int)tvb_captured_length(tvb);
}
