/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one datagram: reads it into items, facts and the Info column, analyzes it, and shows the results.
 */
#include "internal.h"

#include "common/columns.h"
#include "common/conversation.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/json.h"

/* The acknowledgements and the types of a datagram's first messages: it has up to hundreds. */
#define INFO_SIZE 300

#define REQUEST_HEADER 7 /* bytes: no message is shorter */

int leviathan_numbering = GW_LEVIATHAN_SINCE_2018_12_09;
int leviathan_ack_numbering = LEVIATHAN_ACKS_AUTOMATIC;

typedef struct leviathan_datagram {
    tvbuff_t *tvb;
    packet_info *pinfo;
    gw_leviathan_reader reader;
    gw_leviathan_printer printer;
    leviathan_facts facts;
    const leviathan_findings *findings; /* NULL: not analyzed */
    unsigned first_finding;             /* in the packet */
} leviathan_datagram;

/* ---- facts --------------------------------------------------------------------------------------------- */

/* Adds an event to the facts; called for each event, in order. */
static void add_to_facts(leviathan_facts *facts, packet_info *pinfo, const gw_leviathan_reader *reader,
                         const gw_leviathan_event *event)
{
    const uint8_t *payload = reader->bytes + event->payload.offset;
    const gw_leviathan_message *header = &reader->message;
    switch (event->role) {
    case GW_LEVIATHAN_ROLE_PACKET:
    case GW_LEVIATHAN_ROLE_ACK_ONLY:
        if (event->kind == GW_OPEN && !event->index) {
            facts->is_packet = true;
            facts->ack_only = event->role == GW_LEVIATHAN_ROLE_ACK_ONLY;
        }
        if (event->kind == GW_CLOSE && event->role == GW_LEVIATHAN_ROLE_PACKET)
            facts->content = wmem_strong_hash(payload, event->payload.length);
        break;
    case GW_LEVIATHAN_ROLE_PACKET_ID:
        facts->packet_id = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_ROLE_START_ACK:
        facts->start_ack = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_ROLE_ACK_ONLY_IDS:
    case GW_LEVIATHAN_ROLE_PACKED_ACKS:
        if (event->role == GW_LEVIATHAN_ROLE_ACK_ONLY_IDS && (!facts->ack_only || facts->acks))
            break; /* a block after the packet, which the engine ignores */
        facts->acks = payload;
        facts->acks_offset = event->payload.offset;
        facts->acks_length = event->payload.length;
        break;
    case GW_LEVIATHAN_ROLE_MESSAGE_COUNT: {
        /* As many as are declared and fit into the datagram. */
        uint32_t most = MIN((uint32_t)event->number, (reader->length - reader->offset) / REQUEST_HEADER);
        facts->messages = wmem_alloc0_array(pinfo->pool, leviathan_message_facts, most);
        break;
    }
    case GW_LEVIATHAN_ROLE_REQUEST_TYPE:
    case GW_LEVIATHAN_ROLE_RESPONSE_TO: /* the last part of the header of a request, and of a response */
        if (!facts->messages)
            break; /* the reader gives the count first */
        facts->messages[facts->message_count++] =
            (leviathan_message_facts){ header->number, header->response_to, .kind = header->kind,
                                       .type = header->type };
        break;
    case GW_LEVIATHAN_ROLE_MESSAGE:
        if (event->kind == GW_CLOSE && facts->message_count) {
            leviathan_message_facts *message = &facts->messages[facts->message_count - 1];
            message->length = event->payload.length;
            message->content = wmem_strong_hash(payload, message->length);
        }
        break;
    default:
        break;
    }
}

void leviathan_keep_candidate(tvbuff_t *tvb, packet_info *pinfo)
{
    gw_leviathan_options options = leviathan_reader_options();
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    leviathan_facts facts = { 0 };
    gw_leviathan_init(&reader, gw_bytes_of(tvb), tvb_captured_length(tvb), &options);
    while (gw_leviathan_next(&reader, &event) == GW_NEXT_EVENT)
        add_to_facts(&facts, pinfo, &reader, &event);
    leviathan_analyze(pinfo, proto_leviathan, gw_datagram_key(pinfo, tvb),
                      (leviathan_acks_choice)leviathan_ack_numbering, &facts);
}

/* ---- columns and titles -------------------------------------------------------------------------------- */

/* `tree`: the protocol's subtree, if its label is used; else NULL. */
static void add_line(leviathan_datagram *datagram, proto_tree *tree)
{
    packet_info *pinfo = datagram->pinfo;
    const leviathan_findings *findings = datagram->findings;
    const char *words = gw_finding_words(pinfo, datagram->first_finding);
    const char *line = datagram->printer.text->buffer;
    datagram->printer.reading =
        leviathan_find_reading(findings, (leviathan_acks_choice)leviathan_ack_numbering).reading;
    gw_leviathan_print_end(&datagram->printer, &datagram->reader);
    gw_add_fault_to_line(datagram->printer.text, pinfo, datagram->tvb, &datagram->reader.fault, &gw_leviathan_faults);
    gw_columns_add(pinfo, proto_leviathan, words, line);
    if (tree)
        gw_append_line(proto_tree_get_parent(tree), pinfo, proto_leviathan, words, line);
    if (!findings || findings->is_duplicate)
        return;
    /* The time of the first message that answers a request. */
    for (uint32_t i = 0; i < findings->message_count; i++) {
        const leviathan_sent *message = &findings->messages[i];
        if (!message->request || message->is_resend)
            continue;
        gw_columns_add_time(pinfo, &leviathan_findings_of(message->request)->time);
        return;
    }
}

/* ---- dissecting ---------------------------------------------------------------------------------------- */

int leviathan_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    const leviathan_acks_choice choice = (leviathan_acks_choice)leviathan_ack_numbering;
    const gw_leviathan_options options = leviathan_reader_options();
    const int length = (int)tvb_captured_length(tvb);
    if (!length)
        return 0;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Leviathan");

    /* 1. The parts that are needed: items, a label, a line. */
    gw_demand demand = gw_demand_of(pinfo, parent, proto_leviathan);
    leviathan_datagram datagram = { .tvb = tvb, .pinfo = pinfo, .first_finding = gw_count_findings(pinfo) };
    proto_tree *tree = NULL;
    leviathan_tree items;
    leviathan_json *json = NULL;
    gw_text line;
    if (parent)
        tree = proto_item_add_subtree(gw_add_protocol(parent, pinfo, proto_leviathan, tvb, 0, length),
                                      leviathan_ett.protocol);
    gw_leviathan_init(&datagram.reader, gw_bytes_of(tvb), (size_t)length, &options);
    leviathan_tree_init(&items, pinfo, tree, &demand, tvb, &datagram.reader);
    gw_text_init(&line, wmem_alloc(pinfo->pool, INFO_SIZE), INFO_SIZE);
    gw_leviathan_printer_init(&datagram.printer, &line, NULL);
    if (gw_json_is_wanted(pinfo, tree, leviathan_hf.json))
        json = leviathan_json_new(pinfo, tvb, &datagram.reader);

    /* 2. The events, up to the end or a fault. */
    gw_leviathan_event event;
    gw_next next;
    while ((next = gw_leviathan_next(&datagram.reader, &event)) == GW_NEXT_EVENT) {
        add_to_facts(&datagram.facts, pinfo, &datagram.reader, &event);
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
    leviathan_tap(pinfo, &datagram.facts, datagram.findings);
    if (demand.line)
        add_line(&datagram, demand.label ? tree : NULL);
    return length;
}
