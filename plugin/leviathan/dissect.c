/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one datagram: reads it into items, facts and the Info column, analyzes it, and shows the results.
 */
#include "internal.h"

#include "common/columns.h"
#include "common/conversation.h"
#include "common/spans.h"

/* The acknowledgements and the types of a datagram's first messages: it has up to hundreds. */
#define INFO_SIZE 300

int leviathan_numbering = GW_LEVIATHAN_SINCE_2018_12_09;
int leviathan_ack_numbering = LEVIATHAN_ACKS_AUTOMATIC;

gw_leviathan_options leviathan_reader_options(void)
{
    return (gw_leviathan_options){ .revision = (gw_leviathan_revision)leviathan_numbering };
}

typedef struct leviathan_datagram {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    gw_leviathan_reader reader;
    gw_leviathan_printer printer;
    gw_demand demand;
    leviathan_tree shown;
    leviathan_facts facts;
    const leviathan_findings *findings;
} leviathan_datagram;

/* ---- columns and titles -------------------------------------------------------------------------------- */

static bool has_resend(const leviathan_findings *findings)
{
    for (uint32_t i = 0; i < findings->message_count; i++)
        if (findings->messages[i].is_resend)
            return true;
    return false;
}

static const char *prefix_of(const leviathan_findings *findings)
{
    if (!findings)
        return "";
    if (findings->is_duplicate)
        return "[Duplicate] ";
    if (has_resend(findings))
        return "[Retransmission] ";
    return findings->out_of_order ? "[Out of order] " : "";
}

static void end_line(leviathan_datagram *datagram)
{
    datagram->printer.reading =
        leviathan_find_reading(datagram->findings, (leviathan_acks_choice)leviathan_ack_numbering).reading;
    gw_leviathan_print_end(&datagram->printer, &datagram->reader);
    gw_add_fault_to_line(datagram->printer.text, datagram->pinfo, datagram->tvb, &datagram->reader.fault,
                         &gw_leviathan_faults);
}

/* The time of the first message that answers a request. */
static void add_response_time(const leviathan_datagram *datagram)
{
    const leviathan_findings *findings = datagram->findings;
    if (!findings || findings->is_duplicate)
        return;
    for (uint32_t i = 0; i < findings->message_count; i++) {
        const leviathan_sent *message = &findings->messages[i];
        if (!message->request || message->is_resend)
            continue;
        gw_columns_add_time(datagram->pinfo, &leviathan_findings_of(message->request)->time);
        return;
    }
}

static void add_line(leviathan_datagram *datagram)
{
    const char *prefix = prefix_of(datagram->findings);
    const char *line = datagram->printer.text->buffer;
    end_line(datagram);
    if (*prefix)
        gw_columns_add(datagram->pinfo, proto_leviathan,
                       wmem_strdup_printf(datagram->pinfo->pool, "%s%s", prefix, line));
    else
        gw_columns_add(datagram->pinfo, proto_leviathan, line);
    add_response_time(datagram);
    if (datagram->demand.label)
        gw_append_line(proto_tree_get_parent(datagram->tree), datagram->pinfo, proto_leviathan, prefix, line);
}

/* ---- dissecting ---------------------------------------------------------------------------------------- */

static void init_datagram(leviathan_datagram *datagram, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    gw_leviathan_options options = leviathan_reader_options();
    unsigned length = tvb_captured_length(tvb);
    *datagram =
        (leviathan_datagram){ .tvb = tvb, .pinfo = pinfo, .demand = gw_demand_of(pinfo, parent, proto_leviathan) };
    gw_leviathan_init(&datagram->reader, gw_bytes_of(tvb), length, &options);
    if (parent) {
        proto_item *item = gw_add_protocol(parent, pinfo, proto_leviathan, tvb, 0, (int)length);
        datagram->tree = proto_item_add_subtree(item, leviathan_ett.protocol);
    }
    leviathan_tree_init(&datagram->shown, pinfo, datagram->tree, &datagram->demand, tvb, &datagram->reader);
}

/* Reads up to the end or a fault. */
static void read_events(leviathan_datagram *datagram)
{
    gw_leviathan_event event;
    gw_next next;
    while ((next = gw_leviathan_next(&datagram->reader, &event)) == GW_NEXT_EVENT) {
        leviathan_facts_add(&datagram->facts, datagram->pinfo, &datagram->reader, &event);
        if (leviathan_tree_needs(&datagram->shown, &event))
            leviathan_tree_add(&datagram->shown, &event);
        if (datagram->demand.line)
            gw_leviathan_print_event(&datagram->printer, &datagram->reader, &event);
    }
    if (next == GW_NEXT_FAULT)
        leviathan_tree_add_fault(&datagram->shown);
}

void leviathan_keep_candidate(tvbuff_t *tvb, packet_info *pinfo)
{
    gw_leviathan_options options = leviathan_reader_options();
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    leviathan_facts facts = { 0 };
    gw_leviathan_init(&reader, gw_bytes_of(tvb), tvb_captured_length(tvb), &options);
    while (gw_leviathan_next(&reader, &event) == GW_NEXT_EVENT)
        leviathan_facts_add(&facts, pinfo, &reader, &event);
    leviathan_analyze(pinfo, proto_leviathan, gw_datagram_key(pinfo, tvb),
                      (leviathan_acks_choice)leviathan_ack_numbering, &facts);
}

int leviathan_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    gw_text text;
    leviathan_datagram datagram;
    leviathan_acks_choice choice = (leviathan_acks_choice)leviathan_ack_numbering;

    if (!tvb_captured_length(tvb))
        return 0;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Leviathan");
    init_datagram(&datagram, tvb, pinfo, parent);
    gw_text_init(&text, wmem_alloc(pinfo->pool, INFO_SIZE), INFO_SIZE);
    gw_leviathan_printer_init(&datagram.printer, &text, NULL);
    read_events(&datagram);
    datagram.findings = leviathan_analyze(pinfo, proto_leviathan, gw_datagram_key(pinfo, tvb), choice, &datagram.facts);
    leviathan_findings_add(&datagram.shown, &datagram.facts, datagram.findings, choice);
    leviathan_tap(pinfo, &datagram.facts, datagram.findings);
    if (datagram.demand.line)
        add_line(&datagram);
    return (int)tvb_captured_length(tvb);
}
