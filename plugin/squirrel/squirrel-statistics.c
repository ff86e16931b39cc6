/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -z squirrel,tree: how often and with how many bytes.
 */
#include "squirrel-statistics.h"

#include "protocols.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#define NAME_SIZE 200
#define COMPUTED  "(computed)"

/* ---- names --------------------------------------------------------------------------------------------- */

/* The operands that make the name come first; an argument, an environment or the value that is set ends it.
 */
static ws_bool ends_name(const gw_squirrel_event *event)
{
    return event->depth == 1 && event->kind != GW_SQUIRREL_EVENT_CLOSE &&
           (event->role == GW_SQUIRREL_ROLE_ARGUMENT || event->role == GW_SQUIRREL_ROLE_ENVIRONMENT ||
            event->role == GW_SQUIRREL_ROLE_VALUE);
}

/* Only GetRemoteValue and GetRemoteValueEx, below the command that is named, keep a name plain. */
static ws_bool is_plain_step(const gw_squirrel_event *event)
{
    switch (event->kind) {
    case GW_SQUIRREL_EVENT_OPEN:
        return !event->depth || event->tag == GW_SQUIRREL_GET || event->tag == GW_SQUIRREL_GET_EX;
    case GW_SQUIRREL_EVENT_VALUE:
        return event->tag == GW_SQUIRREL_STRING;
    default:
        return event->kind == GW_SQUIRREL_EVENT_CLOSE;
    }
}

static void append_step(gw_text *name, const uint8_t *bytes, const gw_squirrel_event *event)
{
    char quoted[NAME_SIZE];
    gw_text text;
    gw_text_init(&text, quoted, sizeof quoted);
    gw_squirrel_print_string(&text, bytes + event->payload.offset, event->payload.length);
    if (name->length)
        gw_text_char(name, '.');
    gw_text_bytes(name, quoted + 1, text.length - (text.cut ? 1 : 2));
}

const char *squirrel_name_at(wmem_allocator_t *pool, const uint8_t *bytes, uint32_t length,
                             const gw_squirrel_options *options, uint32_t offset)
{
    gw_squirrel_options here = *options;
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_text text;
    char *name = (char *)wmem_alloc(pool, NAME_SIZE);
    here.offset = offset;
    here.content = GW_SQUIRREL_CONTENT_VALUE;
    gw_text_init(&text, name, NAME_SIZE);
    gw_squirrel_init(&reader, bytes, length, &here);
    while (!text.cut && gw_squirrel_next(&reader, &event) == GW_NEXT_EVENT && !ends_name(&event)) {
        if (!is_plain_step(&event))
            return NULL;
        if (event.kind == GW_SQUIRREL_EVENT_VALUE)
            append_step(&text, bytes, &event);
    }
    return text.length ? name : NULL;
}

/* ---- the tap ------------------------------------------------------------------------------------------- */

static squirrel_use use_of(const gw_squirrel_event *open)
{
    switch (open->tag) {
    case GW_SQUIRREL_CALL:
    case GW_SQUIRREL_CALL_EX:
        return SQUIRREL_USE_CALL;
    case GW_SQUIRREL_SET:
    case GW_SQUIRREL_SET_EX:
        return SQUIRREL_USE_SET;
    case GW_SQUIRREL_GET:
    case GW_SQUIRREL_GET_EX:
        /* As object or function it is a part of another name. */
        return open->role == GW_SQUIRREL_ROLE_OBJECT || open->role == GW_SQUIRREL_ROLE_FUNCTION ? SQUIRREL_USE_NONE
                                                                                                : SQUIRREL_USE_READ;
    default:
        return SQUIRREL_USE_NONE;
    }
}

void squirrel_tap_command(squirrel_tap *tap, packet_info *pinfo, const uint8_t *bytes, uint32_t length,
                          const gw_squirrel_options *options, const gw_squirrel_event *open)
{
    squirrel_tap_entry *entry;
    if (!gw_squirrel_is_command(gw_squirrel_type_of(open->tag)) || tap->count == SQUIRREL_TAP_COMMANDS)
        return;
    entry = &tap->commands[tap->count++];
    entry->tag = open->tag;
    entry->use = (uint8_t)use_of(open);
    entry->length = open->header.length + MIN(open->declared, length - open->payload.offset);
    entry->name = NULL;
    if (entry->use != SQUIRREL_USE_NONE)
        entry->name = squirrel_name_at(pinfo->pool, bytes, length, options, open->header.offset);
}

int squirrel_register_tap(void)
{
    return register_tap("squirrel");
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static const char frames_node[] = "Frames";
static const char commands_node[] = "Commands";
static const char bytes_node[] = "Bytes by frame";

static const char *const use_nodes[] = {
    [SQUIRREL_USE_NONE] = NULL,
    [SQUIRREL_USE_CALL] = "Functions called",
    [SQUIRREL_USE_READ] = "Values read",
    [SQUIRREL_USE_SET] = "Values set",
};

static int frames_id, commands_id, bytes_id;
static int use_ids[array_length(use_nodes)];

static void make_nodes(stats_tree *tree)
{
    frames_id = stats_tree_create_node(tree, frames_node, 0, STAT_DT_INT, TRUE);
    bytes_id = stats_tree_create_node(tree, bytes_node, 0, STAT_DT_INT, TRUE);
    commands_id = stats_tree_create_node(tree, commands_node, 0, STAT_DT_INT, TRUE);
    for (size_t i = SQUIRREL_USE_CALL; i < array_length(use_nodes); i++)
        use_ids[i] = stats_tree_create_node(tree, use_nodes[i], 0, STAT_DT_INT, TRUE);
}

/* Count, and average, least and most bytes. */
static void count(stats_tree *tree, const char *group, int group_id, const char *name, uint32_t length)
{
    avg_stat_node_add_value_int(tree, group, 0, TRUE, (int)length);
    avg_stat_node_add_value_int(tree, name, group_id, FALSE, (int)length);
}

static tap_packet_status count_frame(stats_tree *tree, packet_info *pinfo _U_, epan_dissect_t *edt _U_,
                                     const void *data, tap_flags_t flags _U_)
{
    const squirrel_tap *tap = (const squirrel_tap *)data;
    count(tree, frames_node, frames_id, tap->frame, tap->length);
    increase_stat_node(tree, bytes_node, 0, TRUE, (int)tap->length);
    increase_stat_node(tree, tap->frame, bytes_id, FALSE, (int)tap->length);
    for (unsigned i = 0; i < tap->count; i++) {
        const squirrel_tap_entry *entry = &tap->commands[i];
        count(tree, commands_node, commands_id, gw_squirrel_type_of(entry->tag)->name, entry->length);
        if (entry->use != SQUIRREL_USE_NONE)
            count(tree, use_nodes[entry->use], use_ids[entry->use], entry->name ? entry->name : COMPUTED,
                  entry->length);
    }
    return TAP_PACKET_REDRAW;
}

void register_tap_listener_squirrel(void)
{
    stats_tree_register_plugin("squirrel", "squirrel", "Squirrel" STATS_TREE_MENU_SEPARATOR "Frames and Commands", 0,
                               count_frame, make_nodes, NULL);
}
