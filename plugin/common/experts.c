/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Registers one expert info for each fault and oddity of a codec, and adds them with a limit for each.
 */
#include "common/experts.h"

#include "common/fault.h"

static unsigned bit_number(uint32_t bit)
{
    unsigned number = 0;
    while (UINT32_C(1) << number != bit)
        number++;
    return number;
}

static void set_row(ei_register_info *info, expert_field *field, const gw_expert_row *row, const char *summary)
{
    *field = (expert_field)EI_INIT;
    *info = (ei_register_info){ field, { row->filter, row->group, row->severity, summary, EXPFILL } };
}

void gw_register_fault_experts(expert_module_t *module, expert_field *fields, const gw_expert_row *rows, size_t count,
                               const char *(*text)(uint32_t code))
{
    ei_register_info *infos = wmem_alloc0_array(wmem_epan_scope(), ei_register_info, count);
    for (size_t i = 0; i < count; i++)
        set_row(&infos[i], &fields[rows[i].key], &rows[i], text(rows[i].key));
    expert_register_field_array(module, infos, (int)count);
}

void gw_register_odd_experts(expert_module_t *module, expert_field *fields, const gw_expert_row *rows, size_t count,
                             const char *(*text)(uint32_t odd))
{
    ei_register_info *infos = wmem_alloc0_array(wmem_epan_scope(), ei_register_info, count);
    for (size_t i = 0; i < count; i++)
        set_row(&infos[i], &fields[bit_number(rows[i].key)], &rows[i], text(rows[i].key));
    expert_register_field_array(module, infos, (int)count);
}

void gw_add_odd_experts(packet_info *pinfo, proto_item *item, expert_field *fields, const char *(*text)(uint32_t odd),
                        uint8_t counts[32], uint32_t odd, uint32_t offset)
{
    for (unsigned bit = 0; odd; bit++, odd >>= 1) {
        if (!(odd & 1U) || counts[bit] == GW_EXPERTS_OF_A_KIND)
            continue;
        bool last = ++counts[bit] == GW_EXPERTS_OF_A_KIND;
        expert_add_info_format(pinfo, item, &fields[bit], "%s (offset %u)%s", text(UINT32_C(1) << bit), offset,
                               last ? "; more of these in this packet are not listed" : "");
    }
}

/* ---- faults -------------------------------------------------------------------------------------------- */

void gw_add_fault(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const gw_fault *fault,
                  const gw_fault_display *display)
{
    const gw_fault_report report = {
        .hf_undecoded = *display->hf_undecoded,
        .expert = &display->experts[fault->code],
        .cut_short = display->cut_short,
        .what = display->text(fault->code),
        .consequence = display->consequence(fault->code),
    };
    gw_add_fault_report(pinfo, tree, tvb, fault, &report);
}
