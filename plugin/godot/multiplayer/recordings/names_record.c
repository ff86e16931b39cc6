/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of names: shown, and on the first pass added to the tables of names. Methods are used for nodes whose
 * checksum they have, and properties for updates whose types they have, as those of the user's tables are.
 */
#include "internal.h"

#include "godot/multiplayer/names/internal.h"

#include "common/conversation.h"
#include "common/display/experts.h"
#include "common/items.h"
#include "common/registration.h"

/* In a file. Each text of a table is kept. */
#define MOST_ENTRIES 8192U
#define MOST_BYTES   (UINT32_C(8) << 20)
/* Texts of a list. */
#define MOST_TEXTS 4096U
/* Names in the Info column. */
#define MOST_IN_INFO 4U

static uint32_t entries, bytes_kept;

/* Before each file: the limits are those of one file. */
static void forget_file(void)
{
    entries = bytes_kept = 0;
}

/* ---- fields and expert infos ---------------------------------------------------------------------------- */

typedef struct godot_mp_names_fields {
    int version, entry, kind, script, method, scene, node, root, property, type, file, player, name, undecoded;
} godot_mp_names_fields;

typedef struct godot_mp_names_experts {
    expert_field cut_short;
    expert_field faults[GW_GODOT_NAMES_FAULTS]; /* by code */
} godot_mp_names_experts;

static godot_mp_names_fields godot_mp_names_hf;
static godot_mp_names_experts godot_mp_names_ei;

static value_string kinds[GW_GODOT_NAMES_KINDS]; /* without UNKNOWN, and an end */

static hf_register_info names_fields[] = {
    { &godot_mp_names_hf.version,
      { "Version", "godot_mp.names.version", FT_UINT8, BASE_DEC, NULL, 0, "Version of the record of names", HFILL } },
    { &godot_mp_names_hf.entry,
      { "Names", "godot_mp.names.entry", FT_NONE, BASE_NONE, NULL, 0, "Names that the recording game knows", HFILL } },
    { &godot_mp_names_hf.kind,
      { "Kind", "godot_mp.names.kind", FT_UINT8, BASE_DEC, VALS(kinds), 0, "Kind of names in the entry", HFILL } },
    { &godot_mp_names_hf.script,
      { "Script", "godot_mp.names.script", FT_STRING, BASE_NONE, NULL, 0, "Path of a script with RPC methods",
        HFILL } },
    { &godot_mp_names_hf.method,
      { "Method", "godot_mp.names.method", FT_STRING, BASE_NONE, NULL, 0,
        "RPC method of the script, in the order of their numbers", HFILL } },
    { &godot_mp_names_hf.scene,
      { "Scene", "godot_mp.names.scene", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the scene of a synchronizer or spawner", HFILL } },
    { &godot_mp_names_hf.node,
      { "Node", "godot_mp.names.node", FT_STRING, BASE_NONE, NULL, 0, "Path of a synchronizer or spawner in its scene",
        HFILL } },
    { &godot_mp_names_hf.root,
      { "Root", "godot_mp.names.root", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the node whose properties these are, or below which is spawned", HFILL } },
    { &godot_mp_names_hf.property,
      { "Property", "godot_mp.names.property", FT_STRING, BASE_NONE, NULL, 0, "Property of the synchronizer", HFILL } },
    { &godot_mp_names_hf.type,
      { "Type", "godot_mp.names.type", FT_STRING, BASE_NONE, NULL, 0, "Type of the property", HFILL } },
    { &godot_mp_names_hf.file,
      { "Spawned scene", "godot_mp.names.spawned_scene", FT_STRING, BASE_NONE, NULL, 0,
        "Scene that the spawner can spawn", HFILL } },
    { &godot_mp_names_hf.player,
      { "Peer", "godot_mp.names.peer", FT_STRING, BASE_NONE, NULL, 0, "ID of a peer", HFILL } },
    { &godot_mp_names_hf.name,
      { "Name", "godot_mp.names.player", FT_STRING, BASE_NONE, NULL, 0, "Name of the peer's player", HFILL } },
    { &godot_mp_names_hf.undecoded,
      { "Undecoded", "godot_mp.names.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of the record of names that were not decoded", HFILL } },
};

static const gw_expert_row fault_rows[] = {
    { GW_GODOT_NAMES_FAULT_EMPTY, "godot_mp.names.empty", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_GODOT_NAMES_FAULT_VERSION_UNKNOWN, "godot_mp.names.version.unknown", PI_UNDECODED, PI_WARN, NULL, NULL },
    { GW_GODOT_NAMES_FAULT_ENTRY_TRUNCATED, "godot_mp.names.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_GODOT_NAMES_FAULT_TEXT_TRUNCATED, "godot_mp.names.text.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_GODOT_NAMES_FAULT_TOO_LONG, "godot_mp.names.too_long", PI_UNDECODED, PI_ERROR, NULL, NULL },
};

/* ---- entries ---------------------------------------------------------------------------------------------- */

/* An entry that is being read. */
typedef struct names_entry {
    gw_godot_names_kind kind;
    const char *texts[MOST_TEXTS]; /* in packet scope */
    uint32_t count;
    proto_tree *tree;
} names_entry;

/* ---- the tables of names ---------------------------------------------------------------------------------- */

/* Every `step`th text from `first` on, separated by commas, as the tables have them. */
static char *joined_texts(const names_entry *entry, uint32_t first, uint32_t step)
{
    GString *list = g_string_new(NULL);
    for (uint32_t i = first; i < entry->count; i += step)
        g_string_append_printf(list, "%s%s", i == first ? "" : ",", entry->texts[i]);
    return g_string_free(list, false);
}

/* On the first pass, adds a complete entry of `length` bytes to the tables of names, within the limits of a file. The
 * texts of an entry: script and methods; player's id and name; else scene, node, root and a list (names and types in
 * turns, or scenes). least_texts: an entry with fewer texts has no names. */
static void keep_entry(packet_info *pinfo, const names_entry *entry, uint32_t length)
{
    static const uint32_t least_texts[GW_GODOT_NAMES_KINDS] = {
        [GW_GODOT_NAMES_METHODS] = 2, [GW_GODOT_NAMES_SPAWN] = 5,  [GW_GODOT_NAMES_SYNC] = 5,
        [GW_GODOT_NAMES_DELTA] = 5,   [GW_GODOT_NAMES_SCENES] = 3, [GW_GODOT_NAMES_PLAYER] = 2,
    };
    /* An entry with the maximum of texts may have had more, which were not stored. */
    if (!gw_is_first_pass(pinfo) || entry->count < least_texts[entry->kind] || entry->count == MOST_TEXTS ||
        entries >= MOST_ENTRIES || bytes_kept + length > MOST_BYTES)
        return;
    entries++;
    bytes_kept += length;
    if (entry->kind == GW_GODOT_NAMES_METHODS) {
        char **methods = g_new0(char *, entry->count); /* without the script, with a NULL at the end */
        for (uint32_t i = 1; i < entry->count; i++)
            methods[i - 1] = g_strdup(entry->texts[i]);
        godot_names_add_script(entry->texts[0], methods);
    } else if (entry->kind == GW_GODOT_NAMES_PLAYER) {
        uint64_t id = g_ascii_strtoull(entry->texts[0], NULL, 10);
        if (id && id <= INT32_MAX && *entry->texts[1])
            godot_mp_keep_player((int32_t)id, entry->texts[1]);
    } else {
        /* After scene, node and root: scenes, or properties each with its type. A scene has no type: its list, from the
         * end on, is empty. */
        bool are_scenes = entry->kind == GW_GODOT_NAMES_SCENES;
        char *names = joined_texts(entry, 3, are_scenes ? 1 : 2),
             *types = joined_texts(entry, are_scenes ? entry->count : 4, 2);
        godot_names_add_row(&(const godot_names_row){ gw_godot_names_kind_name(entry->kind), entry->texts[0],
                                                      entry->texts[1], entry->texts[2], names, types });
        g_free(names);
        g_free(types);
    }
}

/* ---- the tree --------------------------------------------------------------------------------------------- */

/* The field of the text with this index in an entry: 0 is the script, the player's id or the scene. From 3 on, a list
 * has scene files, or a property and its type in turns. */
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

/* Begins an entry: adds its item, and removes the texts of the entry before it. */
static void open_entry(names_entry *entry, proto_tree *tree, tvbuff_t *tvb, const gw_godot_names_event *event)
{
    const char *kind = gw_godot_names_kind_name((gw_godot_names_kind)event->entry);
    proto_item *item = proto_tree_add_item(tree, godot_mp_names_hf.entry, tvb, (int)event->header.offset,
                                           (int)(event->header.length + event->payload.length), ENC_NA);
    proto_item_set_text(item, "Names: %s", kind ? kind : "of an unknown kind");
    entry->kind = (gw_godot_names_kind)event->entry;
    entry->count = 0;
    entry->tree = godot_mp_below(item);
    proto_tree_add_item(entry->tree, godot_mp_names_hf.kind, tvb, (int)event->header.offset, 1, ENC_NA);
}

/* Adds a text to the open entry, its tree and, for the first two, its label. */
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

/* Dissects the record of names. The codec's events of an entry are OPEN, a VALUE for each text, and CLOSE, at which the
 * entry is stored (keep_entry()) and its first text is added to Info, for the first MOST_IN_INFO entries. */
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
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "GodotMP");
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
            if (event.index < MOST_IN_INFO && entry->count)
                col_append_sep_str(pinfo->cinfo, COL_INFO, event.index ? ", " : " ",
                                   godot_printable(pinfo, entry->texts[0]));
            else if (event.index == MOST_IN_INFO)
                col_append_str(pinfo->cinfo, COL_INFO, ", …");
        }
    }
    if (reader.fault.fault_class)
        gw_add_fault(pinfo, tree, tvb, &reader.fault, &faults);
    return (int)length;
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers the fields, expert infos and dissector of the record of names. */
void godot_mp_register_names_record(int protocol)
{
    static const gw_finding cut_short = { &godot_mp_names_ei.cut_short,
                                          "godot_mp.names.cut_short",
                                          PI_UNDECODED,
                                          PI_NOTE,
                                          "Cut short by the capture",
                                          NULL,
                                          "Copy the whole recording" };
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(names_fields) } },
        .faults = { godot_mp_names_ei.faults, GW_ROWS(fault_rows),
                    "Write the record of names again, with the addon of this version" },
        .codec = &gw_godot_names_faults,
        .findings = { &cut_short, 1 },
    };
    for (uint32_t kind = GW_GODOT_NAMES_METHODS, count = 0; kind < GW_GODOT_NAMES_KINDS; kind++)
        kinds[count++] = (value_string){ kind, gw_godot_names_kind_name((gw_godot_names_kind)kind) };
    gw_register_protocol(protocol, &tables);
    register_init_routine(forget_file);
    register_dissector(GODOT_MP_NAMES_DISSECTOR, dissect_names, protocol);
}
