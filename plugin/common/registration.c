/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Registers the tables of a protocol: one mechanism for all.
 */
#include "common/registration.h"

#include <string.h>

/* Registers one finding for each row of faults or oddities, with the codec's text. `are_oddities`: the keys of the
 * table's rows are bits, and the ids are by the number of the bit; else keys are codes of faults, and the ids are by
 * code. A row without a remedy has the table's if it is a warning or an error. */
static void register_codec_findings(expert_module_t *module, const gw_expert_table *table, const gw_fault_table *codec,
                                    bool are_oddities)
{
    gw_finding *findings = wmem_alloc0_array(wmem_epan_scope(), gw_finding, table->count);
    for (size_t i = 0; i < table->count; i++) {
        const gw_expert_row *row = &table->rows[i];
        expert_field *id = &table->ids[are_oddities ? (uint32_t)g_bit_nth_lsf(row->key, -1) : row->key];
        const char *text = are_oddities ? gw_odd_text(codec, row->key) : gw_fault_text(codec, row->key);
        const char *remedy = row->remedy ? row->remedy : row->severity >= PI_WARN ? table->remedy : NULL;
        findings[i] = (gw_finding){ id, row->filter, row->group, row->severity, text, row->word, remedy };
    }
    gw_register_findings(module, findings, table->count);
}

/* Registers the protocol's tables: fields, subtrees, and the expert infos for findings, oddities and faults. */
void gw_register_protocol(int protocol, const gw_protocol_tables *tables)
{
    for (size_t table = 0; table < GW_FIELD_TABLES; table++) {
        hf_register_info *fields = tables->fields[table].rows;
        size_t count = tables->fields[table].count;
        /* Until it is registered, a field is -1, the use of which Wireshark reports; with 0, Wireshark 4.0 would use
         * field 0 without a message. */
        for (size_t i = 0; i < count; i++)
            *fields[i].p_id = -1;
        proto_register_field_array(protocol, fields, (int)count);
    }
    proto_register_subtree_array(tables->subtrees.rows, (int)tables->subtrees.count);

    expert_module_t *module = expert_register_protocol(protocol);
    gw_register_findings(module, tables->findings.rows, tables->findings.count);
    register_codec_findings(module, &tables->oddities, tables->codec, true);
    register_codec_findings(module, &tables->faults, tables->codec, false);
}

/* Copies a row of `length` bytes, whose first `strings` members are texts, and these texts; returns `to`. For tables in
 * the preferences (UAT). */
void *gw_copy_row(void *to, const void *from, size_t length, size_t strings)
{
    memcpy(to, from, length);
    char **texts = to;
    for (size_t i = 0; i < strings; i++)
        texts[i] = g_strdup(texts[i]);
    return to;
}

/* Frees the texts that a row begins with, `strings` of them, but not the row. For tables in the preferences (UAT). */
void gw_free_row(void *row, size_t strings)
{
    char **texts = row;
    for (size_t i = 0; i < strings; i++)
        g_free(texts[i]);
}
