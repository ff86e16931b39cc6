/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Registers the tables of findings, adds findings to packets, and prints their words.
 */
#include "common/findings.h"

#include <epan/proto_data.h>

#include "common/keys.h"

/* Before the line of a message. */
#define WORDS 2

/* Number of an expert info -> its row. The rows of a protocol have ascending numbers. */
static wmem_map_t *rows_by_number;

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers each row as an expert info, whose field is described by severity, word and remedy, and keeps the row by
 * the number that Wireshark gives it. */
void gw_register_findings(expert_module_t *module, const gw_finding *rows, size_t count)
{
    ei_register_info *infos = wmem_alloc0_array(wmem_epan_scope(), ei_register_info, count);
    if (!rows_by_number)
        rows_by_number = wmem_map_new(wmem_epan_scope(), g_direct_hash, g_direct_equal);
    for (size_t i = 0; i < count; i++) {
        const gw_finding *row = &rows[i];
        const char *severity = row->severity == PI_ERROR  ? "Error"
                               : row->severity == PI_WARN ? "Warning"
                               : row->severity == PI_NOTE ? "Note"
                                                          : "Chat";
        const char *word = row->word ? wmem_strdup_printf(wmem_epan_scope(), " [%s]", row->word) : "";
        *row->id = (expert_field)EI_INIT;
        infos[i] = (ei_register_info){ row->id, { row->filter, row->group, row->severity, row->summary, EXPFILL } };
        infos[i].eiinfo.hf_info.hfinfo.blurb = wmem_strdup_printf(
            wmem_epan_scope(), "%s%s%s%s", severity, word, row->remedy ? ": " : "", row->remedy ? row->remedy : "");
    }
    expert_register_field_array(module, infos, (int)count);
    for (size_t i = 0; i < count; i++)
        wmem_map_insert(rows_by_number, GINT_TO_POINTER(rows[i].id->ei), (void *)&rows[i]);
}

/* ---- the findings of a packet -------------------------------------------------------------------------- */

/* The rows of the findings that were added to the packet so far, in their order; NULL: none. Those of all protocols are
 * in one array, since the findings of a message include those of the layers in it. */
static wmem_array_t *find_rows(const packet_info *pinfo)
{
    return *gw_packet_slot(pinfo, GW_SLOT_FINDINGS);
}

/* Appends the row of an expert info to those of the packet: the Info column and the JSON lines show the findings by
 * these rows. */
static void keep_row(packet_info *pinfo, const expert_field *id)
{
    const gw_finding *row = wmem_map_lookup(rows_by_number, GINT_TO_POINTER(id->ei));
    wmem_array_t *rows = find_rows(pinfo);
    if (!rows)
        *gw_packet_slot(pinfo, GW_SLOT_FINDINGS) = rows = wmem_array_new(pinfo->pool, sizeof(void *));
    wmem_array_append_one(rows, row);
}

unsigned gw_count_findings(const packet_info *pinfo)
{
    wmem_array_t *rows = find_rows(pinfo);
    return rows ? wmem_array_get_count(rows) : 0;
}

/* The row of the finding with this number, which is below gw_count_findings(). */
const gw_finding *gw_finding_at(const packet_info *pinfo, unsigned index)
{
    return *(const gw_finding **)wmem_array_index(find_rows(pinfo), index);
}

/* Adds a finding as expert info of `item`, with the row's summary, and to the rows of the packet. */
void gw_add_finding(packet_info *pinfo, proto_item *item, expert_field *id)
{
    keep_row(pinfo, id);
    expert_add_info(pinfo, item, id);
}

/* Adds a finding as expert info of `item`, with this text in place of the row's summary. */
void gw_add_finding_format(packet_info *pinfo, proto_item *item, expert_field *id, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep_row(pinfo, id);
    expert_add_info_format(pinfo, item, id, "%s", wmem_strdup_vprintf(pinfo->pool, format, arguments));
    va_end(arguments);
}

/* Adds a finding to `tree`, for bytes that have no item. */
void gw_add_finding_at(proto_tree *tree, packet_info *pinfo, expert_field *id, tvbuff_t *tvb, int start, int length)
{
    keep_row(pinfo, id);
    proto_tree_add_expert(tree, pinfo, id, tvb, start, length);
}

/* Adds a finding to `tree`, for bytes that have no item, with this text in place of the row's summary. */
void gw_add_finding_at_format(proto_tree *tree, packet_info *pinfo, expert_field *id, tvbuff_t *tvb, int start,
                              int length, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep_row(pinfo, id);
    proto_tree_add_expert_format(tree, pinfo, id, tvb, start, length, "%s",
                                 wmem_strdup_vprintf(pinfo->pool, format, arguments));
    va_end(arguments);
}

/* ---- the Info column ----------------------------------------------------------------------------------- */

/* True if row `one` is more important: by severity, or else because it is earlier in its table. Numbers of expert infos
 * ascend in a table. */
static bool is_worse(const gw_finding *one, const gw_finding *other)
{
    return one->severity != other->severity ? one->severity > other->severity : one->id->ei < other->id->ei;
}

/* The words of the WORDS most important findings from number `first` on, in brackets: "[Node missing] [Late] ".
 * Findings without a word are left out. */
const char *gw_finding_words(const packet_info *pinfo, unsigned first)
{
    const gw_finding *worst[WORDS] = { NULL };
    const char *text = "";
    unsigned count = gw_count_findings(pinfo);
    for (unsigned i = first; i < count; i++) {
        const gw_finding *row = gw_finding_at(pinfo, i);
        /* `worst` is sorted, the most important row first, and has each word once: a row is inserted before the first
         * less important one, which then is inserted into the places after it. */
        for (unsigned place = 0; row->word && place < WORDS; place++) {
            if (worst[place] && !strcmp(worst[place]->word, row->word) && !is_worse(row, worst[place]))
                break;
            if (!worst[place] || is_worse(row, worst[place])) {
                const gw_finding *moved = worst[place];
                worst[place] = row;
                if (!moved || !strcmp(moved->word, row->word))
                    break;
                row = moved;
            }
        }
    }
    for (unsigned place = 0; place < WORDS && worst[place]; place++)
        text = wmem_strdup_printf(pinfo->pool, "%s[%s] ", text, worst[place]->word);
    return text;
}

const char *gw_line_with_words(const packet_info *pinfo, const char *words, const char *line)
{
    return *words ? wmem_strdup_printf(pinfo->pool, "%s%s", words, line) : line;
}
