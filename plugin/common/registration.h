/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Registers a protocol's fields, subtrees and expert infos with Wireshark; copies and frees the rows of tables in the
 * preferences.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_REGISTRATION_H
#define GAMEWIRE_PLUGIN_COMMON_REGISTRATION_H

#include "common/findings.h"

#include <gamewire/faults.h>

/* An expert info for a fault or an oddity of the codec, whose text is the codec's. */
typedef struct gw_expert_row {
    uint32_t key;       /* a fault code, or one bit of the codec's oddities */
    const char *filter; /* such as "godot.bool.unusual" */
    int group;          /* PI_MALFORMED ... */
    int severity;       /* PI_ERROR ... */
    const char *word;   /* as in gw_finding; NULL: a fault's text is at the end of the line */
    const char *remedy; /* as in gw_finding; NULL: the table's */
} gw_expert_row;

typedef struct gw_expert_table {
    expert_field *ids; /* of a fault: by its code; of an oddity: by the number of its bit */
    const gw_expert_row *rows;
    size_t count;
    const char *remedy; /* of all rows of at least severity PI_WARN */
} gw_expert_table;

#define GW_FIELD_TABLES 6 /* of one protocol at most */

/* The tables of a protocol. Their rows must live until Wireshark ends. */
typedef struct gw_protocol_tables {
    struct {
        hf_register_info *rows;
        size_t count;
    } fields[GW_FIELD_TABLES];
    struct {
        int *const *rows;
        size_t count;
    } subtrees;
    struct {
        const gw_finding *rows;
        size_t count;
    } findings; /* with texts of the plugin */
    gw_expert_table faults, oddities;
    const gw_fault_table *codec; /* texts of the faults and oddities */
} gw_protocol_tables;

/* A table and the number of its rows, for the members of gw_protocol_tables. */
#define GW_ROWS(table) (table), array_length(table)

/* Registers all tables of `protocol`. A fault or an oddity without a row has no expert info and must not be
 * added. */
void gw_register_protocol(int protocol, const gw_protocol_tables *tables);

/* The text of the expert info `<protocol>.tree.too_long`. */
#define GW_TREE_LIMIT_REACHED_EXPERT_TEXT "The tree has reached its limit; the rest is not shown"

/* Callbacks of a table in the preferences (UAT) whose rows begin with `strings` members of type char *. gw_copy_row()
 * copies `length` bytes and duplicates the strings; gw_free_row() frees them. */
void *gw_copy_row(void *to, const void *from, size_t length, size_t strings);
void gw_free_row(void *row, size_t strings);

#endif
