/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of names: shown, and on the first pass added to the tables of names. Methods are used for nodes whose
 * checksum they have, and properties for updates whose types they have, as those of the user's tables are.
 */
#include "internal.h"

#include "godot/multiplayer/names/internal.h"

#include "common/conversation.h"
#include "common/experts.h"
#include "common/items.h"

/* In a file. Each text of a table is kept. */
#define MOST_ENTRIES 8192U
#define MOST_BYTES   (UINT32_C(8) << 20)
/* Texts of a list. */
#define MOST_TEXTS 4096U
/* Names in the Info column. */
#define MOST_IN_INFO 4U

static uint32_t entries, bytes_kept;

static void forget_file(void)
{
    entries = bytes_kept = 0;
}

/* An entry that is read. */
typedef struct names_entry {
    gw_godot_names_kind kind;
    const char *texts[MOST_TEXTS]; /* in packet scope */
    uint32_t count;
    proto_tree *tree;
} names_entry;

/* ---- keeping ------------------------------------------------------------------------------------------- */

/* Every second or every text from `first` on, separated by commas, as the tables have them. */
static char *joined(const names_entry *entry, uint32_t first, uint32_t step)
{
    GString *list = g_string_new(NULL);
    for (uint32_t i = first; i < entry->count; i += step)
        g_string_append_printf(list, "%s%s", i == first ? "" : ",", entry->texts[i]);
    return g_string_free(list, false);
}

static void keep_methods(const names_entry *entry)
{
    char **methods = g_new0(char *, entry->count);
    for (uint32_t i = 1; i < entry->count; i++)
        methods[i - 1] = g_strdup(entry->texts[i]);
    godot_names_add_script(entry->texts[0], methods);
}

static void keep_row(const names_entry *entry)
{
    bool are_scenes = entry->kind == GW_GODOT_NAMES_SCENES;
    char *names = joined(entry, 3, are_scenes ? 1 : 2), *types = joined(entry, are_scenes ? entry->count : 4, 2);
    const godot_names_row row = {
        gw_godot_names_kind_name(entry->kind), entry->texts[0], entry->texts[1], entry->texts[2], names, types
    };
    godot_names_add_row(&row);
    g_free(names);
    g_free(types);
}

static void keep_player(const names_entry *entry)
{
    uint64_t id = g_ascii_strtoull(entry->texts[0], NULL, 10);
    if (id && id <= INT32_MAX && *entry->texts[1])
        godot_mp_keep_player((int32_t)id, entry->texts[1]);
}

static uint32_t least_texts(gw_godot_names_kind kind)
{
    if (kind == GW_GODOT_NAMES_METHODS || kind == GW_GODOT_NAMES_PLAYER)
        return 2;
    return kind == GW_GODOT_NAMES_SCENES ? 3 : 5;
}

static void keep_entry(packet_info *pinfo, const names_entry *entry, uint32_t length)
{
    if (!gw_is_first_pass(pinfo) || entry->count < least_texts(entry->kind) || entry->count == MOST_TEXTS ||
        entries >= MOST_ENTRIES || bytes_kept + length > MOST_BYTES)
        return;
    entries++;
    bytes_kept += length;
    if (entry->kind == GW_GODOT_NAMES_METHODS)
        keep_methods(entry);
    else if (entry->kind == GW_GODOT_NAMES_PLAYER)
        keep_player(entry);
    else
        keep_row(entry);
}

/* ---- showing ------------------------------------------------------------------------------------------- */

static int field_of(gw_godot_names_kind kind, uint32_t index)
{
    if (kind == GW_GODOT_NAMES_METHODS)
        return index ? godot_mp_names_hf.method : godot_mp_names_hf.script;
    if (kind == GW_GODOT_NAMES_PLAYER)
        return index ? godot_mp_names_hf.name : godot_mp_names_hf.player;
    if (index < 3)
        return (const int[]){ godot_mp_names_hf.scene, godot_mp_names_hf.node, godot_mp_names_hf.root }[index];
    if (kind == GW_GODOT_NAMES_SCENES)
        return godot_mp_names_hf.file;
    return index % 2 ? godot_mp_names_hf.property : godot_mp_names_hf.type;
}

static void open_entry(names_entry *entry, proto_tree *tree, tvbuff_t *tvb, const gw_godot_names_event *event)
{
    const char *kind = gw_godot_names_kind_name((gw_godot_names_kind)event->entry);
    proto_item *item = proto_tree_add_item(tree, godot_mp_names_hf.entry, tvb, (int)event->header.offset,
                                           (int)(event->header.length + event->payload.length), ENC_NA);
    proto_item_set_text(item, "Names: %s", kind ? kind : "of an unknown kind");
    entry->kind = (gw_godot_names_kind)event->entry;
    entry->count = 0;
    entry->tree = proto_item_add_subtree(item, godot_mp_ett_item);
    proto_tree_add_item(entry->tree, godot_mp_names_hf.kind, tvb, (int)event->header.offset, 1, ENC_NA);
}

static void add_text(names_entry *entry, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_names_event *event)
{
    const char *text = gw_text_of(pinfo->pool, tvb, event->payload);
    proto_tree_add_string(entry->tree, field_of(entry->kind, event->index), tvb, (int)event->payload.offset,
                          (int)event->payload.length, text);
    if (entry->count < MOST_TEXTS)
        entry->texts[entry->count++] = text;
    if (event->index < 2)
        proto_item_append_text(proto_tree_get_parent(entry->tree), "%s%s", event->index ? ", " : " of ",
                               godot_printable(pinfo, text));
}

static void add_to_info(packet_info *pinfo, const names_entry *entry, uint32_t index)
{
    if (index < MOST_IN_INFO && entry->count)
        col_append_sep_str(pinfo->cinfo, COL_INFO, index ? ", " : " ", godot_printable(pinfo, entry->texts[0]));
    else if (index == MOST_IN_INFO)
        col_append_str(pinfo->cinfo, COL_INFO, ", …");
}

static int dissect_names(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    const gw_fault_display faults = { &godot_mp_names_hf.undecoded, godot_mp_names_ei.faults,
                                      &godot_mp_names_ei.cut_short, &gw_godot_names_faults };
    unsigned length = tvb_captured_length(tvb);
    gw_godot_names_reader reader;
    gw_godot_names_event event;
    if (!length)
        return 0;
    names_entry *entry = wmem_new(pinfo->pool, names_entry);
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot MP");
    col_set_str(pinfo->cinfo, COL_INFO, "Names:");
    proto_item *item =
        proto_tree_add_protocol_format(parent, proto_godot_mp, tvb, 0, -1, "Godot Multiplayer, names of the recording");
    proto_tree *tree = proto_item_add_subtree(item, godot_mp_ett_protocol);
    proto_tree_add_item(tree, godot_mp_names_hf.version, tvb, 0, 1, ENC_NA);
    gw_godot_names_init(&reader, gw_bytes_of(tvb), length);
    while (gw_godot_names_next(&reader, &event) == GW_NEXT_EVENT) {
        if (event.kind == GW_OPEN) {
            open_entry(entry, tree, tvb, &event);
        } else if (event.kind == GW_VALUE) {
            add_text(entry, pinfo, tvb, &event);
        } else if (entry->kind != GW_GODOT_NAMES_UNKNOWN) {
            keep_entry(pinfo, entry, event.payload.length);
            add_to_info(pinfo, entry, event.index);
        }
    }
    if (reader.fault.fault_class)
        gw_add_fault(pinfo, tree, tvb, &reader.fault, &faults);
    return (int)length;
}

/* ---- registration -------------------------------------------------------------------------------------- */

void godot_mp_register_names_record(int protocol)
{
    register_init_routine(forget_file);
    register_dissector(GODOT_MP_NAMES_DISSECTOR, dissect_names, protocol);
}
