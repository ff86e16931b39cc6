/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts values by type, and documents by the value of one key.
 */
#include "internal.h"

#include <epan/proto_data.h>

#include "common/conversation.h"
#include "common/keys.h"
#include "common/spans.h"
#include "common/statistics.h"

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

bool godot_is_counted(void)
{
    return gw_stat_is_open(&gw_stat_frame_trees);
}

void godot_count(packet_info *pinfo, tvbuff_t *tvb, gw_godot_generation generation)
{
    if (!godot_is_counted() || gw_is_quoted(pinfo))
        return;
    document *one = wmem_new(pinfo->pool, document);
    one->length = tvb_captured_length(tvb);
    one->bytes = gw_bytes_of(tvb);
    one->generation = generation;
    one->next = p_get_proto_data(pinfo->pool, pinfo, proto_godot, GW_KEY_GODOT_DOCUMENTS);
    p_set_proto_data(pinfo->pool, pinfo, proto_godot, GW_KEY_GODOT_DOCUMENTS, one);
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

enum { KINDS, KIND_BYTES, TYPES, TYPE_BYTES, GROUPS };

static const char *groups[GROUPS] = {
    [TYPES] = "Values by type",
    [TYPE_BYTES] = "Bytes of values by type",
};
/* The label includes the key. */
static char kinds_title[TITLE_SIZE];
static char kind_bytes_title[TITLE_SIZE];

static const char *title(char *buffer, const char *text)
{
    char key[KEY_SIZE];
    gw_text shortened;
    gw_text_init(&shortened, key, sizeof key);
    gw_text_string(&shortened, godot_statistics_key);
    snprintf(buffer, TITLE_SIZE, "%s \"%s\"", text, key);
    return buffer;
}

void godot_init_tree(stats_tree *tree)
{
    bool has_key = godot_statistics_key && *godot_statistics_key;
    gw_stat_opened(&gw_stat_frame_trees, tree);
    groups[KINDS] = has_key ? title(kinds_title, "Documents by") : NULL;
    groups[KIND_BYTES] = has_key ? title(kind_bytes_title, "Bytes of documents by") : NULL;
}

void godot_close_tree(stats_tree *tree)
{
    gw_stat_closed(&gw_stat_frame_trees, tree);
}

static bool is_the_key(const document *one, const gw_godot_event *event)
{
    size_t length = strlen(godot_statistics_key);
    return event->role == GW_GODOT_ROLE_KEY && event->depth == 1 &&
           (event->type == GW_GODOT_STRING || event->type == GW_GODOT_STRING_NAME) && event->text.length == length &&
           !memcmp(one->bytes + event->text.offset, godot_statistics_key, length);
}

/* The value that begins at `offset`, as a literal. */
static void print_value(const document *one, uint32_t offset, char *name)
{
    const gw_godot_options options = { .generation = one->generation, .offset = offset };
    gw_text text;
    gw_text_init(&text, name, NAME_SIZE);
    gw_godot_print(&text, one->bytes, one->length, &options);
}

/* For a container, the header only: its members are separate values. */
static void count_value(stats_tree *tree, const document *one, const gw_godot_event *event)
{
    uint32_t bytes = event->header.length;
    if (event->kind != GW_OPEN)
        bytes = gw_span_end(event->padding) - event->header.offset;
    gw_stat_measure(tree, groups[TYPES], groups[TYPE_BYTES],
                    gw_godot_type_name(one->generation, (gw_godot_type)event->type), bytes);
}

static void count_document(stats_tree *tree, const document *one)
{
    const gw_godot_options options = { .generation = one->generation };
    gw_godot_reader reader;
    gw_godot_event event;
    char name[NAME_SIZE] = "without this key";
    bool follows = false; /* the value of the key */
    gw_godot_init(&reader, one->bytes, one->length, &options);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT) {
        if (event.kind == GW_CLOSE)
            continue;
        count_value(tree, one, &event);
        if (follows)
            print_value(one, event.header.offset, name);
        follows = groups[KINDS] && is_the_key(one, &event);
    }
    if (groups[KINDS])
        gw_stat_measure(tree, groups[KINDS], groups[KIND_BYTES], name, one->length);
}

uint32_t godot_count_frame(stats_tree *tree, packet_info *pinfo)
{
    const document *one = p_get_proto_data(pinfo->pool, pinfo, proto_godot, GW_KEY_GODOT_DOCUMENTS);
    uint32_t bytes = 0;
    for (; one; one = one->next) {
        count_document(tree, one);
        bytes += one->length;
    }
    return bytes;
}
