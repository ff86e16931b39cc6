/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -z squirrel,tree: number and bytes of frames, commands and names.
 */
#include "squirrel-statistics.h"

#include "protocols.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#define NAME_SIZE 200
#define COMPUTED  "(computed)"

/* ---- the tap ------------------------------------------------------------------------------------------- */

static int squirrel_tap_id = -1;

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

static const char *name_of(packet_info *pinfo, const gw_squirrel_reader *reader, uint32_t offset)
{
    gw_squirrel_options here = reader->options;
    gw_text text;
    char *name = (char *)wmem_alloc(pinfo->pool, NAME_SIZE);
    here.offset = offset;
    gw_text_init(&text, name, NAME_SIZE);
    return gw_squirrel_print_name(&text, reader->bytes, reader->length, &here) ? name : NULL;
}

squirrel_tap *squirrel_new_tap(packet_info *pinfo, const gw_squirrel_frame_type *type, uint32_t length)
{
    if (!have_tap_listener(squirrel_tap_id))
        return NULL;
    squirrel_tap *tap = wmem_new0(pinfo->pool, squirrel_tap);
    tap->frame = type ? type->name : "no frame";
    tap->length = length;
    return tap;
}

void squirrel_tap_event(squirrel_tap *tap, packet_info *pinfo, const gw_squirrel_reader *reader,
                        const gw_squirrel_event *event)
{
    if (event->kind != GW_OPEN || !gw_squirrel_is_command(gw_squirrel_type_of(event->tag)) ||
        tap->count == SQUIRREL_TAP_COMMANDS)
        return;
    squirrel_tap_entry *entry = &tap->commands[tap->count++];
    entry->tag = event->tag;
    entry->use = (uint8_t)use_of(event);
    entry->length = event->header.length + MIN(event->declared, reader->length - event->payload.offset);
    if (entry->use != SQUIRREL_USE_NONE)
        entry->name = name_of(pinfo, reader, event->header.offset);
}

void squirrel_queue_tap(packet_info *pinfo, const squirrel_tap *tap)
{
    tap_queue_packet(squirrel_tap_id, pinfo, tap);
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

static void create_nodes(stats_tree *tree)
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

void squirrel_register_statistics(void)
{
    squirrel_tap_id = register_tap("squirrel");
}

void register_tap_listener_squirrel(void)
{
    stats_tree_register_plugin("squirrel", "squirrel", "Squirrel" STATS_TREE_MENU_SEPARATOR "Frames and Commands", 0,
                               count_frame, create_nodes, NULL);
}
