/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A message as a line of JSON: the members that the messages of all protocols have.
 */
#include "common/display/json_message.h"

#include <epan/proto_data.h>
#include <epan/to_str.h>
#include <gamewire/text.h>

#include "common/conversation.h"
#include "common/display/demand.h"
#include "common/findings.h"
#include "common/keys.h"

#define FIRST_FIELDS 16

/* ---- other fields of a message ---------------------------------------------------------------------------- */

typedef struct field_values {
    const char *name;
    gw_json values; /* with commas between them */
    uint32_t count;
} field_values;

struct gw_json_fields {
    wmem_allocator_t *pool;
    wmem_array_t *fields; /* field_values */
};

/* An empty object of fields, in the pool. */
gw_json_fields *gw_json_fields_new(wmem_allocator_t *pool)
{
    gw_json_fields *fields = wmem_new(pool, gw_json_fields);
    fields->pool = pool;
    fields->fields = wmem_array_sized_new(pool, sizeof(field_values), FIRST_FIELDS);
    return fields;
}

bool gw_json_fields_are_empty(const gw_json_fields *fields)
{
    return !wmem_array_get_count(fields->fields);
}

/* The text to which the next value of this field is to be written, after the values that the field has already; valid
 * until the next call, which may move the array. A message has few different fields, each of them perhaps often: they
 * are searched one after the other. */
gw_json *gw_json_field(gw_json_fields *fields, int hf)
{
    /* A filter name is "<protocol>.<field>": the name of the protocol has no period. */
    const char *name = strchr(proto_registrar_get_abbrev(hf), '.') + 1;
    for (unsigned i = 0; i < wmem_array_get_count(fields->fields); i++) {
        field_values *field = wmem_array_index(fields->fields, i);
        if (strcmp(field->name, name) != 0)
            continue;
        field->count++;
        return &field->values;
    }
    field_values field = { .name = name, .count = 1 };
    gw_json_init(&field.values, fields->pool);
    wmem_array_append_one(fields->fields, field);
    /* The copy in the array, which is the last one. */
    return &((field_values *)wmem_array_index(fields->fields, wmem_array_get_count(fields->fields) - 1))->values;
}

/* Writes the object: each field with its value, or with an array of its values if it has several. */
void gw_json_fields_end(gw_json *json, gw_json_fields *fields)
{
    gw_json_open_object(json);
    for (unsigned i = 0; i < wmem_array_get_count(fields->fields); i++) {
        const field_values *field = wmem_array_index(fields->fields, i);
        gw_json_name(json, field->name);
        if (field->count > 1)
            gw_json_open_array(json);
        gw_json_value(json, &field->values);
        if (field->count > 1)
            gw_json_close_array(json);
    }
    gw_json_close_object(json);
}

/* ---- messages --------------------------------------------------------------------------------------------- */

/* True if the field for a message as JSON is to be added: a filter, column or option names it, `tree` (which may be NULL)
 * can have it, and the message is not quoted by an ICMP error. */
bool gw_json_is_wanted(const packet_info *pinfo, proto_tree *tree, int hf)
{
    return tree && gw_is_named(hf) && !gw_is_quoted(pinfo);
}

/* An endpoint as "192.0.2.1:7777" or "[2001:db8::1]:7777"; without the address if it is not an IP address, and
 * without the port if the packet has none. The colon is always there. */
static const char *endpoint_text(packet_info *pinfo, const address *host, uint32_t port)
{
    bool is_v6 = host->type == AT_IPv6, is_ip = is_v6 || host->type == AT_IPv4;
    bool has_port = pinfo->ptype == PT_UDP || pinfo->ptype == PT_TCP;
    const char *name = is_ip ? address_to_str(pinfo->pool, host) : "";
    const size_t size = strlen(name) + sizeof "[]:4294967295";
    gw_text text;
    gw_text_init(&text, wmem_alloc(pinfo->pool, size), size);
    /* IPv6 addresses have colons: brackets separate them from the port. */
    gw_text_string(&text, is_v6 ? "[" : "");
    gw_text_string(&text, name);
    gw_text_string(&text, is_v6 ? "]:" : ":");
    if (has_port)
        gw_text_unsigned(&text, port);
    return text.buffer;
}

/* Adds the two ends of the packet, those of its innermost network layer: in all of its messages and, of a packet without
 * messages, in the packet itself. */
void gw_json_add_ends(gw_json *json, packet_info *pinfo)
{
    gw_json_add_string(json, "source", endpoint_text(pinfo, &pinfo->net_src, pinfo->srcport));
    gw_json_add_string(json, "destination", endpoint_text(pinfo, &pinfo->net_dst, pinfo->destport));
}

/* Starts the object of a message with the members that all messages have: time, frame, protocol, kind, the two
 * endpoints and the connection; and those of its carrier, if it has one. "from" and "to" are the names that the
 * protocol has for the endpoints, such as "server", or else equal to "source" and "destination". */
void gw_json_begin(gw_json *json, packet_info *pinfo, const gw_json_head *head)
{
    const gw_json_carrier *carrier = head->carrier;
    const char *source = endpoint_text(pinfo, &pinfo->net_src, pinfo->srcport);
    const char *destination = endpoint_text(pinfo, &pinfo->net_dst, pinfo->destport);
    unsigned stream;
    gw_json_init(json, pinfo->pool);
    json->pinfo = pinfo;
    gw_json_open_object(json);
    gw_json_add_time(json, "time", &pinfo->abs_ts);
    gw_json_add_uint(json, "frame", pinfo->num);
    gw_json_add_string(json, "protocol", head->protocol);
    gw_json_add_string(json, "kind", head->kind);
    gw_json_add_string(json, "from", head->from ? head->from : source);
    gw_json_add_string(json, "to", head->to ? head->to : destination);
    gw_json_add_string(json, "source", source);
    gw_json_add_string(json, "destination", destination);
    /* The number of the connection: the protocol's own, else the carrier's, else that of the TCP or UDP stream. */
    if (head->connection)
        gw_json_add_uint(json, "connection", *head->connection);
    else if (carrier && carrier->has_connection)
        gw_json_add_uint(json, "connection", carrier->connection);
    else if (gw_find_stream(pinfo, &stream))
        gw_json_add_uint(json, "connection", stream);
    if (!carrier)
        return;
    gw_json_add_string(json, "delivery", carrier->delivery);
    gw_json_add_uint(json, "channel", carrier->channel);
    gw_json_add_uint(json, "bytes", carrier->bytes);
    if (carrier->fragments)
        gw_json_add_uint(json, "fragments", carrier->fragments);
    gw_json_add_true(json, "resent", carrier->is_resent);
    gw_json_add_true(json, "duplicate", carrier->is_duplicate);
}

/* Adds the filter names of a message's findings, such as "enet.analysis.gap", as array "notes": of those with the
 * numbers in the packet from `first` to `end` - 1, each name once, if they have severity Note or above. Without any,
 * nothing is added. */
void gw_json_add_notes(gw_json *json, const packet_info *pinfo, unsigned first, unsigned end)
{
    bool has_any = false;
    for (unsigned i = first; i < end; i++) {
        const gw_finding *row = gw_finding_at(pinfo, i);
        /* The first finding of the same row: only that one is listed. */
        unsigned before = first;
        while (gw_finding_at(pinfo, before) != row)
            before++;
        if (row->severity < PI_NOTE || before < i)
            continue;
        if (!has_any) {
            gw_json_name(json, "notes");
            gw_json_open_array(json);
        }
        gw_json_string(json, row->filter);
        has_any = true;
    }
    if (has_any)
        gw_json_close_array(json);
}

/* The texts (const char *) of the protocol's messages in the packet so far, in their order; NULL: none. */
wmem_array_t *gw_json_find_messages(const packet_info *pinfo, int protocol)
{
    return p_get_proto_data(pinfo->pool, (packet_info *)pinfo, protocol, GW_KEY_JSON);
}

/* Ends the object that gw_json_begin() has opened. Adds its text to the tree as generated field `hf`, and to the packet's
 * messages of the protocol of this field, which gw_json_find_messages() returns. */
void gw_json_end(gw_json *json, proto_tree *tree, int hf)
{
    packet_info *pinfo = json->pinfo;
    int protocol = proto_registrar_get_parent(hf);
    gw_json_close_object(json);
    ws_assert(!json->depth);
    const char *text = wmem_strbuf_get_str(json->text);
    wmem_array_t *messages = gw_json_find_messages(pinfo, protocol);
    if (!messages) {
        messages = wmem_array_new(pinfo->pool, sizeof(const char *));
        p_add_proto_data(pinfo->pool, pinfo, protocol, GW_KEY_JSON, messages);
    }
    wmem_array_append_one(messages, text);
    proto_item_set_generated(proto_tree_add_string(tree, hf, NULL, 0, 0, text));
}
