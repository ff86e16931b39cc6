/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The messages of a datagram as JSON, from its events and findings.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/display/json_message.h"
#include "common/findings.h"
#include "common/items.h"

/* A message whose header may be incomplete. */
typedef struct message_json {
    gw_json_fields *fields;
    bool has_number; /* the members of the header that were read */
    bool has_type;
    bool is_response;            /* the number of its request was read */
    gw_leviathan_message header; /* the kind, and the members up to the last one that was read */
} message_json;

struct leviathan_json {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const gw_leviathan_reader *reader;
    wmem_array_t *messages;    /* message_json */
    message_json *message;     /* that is read; NULL: none */
    gw_json_fields *component; /* that is read; NULL: none */
};

/* Starts the messages of a datagram; the events fill them. */
leviathan_json *leviathan_json_new(packet_info *pinfo, tvbuff_t *tvb, const gw_leviathan_reader *reader)
{
    leviathan_json *json = wmem_new(pinfo->pool, leviathan_json);
    *json = (leviathan_json){ .pinfo = pinfo, .tvb = tvb, .reader = reader };
    json->messages = wmem_array_new(pinfo->pool, sizeof(message_json));
    return json;
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

/* Writes a text of the packet as the value. Wireshark's texts end at the first NUL: the parts between NULs are converted
 * one by one, and joined with the NULs. */
static void add_text(const leviathan_json *json, gw_json *value, gw_span span)
{
    wmem_allocator_t *pool = json->pinfo->pool;
    wmem_strbuf_t *text = wmem_strbuf_new(pool, "");
    int at = (int)span.offset, end = (int)gw_span_end(span);
    for (;;) {
        int nul = gw_find_byte(json->tvb, at, end - at, 0);
        const gw_span part = { (uint32_t)at, (uint32_t)((nul < 0 ? end : nul) - at) };
        wmem_strbuf_append(text, gw_field_text(pool, gw_text_of(pool, json->tvb, part)));
        if (nul < 0)
            break;
        wmem_strbuf_append_len(text, "", 1);
        at = nul + 1;
    }
    gw_json_string_bytes(value, (const uint8_t *)wmem_strbuf_get_str(text), wmem_strbuf_get_len(text));
}

/* Adds the value of a field under the field's filter name; bytes as hexadecimal digits. A nested packet, which has a
 * length before its bytes, also adds this length. */
static void add_field(const leviathan_json *json, gw_json_fields *fields, const gw_leviathan_event *event)
{
    if (event->type == GW_LEVIATHAN_FLOAT3 || event->type == GW_LEVIATHAN_FLOAT4) {
        /* A vector has a field for each of its numbers. */
        const int *hfs = event->role == GW_LEVIATHAN_ROLE_POSITION      ? leviathan_hf.position
                         : event->role == GW_LEVIATHAN_ROLE_ORIENTATION ? leviathan_hf.orientation
                                                                        : leviathan_hf.sizes;
        for (uint32_t i = 0; i < event->payload.length / 4; i++)
            gw_json_real(gw_json_field(fields, hfs[i]),
                         gw_float_to_double(gw_leviathan_float_at(json->reader->bytes, event, i)));
        return;
    }
    gw_json *value = gw_json_field(fields, leviathan_hf.wire[event->role]);
    switch (event->type) {
    case GW_LEVIATHAN_BOOL:
        gw_json_bool(value, event->number != 0);
        break;
    case GW_LEVIATHAN_U64:
        gw_json_uint(value, (uint64_t)event->number);
        break;
    case GW_LEVIATHAN_U8:
    case GW_LEVIATHAN_U16:
    case GW_LEVIATHAN_U32:
    case GW_LEVIATHAN_I32:
        gw_json_int(value, event->number);
        break;
    case GW_LEVIATHAN_STRING:
        add_text(json, value, event->payload);
        break;
    default:
        gw_json_hex(value, json->reader->bytes + event->payload.offset, event->payload.length);
        break;
    }
    if (event->type == GW_LEVIATHAN_NESTED || event->type == GW_LEVIATHAN_STATES ||
        event->type == GW_LEVIATHAN_COMPONENTS)
        gw_json_uint(gw_json_field(fields, leviathan_hf.nested_size), event->payload.length);
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* Adds the fields of the component that ends to its message, as one object. */
static void close_component(leviathan_json *json)
{
    gw_json_fields_end(gw_json_field(json->message->fields, leviathan_hf.component), json->component);
    json->component = NULL;
}

/* Adds one event: begins or ends a message or a component, or adds a field to the innermost of the two. Events outside of
 * messages add nothing. The header is copied after each of its members, since the reader has that of the next message
 * later. */
void leviathan_json_add(leviathan_json *json, const gw_leviathan_event *event)
{
    bool is_open = event->kind == GW_OPEN;
    if (event->role == GW_LEVIATHAN_ROLE_MESSAGE && is_open) {
        const message_json opened = { .fields = gw_json_fields_new(json->pinfo->pool),
                                      .header = json->reader->message };
        wmem_array_append_one(json->messages, opened);
        json->message = wmem_array_index(json->messages, wmem_array_get_count(json->messages) - 1);
    }
    message_json *message = json->message;
    if (!message)
        return;
    switch (event->role) {
    case GW_LEVIATHAN_ROLE_MESSAGE:
        json->message = is_open ? message : NULL;
        return;
    case GW_LEVIATHAN_ROLE_COMPONENT:
        if (is_open)
            json->component = gw_json_fields_new(json->pinfo->pool);
        else
            close_component(json);
        return;
    case GW_LEVIATHAN_ROLE_MESSAGE_KIND: /* the role of the type below also shows it */
        return;
    case GW_LEVIATHAN_ROLE_MESSAGE_NUMBER:
        message->has_number = true;
        break;
    case GW_LEVIATHAN_ROLE_REQUEST_TYPE:
    case GW_LEVIATHAN_ROLE_RESPONSE_TYPE:
        message->has_type = true;
        break;
    case GW_LEVIATHAN_ROLE_RESPONSE_TO:
        message->is_response = true;
        break;
    default:
        if (event->kind != GW_CLOSE)
            add_field(json, json->component ? json->component : message->fields, event);
        return;
    }
    /* One more member of the header was read. */
    message->header = json->reader->message;
}

/* ---- messages -------------------------------------------------------------------------------------------- */

/* Adds the line of the message with this index in the datagram: header, relations, fields, and the packet's findings,
 * of which `first_finding` is the first, as notes. Members of the header that were not read are left out. A message
 * whose header was not read completely is not analyzed and has no relations (`sent` is NULL). "unanswered" needs a
 * later pass: on the first one, the response may be in a later frame. */
static void add_json(const leviathan_json *json, proto_tree *tree, const leviathan_facts *facts,
                     const leviathan_findings *findings, uint32_t index, unsigned first_finding)
{
    const message_json *message = wmem_array_index(json->messages, index);
    const gw_leviathan_message *header = &message->header;
    const leviathan_sent *sent = findings && index < findings->message_count ? &findings->messages[index] : NULL;
    const gw_json_head head = { .protocol = "leviathan",
                                .kind = header->kind == GW_LEVIATHAN_REQUEST ? "request" : "response" };
    gw_json text;
    gw_json_begin(&text, json->pinfo, &head);
    if (message->has_type) {
        gw_json_add_string(&text, "type",
                           header->type ? header->type->name
                                        : wmem_strdup_printf(json->pinfo->pool, "%u", header->wire_type));
        gw_json_add_uint(&text, "type_number", header->wire_type);
    }
    if (message->has_number)
        gw_json_add_uint(&text, "number", header->number);
    gw_json_add_uint(&text, "packet_id", facts->packet_id);
    if (message->is_response)
        gw_json_add_uint(&text, "response_to", header->response_to);
    if (sent) {
        const leviathan_sent *first_send = leviathan_find_first_send(findings, index, header->number);
        const leviathan_sent *request = leviathan_find_request(findings, index, header->response_to);
        const bool is_unanswered = sent->kind == GW_LEVIATHAN_REQUEST && !first_send->response;
        if (request && !sent->is_resend && !findings->is_duplicate) {
            const nstime_t response_time = gw_time_of(findings->time - leviathan_findings_of(request)->time);
            gw_json_add_time(&text, "response_time", &response_time);
        }
        gw_json_add_true(&text, "unanswered", is_unanswered && gw_is_later_pass(json->pinfo));
        gw_json_add_true(&text, "resent", sent->is_resend && !findings->is_duplicate);
        gw_json_add_true(&text, "duplicate", findings->is_duplicate);
    }
    gw_json_name(&text, "fields");
    gw_json_fields_end(&text, message->fields);
    gw_json_add_notes(&text, json->pinfo, first_finding, gw_count_findings(json->pinfo));
    gw_json_end(&text, tree, leviathan_hf.json);
}

/* After the last event: ends a message in which reading stopped, and adds the lines of all. */
void leviathan_json_end(leviathan_json *json, proto_tree *tree, const leviathan_facts *facts,
                        const leviathan_findings *findings, unsigned first_finding)
{
    if (json->message) {
        /* Reading stopped in this message: its remaining bytes are a field of it. */
        uint32_t length = tvb_captured_length(json->tvb), offset = MIN(json->reader->fault.offset, length);
        gw_json_fields *fields = json->component ? json->component : json->message->fields;
        if (offset < length)
            gw_json_hex(gw_json_field(fields, leviathan_hf.undecoded), json->reader->bytes + offset, length - offset);
        if (json->component)
            close_component(json);
    }
    for (uint32_t i = 0; i < wmem_array_get_count(json->messages); i++)
        add_json(json, tree, facts, findings, i, first_finding);
}
