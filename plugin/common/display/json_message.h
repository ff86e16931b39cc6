/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One message as one line of JSON, the value of the generated field <protocol>.json (plugin/docs/messages.md). It is
 * written only if the field is named:
 *
 *   if (gw_json_is_wanted(pinfo, tree, hf)) {
 *       const gw_json_head head = { .protocol = "leviathan", .kind = "request" };
 *       gw_json json;
 *       gw_json_begin(&json, pinfo, &head);
 *       gw_json_add_uint(&json, "number", number);
 *       gw_json_end(&json, tree, hf);
 *   }
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_JSON_MESSAGE_H
#define GAMEWIRE_PLUGIN_COMMON_JSON_MESSAGE_H

#include "common/display/json.h"

/* ---- other fields of a message ---------------------------------------------------------------------------- */

/* An object whose members are fields by their names, without the protocol's, in the order in which they occur first; a
 * field that occurs several times is a list. */
typedef struct gw_json_fields gw_json_fields;

gw_json_fields *gw_json_fields_new(wmem_allocator_t *pool);
/* Where exactly one value of the field is to be written. */
gw_json *gw_json_field(gw_json_fields *fields, int hf);
/* The object, as a value; `fields` is finished by this. */
void gw_json_fields_end(gw_json *json, gw_json_fields *fields);
bool gw_json_fields_are_empty(const gw_json_fields *fields);

/* ---- messages --------------------------------------------------------------------------------------------- */

/* How ENet, or another carrier with several messages in a packet, delivers a message. */
typedef struct gw_json_carrier {
    bool has_connection;
    uint32_t connection;
    const char *delivery;
    uint8_t channel;
    uint32_t bytes;     /* of the message */
    uint32_t fragments; /* 0: not in fragments */
    bool is_resent;
    bool is_duplicate;
} gw_json_carrier;

/* The members that all messages have. */
typedef struct gw_json_head {
    const char *protocol;
    const char *kind;
    const char *from;               /* NULL: the address and port */
    const char *to;                 /* NULL: the address and port */
    const gw_json_carrier *carrier; /* NULL: none */
    const uint32_t *connection;     /* NULL: the carrier's, or the number of the stream of TCP or UDP */
} gw_json_head;

/* True if the field is named by a filter, column or option, and `tree` may have it. An ICMP error that quotes a
 * message is no message. `tree` may be NULL. */
bool gw_json_is_wanted(const packet_info *pinfo, proto_tree *tree, int hf);

/* Adds "source" and "destination", each as "192.0.2.1:7777". */
void gw_json_add_ends(gw_json *json, packet_info *pinfo);

/* Begins the object of a message with the members of `head`. */
void gw_json_begin(gw_json *json, packet_info *pinfo, const gw_json_head *head);
/* Adds the filter names of the packet's findings from number `first` up to `end` (common/findings.h), of severity Note
 * and above, each once. */
void gw_json_add_notes(gw_json *json, const packet_info *pinfo, unsigned first, unsigned end);
/* Ends it, adds it to the tree, and keeps it in packet scope. */
void gw_json_end(gw_json *json, proto_tree *tree, int hf);
/* The messages of the protocol in the packet so far: texts (const char *) in their order; NULL: none, or none was wanted. */
wmem_array_t *gw_json_find_messages(const packet_info *pinfo, int protocol);

/* The field's entry in a table of fields. */
#define GW_JSON_FIELD(name) \
    { \
        "Message as JSON", name, FT_STRING, BASE_NONE, NULL, 0, \
            "The message as one line of JSON; only if a filter, a column or an option names this field", HFILL \
    }

#endif
