/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts values by type, and documents by the value of one key.
 */
#include "internal.h"

#include <epan/proto_data.h>

#include "common/conversation.h"
#include "common/items.h"
#include "common/keys.h"
#include "common/menus/statistics.h"

#define NAME_SIZE  60
#define TITLE_SIZE 80
#define KEY_SIZE   41

const char *godot_statistics_key = "cmd";

/* Its bytes are valid until the taps were called. */
typedef struct document {
    const uint8_t *bytes;
    uint32_t length;
    gw_godot_generation generation;
    struct document *next; /* another document of the same frame */
} document;

/* While a statistics tree is open: adds the document to those of its frame. */
void godot_count(packet_info *pinfo, tvbuff_t *tvb, gw_godot_generation generation)
{
    /* Only open statistics count; a datagram that an ICMP error quotes is not traffic. */
    if (!gw_stat_is_open(&gw_stat_frame_trees) || gw_is_quoted(pinfo))
        return;
    /* The list of the frame's documents begins with the latest one. */
    document *latest = wmem_new(pinfo->pool, document);
    *latest = (document){ gw_bytes_of(tvb), tvb_captured_length(tvb), generation,
                          p_get_proto_data(pinfo->pool, pinfo, proto_godot, GW_KEY_GODOT_DOCUMENTS) };
    p_set_proto_data(pinfo->pool, pinfo, proto_godot, GW_KEY_GODOT_DOCUMENTS, latest);
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

/* Counts each value of a document, and the document by its value of the key in the preference, if there is one. */
static void count_document(stats_tree *tree, const document *counted)
{
    gw_godot_options options = { .generation = counted->generation };
    size_t key_length = godot_statistics_key ? strlen(godot_statistics_key) : 0;
    gw_godot_reader reader;
    gw_godot_event event;
    char value_of_key[NAME_SIZE] = "without this key";
    bool is_after_key = false;
    gw_godot_init(&reader, counted->bytes, counted->length, &options);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT) {
        if (event.kind == GW_CLOSE)
            continue;
        /* Of a container, only the header is counted: its members are separate values. */
        uint32_t bytes = event.header.length;
        if (event.kind != GW_OPEN)
            bytes = gw_span_end(event.padding) - event.header.offset;
        gw_stat_measure(tree, "Values by type", "Bytes of values by type",
                        gw_godot_type_name(counted->generation, (gw_godot_type)event.type), bytes);
        if (is_after_key) {
            gw_text text;
            gw_text_init(&text, value_of_key, sizeof value_of_key);
            options.offset = event.header.offset;
            gw_godot_print(&text, counted->bytes, counted->length, &options);
        }
        /* The next event is the value of the key, if this is the key in the outermost dictionary. */
        is_after_key = key_length && event.role == GW_GODOT_ROLE_KEY && event.depth == 1 &&
                       (event.type == GW_GODOT_STRING || event.type == GW_GODOT_STRING_NAME) &&
                       event.text.length == key_length &&
                       !memcmp(counted->bytes + event.text.offset, godot_statistics_key, key_length);
    }
    if (!key_length)
        return;
    /* The titles of the two groups name the key. */
    char key[KEY_SIZE], counts[TITLE_SIZE], totals[TITLE_SIZE];
    gw_text shortened;
    gw_text_init(&shortened, key, sizeof key);
    gw_text_string(&shortened, godot_statistics_key);
    snprintf(counts, sizeof counts, "Documents by \"%s\"", key);
    snprintf(totals, sizeof totals, "Bytes of documents by \"%s\"", key);
    gw_stat_measure(tree, counts, totals, value_of_key, counted->length);
}

/* Counts the documents of the frame in the tree; returns the sum of their bytes. */
uint32_t godot_count_frame(stats_tree *tree, packet_info *pinfo)
{
    const document *counted = p_get_proto_data(pinfo->pool, pinfo, proto_godot, GW_KEY_GODOT_DOCUMENTS);
    uint32_t bytes = 0;
    for (; counted; counted = counted->next) {
        count_document(tree, counted);
        bytes += counted->length;
    }
    return bytes;
}
